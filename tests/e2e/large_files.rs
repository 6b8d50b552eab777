//! Large files on the sync branch: hosts refuse them, so no commit that is pushed has one.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use bd::bead::record::RecordFields;
use bd::store::Event;
use bd::store::event::BeadChange;
use bd::store::journal::encode_sealed;

use crate::sync_full::{Clones, executable};

/// A hook that refuses files as large as hosts do.
const REFUSE_LARGE_FILES: &str = "#!/bin/sh
while read old new ref; do
    large=$(git rev-list --objects --not --all --not $new | cut -d' ' -f1 |
        git cat-file --batch-check='%(objectsize)' | awk '$1 >= 50000000')
    if [ -n \"$large\" ]; then echo \"too large: $large\" >&2; exit 1; fi
done
";

/// Writes 52 MB of history as the clone's own, and returns its file.
fn write_history(clones: &Clones, clone: &str) -> PathBuf {
    let folder = clones
        .dir(clone)
        .join(".beads/events")
        .join(clones.clone_id(clone));
    let mut text = Vec::new();
    for number in 0..52 {
        let bead = format!(
            "{{\"id\":\"p-big{number}\",\"title\":\"{}\"}}",
            "x".repeat(1_000_000)
        );
        let event = Event {
            id: format!("big-{number:08}"),
            at: format!("2026-01-01T00:00:{number:02}Z"),
            actor: "a".to_owned(),
            changes: vec![BeadChange {
                id: format!("p-big{number}"),
                new: Some(RecordFields::parse(&bead)),
                ..BeadChange::default()
            }],
            ..Event::default()
        };
        text.extend(encode_sealed(&event));
    }
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("2026-01.jsonl");
    fs::write(&path, text).unwrap();
    path
}

#[test]
fn a_file_that_hosts_refuse_is_split() {
    let clones = Clones::two();
    executable(
        &clones.origin.path().join("hooks/pre-receive"),
        REFUSE_LARGE_FILES,
    );
    let file = write_history(&clones, "a");
    let id = clones.bead("a", "After the large file");

    let said = clones.synced("a");
    assert_eq!(
        (&said["pushed"], &said["error"]),
        (&true.into(), &serde_json::Value::Null)
    );
    let listed = clones.git("a", &["ls-tree", "-r", "-l", "origin/beads-sync"]);
    let parts = listed.lines().filter(|line| line.contains("2026-01"));
    let names = parts.fold(String::new(), |mut names, line| {
        let path = line.split('\t').nth(1).unwrap();
        writeln!(names, "{}", path.rsplit('/').next().unwrap()).unwrap();
        names
    });
    assert_eq!(names, "2026-01.jsonl\n2026-01.part2.jsonl\n");
    let again = clones.synced("a");
    assert_eq!(
        (&again["committed"], &again["pushed"]),
        (&false.into(), &true.into())
    );

    clones.sync("b").ok();
    let there = clones
        .dir("b")
        .join(file.strip_prefix(clones.dir("a")).unwrap());
    assert!(fs::read(there).unwrap() == fs::read(&file).unwrap());
    assert_eq!(clones.show("b", &id)["title"], "After the large file");
    clones.agree(&["a", "b"]);
}
