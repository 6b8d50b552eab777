//! Crashes at any byte and between any two steps, and concurrent writes by other programs.

use std::fs;

use super::{StoreFixture, bead_line};
use crate::bead::{Stamp, record};
use crate::change;
use crate::store::commit::fold::Fold;
use crate::store::log::event::{self, BeadFile};
use crate::store::log::journal;
use crate::store::view::source::OpenFiles;
use kit::sys::file;

/// Returns the files of a store after one acknowledged change, and the journal line of a second
/// change that was acknowledged but not folded.
fn build_crashed_store() -> (StoreFixture, Vec<u8>, String, String) {
    let place = StoreFixture::new();
    let first = place.make("First");
    let issues = fs::read(place.dir.join("issues.jsonl")).unwrap();
    let second = place.make("Second");
    let bead = place
        .store
        .snapshot()
        .unwrap()
        .get(&second)
        .cloned()
        .unwrap();
    let raw = String::from_utf8(record::serialize_bead(&bead)).unwrap();
    let entry = event::Event {
        id: "1".into(),
        at: "2026-01-01T00:00:00Z".into(),
        actor: "dana".into(),
        changes: vec![event::BeadChange {
            store: Some(BeadFile::Issues),
            id: second.clone(),
            after: Some(journal::line_hash(raw.as_bytes())),
            line: serde_json::value::RawValue::from_string(raw).ok(),
            ..event::BeadChange::default()
        }],
        ..event::Event::default()
    };
    let path = place.dir.join("issues.jsonl");
    fs::write(&path, issues).unwrap();
    age_file(&path);
    (place, journal::encode_sealed(&entry), first, second)
}

/// Sets the time of a file to some time ago.
pub(super) fn age_file(path: &std::path::Path) {
    let file = fs::File::options().write(true).open(path).unwrap();
    file.set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000))
        .unwrap();
}

#[test]
fn nothing_is_folded_within_the_racy_window_of_the_issues_file() {
    let place = StoreFixture::with_issues(&format!(
        "{}\n{}\n",
        bead_line("bd-a", "x"),
        bead_line("bd-b", "y")
    ));
    assert_eq!(place.ids().len(), 2);
    // A checkout that has written only the first line so far.
    let path = place.dir.join("issues.jsonl");
    fs::write(&path, format!("{}\n", bead_line("bd-a", "x"))).unwrap();
    let made = place.make("Meanwhile");
    assert!(!place.text("issues.jsonl").contains(&made));
    fs::write(
        &path,
        format!("{}\n{}\n", bead_line("bd-a", "x"), bead_line("bd-b", "y")),
    )
    .unwrap();
    age_file(&path);
    place.make("Later");
    let text = place.text("issues.jsonl");
    assert!(text.contains(&made) && text.contains("bd-b"), "{text}");
}

#[test]
fn a_crash_at_any_byte_of_the_journal_loses_no_acknowledged_change() {
    let (place, whole, first, second) = build_crashed_store();
    let issues = fs::read(place.dir.join("issues.jsonl")).unwrap();
    for cut in 0..=whole.len() {
        fs::write(place.dir.join("issues.jsonl"), &issues).unwrap();
        age_file(&place.dir.join("issues.jsonl"));
        fs::write(place.dir.join("journal.jsonl"), &whole[..cut]).unwrap();
        let snapshot = place.store.snapshot().unwrap();
        assert!(snapshot.get(&first).is_some());
        let is_whole = cut == whole.len();
        assert_eq!(snapshot.get(&second).is_some(), is_whole, "cut at {cut}");
        let third = place.make("Third");
        let ids = place.ids();
        assert!(ids.contains(&first) && ids.contains(&third), "cut at {cut}");
        assert_eq!(ids.contains(&second), is_whole, "cut at {cut}");
        assert_eq!(place.text("journal.jsonl"), "");
        let mut notices = place.store.reports.take_notices();
        // Writing the older issues was a rollback too.
        notices.retain(|notice| !notice.contains("rolled back"));
        assert_eq!(
            notices.len(),
            usize::from(cut > 0 && !is_whole),
            "cut at {cut}: {notices:?}"
        );
    }
}

