//! Journals with damaged lines inside: later changes count, and missing changes are reported.

use std::fs;

use super::{StoreFixture, bead_line, test_author};
use crate::change;
use crate::doctor;
use crate::store::Snapshot;

/// Returns a store with two beads and three changes in the journal: of the first bead, the second,
/// and the first again.
fn build_changed_store() -> (StoreFixture, Vec<Vec<u8>>) {
    let place = StoreFixture::with_issues(&format!(
        "{}\n{}\n",
        bead_line("bd-a", "x"),
        bead_line("bd-b", "y")
    ));
    place.store.snapshot().unwrap();
    let deferred = place.with_deferred_folds();
    deferred.edit("bd-a", |bead| {
        bead.title = "First".into();
        bead.notes = "of the first".into();
    });
    deferred
        .change(|tx| Ok(change::add_label(tx, "bd-b", "l")?))
        .unwrap();
    deferred.edit("bd-a", |bead| bead.priority = 0);
    let text = fs::read(place.dir.join("journal.jsonl")).unwrap();
    let lines = text.split_inclusive(|byte| *byte == b'\n');
    (place, lines.map(<[u8]>::to_vec).collect())
}

impl StoreFixture {
    fn set_journal(&self, lines: &[Vec<u8>]) {
        fs::write(self.dir.join("journal.jsonl"), lines.concat()).unwrap();
    }

    pub(super) fn aside(&self) -> Vec<u8> {
        let files = fs::read_dir(self.dir.join("damaged")).unwrap();
        let texts = files.map(|file| fs::read(file.unwrap().path()).unwrap());
        texts.collect::<Vec<_>>().concat()
    }

    fn repair(&self) -> anyhow::Result<Vec<String>> {
        doctor::repair_store(&self.store, &test_author(), &self.clock)
    }

    fn journal_check(&self) -> doctor::DoctorCheck {
        let checks = doctor::examine_store(&self.store, &self.clock).unwrap();
        let mut found = checks.into_iter().filter(|check| check.name == "Journal");
        found.next().unwrap()
    }
}

fn assert_whole(snapshot: &Snapshot, what: &str) {
    let (a, b) = (snapshot.get("bd-a").unwrap(), snapshot.get("bd-b").unwrap());
    assert_eq!(
        (a.title.as_str(), a.notes.as_str(), a.priority),
        ("First", "of the first", 0),
        "{what}"
    );
    assert!(b.has_label("l"), "{what}");
}

#[test]
fn a_damaged_line_is_skipped_and_later_changes_of_its_bead_are_merged() {
    let (place, lines) = build_changed_store();
    let mut damaged = lines.clone();
    damaged[0][200] ^= 0x11;
    place.set_journal(&damaged);
    assert_eq!(place.journal_check().level, doctor::CheckLevel::Error);
    place.store.fold(&place.clock).unwrap();
    let notices = place.store.reports.take_notices();
    let says = |notice: &String| {
        notice.contains("1 damaged line inside")
            && notice.contains("what it did to bd-a is not in the beads")
    };
    assert!(notices.iter().any(says), "{notices:?}");
    assert_eq!(place.aside(), damaged[0]);
    assert_eq!(place.text("journal.jsonl"), "");
    let snapshot = place.store.snapshot().unwrap();
    let bead = snapshot.get("bd-a").unwrap();
    assert_eq!((bead.title.as_str(), bead.priority), ("x", 0));
    assert!(snapshot.get("bd-b").unwrap().has_label("l"));
    assert_eq!(place.journal_check().level, doctor::CheckLevel::Warning);
}

#[test]
fn a_change_only_in_a_damaged_line_is_named_and_restored_by_doctor() {
    let (place, lines) = build_changed_store();
    let mut damaged = lines.clone();
    // The damage is in the time of the event, so the record itself is intact.
    let at = lines[1]
        .windows(5)
        .position(|part| part == b"\"at\":")
        .unwrap();
    damaged[1][at + 8] ^= 0x11;
    place.set_journal(&damaged);
    let snapshot = place.store.snapshot().unwrap();
    assert!(!snapshot.get("bd-b").unwrap().has_label("l"));
    assert_eq!(snapshot.get("bd-a").unwrap().title, "First");
    assert!(
        place
            .store
            .reports
            .take_notices()
            .iter()
            .any(|notice| notice.contains("1 line inside is damaged"))
    );
    place.store.fold(&place.clock).unwrap();
    let notices = place.store.reports.take_notices();
    assert!(
        notices[0].contains("what it did to bd-b is not in the beads"),
        "{notices:?}"
    );
    let check = place.journal_check();
    assert_eq!(check.level, doctor::CheckLevel::Warning);
    assert!(
        check.detail[0].ends_with("what was done to bd-b"),
        "{check:?}"
    );
    assert!(check.fix.unwrap().contains("bd doctor --fix"));
    let mended = place.repair().unwrap();
    assert!(mended[0].starts_with("bd-b is as"), "{mended:?}");
    assert_whole(&place.store.snapshot().unwrap(), "mended");
    assert_eq!(place.journal_check().level, doctor::CheckLevel::Ok);
}

#[test]
fn unreadable_changes_are_reported_missing_until_their_file_is_moved_away() {
    let (place, lines) = build_changed_store();
    let mut damaged = lines.clone();
    let at = lines[1]
        .windows(7)
        .position(|part| part == b"\"line\":")
        .unwrap();
    damaged[1][at + 30] ^= 0x11;
    place.set_journal(&damaged);
    let mended = place.repair().unwrap();
    assert!(
        mended.iter().all(|line| !line.contains("bd-b")),
        "{mended:?}"
    );
    assert!(
        !place
            .store
            .snapshot()
            .unwrap()
            .get("bd-b")
            .unwrap()
            .has_label("l")
    );
    let check = place.journal_check();
    assert_eq!(check.level, doctor::CheckLevel::Warning, "{check:?}");
    assert!(check.fix.unwrap().contains("acknowledged.jsonl"));
    fs::remove_dir_all(place.dir.join("damaged")).unwrap();
    assert_eq!(place.journal_check().level, doctor::CheckLevel::Ok);
}

#[test]
fn a_complete_but_damaged_last_line_is_treated_as_acknowledged() {
    let (place, lines) = build_changed_store();
    let mut damaged = lines.clone();
    damaged[2][40] ^= 0x11;
    place.set_journal(&damaged);
    place.make("Next");
    let notices = place.store.reports.take_notices();
    assert!(
        notices[0].contains("what it did to bd-a is not in the beads"),
        "{notices:?}"
    );
    assert_eq!(
        place.store.snapshot().unwrap().get("bd-a").unwrap().title,
        "First"
    );
    assert_eq!(place.aside(), damaged[2]);
}
