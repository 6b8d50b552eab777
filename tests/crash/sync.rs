//! `bd sync --full` ended with -9 at random moments, in two clones of one repository.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use serde_json::Value;
use town_tests::count;

use crate::lines::Lines;
use crate::project::Ran;
use crate::{Project, chance};

const SYNC: [&str; 2] = ["sync", "--full"];

#[test]
fn killed_syncs_lose_and_duplicate_nothing() {
    let mut chance = chance("kill, sync");
    let clones = [Project::new(), Project::new()];
    let remote = clones[0].beside("remote.git");
    git(
        Path::new("/"),
        &["init", "-q", "--bare", remote.to_str().unwrap()],
    );
    for clone in &clones {
        let work = clone.path("");
        git(&work, &["init", "-q"]);
        git(
            &work,
            &["remote", "add", "origin", remote.to_str().unwrap()],
        );
        clone.make("First");
        clone.ok(&SYNC);
    }
    let began = Instant::now();
    clones[0].make("Something new");
    clones[0].ok(&SYNC);
    let usual = began.elapsed().mul_f64(1.2);
    // Two clones may make beads under one id: both live, one of them under another.
    let (mut made, mut cut) = (Vec::new(), 0);
    for round in 0..count(15, 250) {
        let clone = &clones[chance.usize(..2)];
        made.push(clone.make(&format!("Round {round}")));
        let mut child = clone.command(&SYNC).spawn().unwrap();
        std::thread::sleep(usual.mul_f64(chance.f64()));
        // It may have ended before.
        child.kill().ok();
        let ran = Ran::of(&SYNC, &child.wait_with_output().unwrap());
        cut += usize::from(ran.code.is_none());
        if ran.code.is_some() {
            ran.ok();
        }
        made.push(clone.make(&format!("After round {round}")));
    }
    for clone in [0, 1, 0, 1] {
        // What git still did when bd was killed may move the branch once more.
        let all = (0..5).any(|_| clones[clone].run(&SYNC).code == Some(0));
        assert!(all, "{}", clones[clone].run(&SYNC).ok());
    }
    let [one, other] = [0, 1].map(|clone| Lines::read(&clones[clone].path(".beads/issues.jsonl")));
    assert_eq!(one, other);
    for id in &made {
        one.bead(id);
    }
    assert_eq!(one.0.len(), made.len() + 3);
    for clone in &clones {
        check_history(clone, made.len() + 3);
    }
    eprintln!("kill, sync: {cut} processes killed before their end");
}

/// Every bead was made once, by one event.
fn check_history(clone: &Project, beads: usize) {
    let said = clone.ok(&["activity", "--json", "--limit", "100000"]);
    let events: Value = serde_json::from_str(&said).unwrap();
    let created = events.as_array().unwrap().iter();
    let created = created.filter(|event| event["type"] == "create").count();
    assert_eq!(created, beads);
    let mut ids = BTreeMap::new();
    for writer in std::fs::read_dir(clone.path(".beads/events")).unwrap() {
        for month in std::fs::read_dir(writer.unwrap().path()).unwrap() {
            let path = month.unwrap().path();
            // What a killed process had not yet put in place: no file of history, and git does not
            // see it.
            if path.extension().is_none_or(|kind| kind != "jsonl") {
                let name = path.file_name().unwrap().to_string_lossy();
                assert!(name.starts_with(".tmp-"), "{name}");
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            for line in text.lines() {
                let event: Value = serde_json::from_str(line).unwrap();
                let id = event["id"].as_str().unwrap().to_owned();
                let other = ids.insert(id, path.clone());
                assert_eq!(
                    other,
                    None,
                    "an event stands twice, in {}: {line}",
                    path.display()
                );
            }
        }
    }
}

fn git(cwd: &Path, args: &[&str]) {
    let ended = Command::new("git").args(args).current_dir(cwd).status();
    assert!(ended.unwrap().success(), "git {args:?}");
}