#[test]
fn the_next_write_finishes_a_fold_that_crashed_between_two_steps() {
    let (place, whole, _, second) = build_crashed_store();
    fs::write(place.dir.join("journal.jsonl"), &whole).unwrap();
    place.store.fold(&place.clock).unwrap();
    let folded = place.text("issues.jsonl");
    // The new file was renamed into place, but not the fresh journal.
    fs::write(place.dir.join("journal.jsonl"), &whole).unwrap();
    assert!(place.ids().contains(&second));
    place.store.fold(&place.clock).unwrap();
    assert_eq!(place.text("issues.jsonl"), folded);
    // A leftover temporary file causes no problem.
    fs::write(place.dir.join(".tmp-left"), "half").unwrap();
    place.make("Next");
}

#[test]
fn issues_written_by_a_killed_fold_are_not_treated_as_external() {
    let (place, whole, _, second) = build_crashed_store();
    fs::write(place.dir.join("journal.jsonl"), &whole).unwrap();
    place.ids();
    let index = fs::read(place.dir.join("index.bin")).unwrap();
    place.store.fold(&place.clock).unwrap();
    let issues = fs::read(place.dir.join("issues.jsonl")).unwrap();
    let mark = |text: &[u8]| {
        let fold = sha256_hex(text);
        [
            whole.clone(),
            journal::encode_sealed(&journal::FoldMark { fold }),
        ]
        .concat()
    };
    // The process was killed right after the rename: the index is the old one, and so is the
    // journal, with its mark.
    let is_unsettled = |journal: &[u8]| {
        fs::write(place.dir.join("issues.jsonl"), &issues).unwrap();
        fs::write(place.dir.join("index.bin"), &index).unwrap();
        fs::write(place.dir.join("journal.jsonl"), journal).unwrap();
        let read = OpenFiles::read(&place.store.paths).unwrap();
        read.source.is_unsettled()
    };
    assert!(is_unsettled(&mark(b"other")));
    assert!(!is_unsettled(&mark(&issues)));
    place.store.fold(&place.clock).unwrap();
    assert_eq!(place.text("journal.jsonl"), "");
    assert!(place.ids().contains(&second));
}

fn sha256_hex(text: &[u8]) -> String {
    use sha2::Digest;
    crate::bead::hash::encode_hex(&sha2::Sha256::digest(text))
}

#[test]
fn a_rewrite_that_would_lose_a_bead_is_refused() {
    let place = StoreFixture::with_issues(&format!(
        "{}\n{}\n",
        bead_line("bd-a", "x"),
        bead_line("bd-b", "y")
    ));
    let mut snapshot = place.store.snapshot().unwrap();
    snapshot.set("bd-b", None);
    let now = Stamp::default();
    let fold = Fold {
        snapshot,
        now: &now,
        all: false,
        notices: &mut Vec::new(),
    };
    let error = fold.run().unwrap_err();
    assert!(error.to_string().contains("would lose bd-b"), "{error}");
    assert!(place.text("issues.jsonl").contains("bd-b"));
}

#[test]
fn a_file_changed_by_another_program_during_a_fold_is_reread() {
    let place = StoreFixture::with_issues(&format!("{}\n", bead_line("bd-a", "x")));
    place
        .change(|tx| {
            change::add_label(tx, "bd-a", "l")?;
            // A checkout by git during our transaction.
            file::replace_file(
                &place.dir.join("issues.jsonl"),
                format!("{}\n{}\n", bead_line("bd-a", "x"), bead_line("bd-b", "y")).as_bytes(),
                0o644,
            )?;
            Ok(())
        })
        .unwrap();
    let snapshot = place.store.snapshot().unwrap();
    assert!(snapshot.get("bd-a").unwrap().has_label("l"));
    assert!(snapshot.get("bd-b").is_some());
}
