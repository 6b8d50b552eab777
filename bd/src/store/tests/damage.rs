//! Journals with damaged lines inside: what came after them counts, and what is missing is told.

use std::fs;

use super::{Place, author, line};
use crate::change;
use crate::doctor;
use crate::store::{Snapshot, history, upkeep};

/// Two beads and three changes in the journal: of the first, the second and the first again.
fn changed() -> (Place, Vec<Vec<u8>>) {
    let place = Place::with_issues(&format!("{}\n{}\n", line("bd-a", "x"), line("bd-b", "y")));
    place.store.snapshot().unwrap();
    let deferred = place.deferring();
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

impl Place {
    fn set_journal(&self, lines: &[Vec<u8>]) {
        fs::write(self.dir.join("journal.jsonl"), lines.concat()).unwrap();
    }

    fn aside(&self) -> Vec<u8> {
        let files = fs::read_dir(self.dir.join("damaged")).unwrap();
        let texts = files.map(|file| fs::read(file.unwrap().path()).unwrap());
        texts.collect::<Vec<_>>().concat()
    }

    fn mend(&self) -> anyhow::Result<Vec<String>> {
        doctor::mend(&self.store, &author(), &self.clock)
    }

    fn journal_check(&self) -> doctor::Check {
        let checks = doctor::examine(&self.store, &self.clock).unwrap();
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
fn with_any_byte_of_a_line_damaged_the_later_change_of_the_same_bead_has_all_of_it() {
    let (place, lines) = changed();
    for at in 0..lines[0].len() - 1 {
        let mut damaged = lines.clone();
        damaged[0][at] ^= 0x11;
        if damaged[0][at] == b'\n' {
            continue;
        }
        place.set_journal(&damaged);
        assert_whole(&place.store.snapshot().unwrap(), &format!("byte {at}"));
    }
    // A sector of zeros shows nothing.
    let mut damaged = lines.clone();
    let end = lines[0].len() - 1;
    damaged[0][..end].fill(0);
    place.set_journal(&damaged);
    assert_whole(&place.store.snapshot().unwrap(), "zeros");
}

#[test]
fn a_fold_over_a_damaged_line_tells_keeps_its_bytes_and_writes_down_what_it_did() {
    let (place, lines) = changed();
    let mut damaged = lines.clone();
    damaged[0][200] ^= 0x11;
    place.set_journal(&damaged);
    assert_eq!(place.journal_check().level, doctor::Level::Error);
    place.store.fold(&place.clock).unwrap();
    let told = place.store.take_notices();
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(
        told[0].contains("1 damaged line inside")
            && told[0].contains("the change after it has all of bd-a")
            && !told[0].contains("is not in the beads"),
        "{told:?}"
    );
    assert_eq!(place.aside(), damaged[0]);
    assert_eq!(place.text("journal.jsonl"), "");
    assert_whole(&place.store.snapshot().unwrap(), "folded");
    // History has a step from what was there to what the later change was made to.
    let events = place.store.events_of("bd-a").unwrap();
    let verbs: Vec<&str> = events.iter().map(|event| event.verb.as_str()).collect();
    assert_eq!(verbs, [history::RECOVERED, ""]);
    let step = &events[0].changes[0];
    let (old, new) = (step.old.as_ref().unwrap(), step.new.as_ref().unwrap());
    assert_eq!(
        (old.get("title"), new.get("title")),
        (Some(r#""x""#), Some(r#""First""#))
    );
    assert_eq!(new.get("priority"), None);
    assert!(place.store.rolled_back().unwrap().is_empty());
    assert_eq!(place.journal_check().level, doctor::Level::Ok);
    // It can be taken back like any other.
    place
        .change(|tx| Ok(change::undo(tx, &events[0])?))
        .unwrap();
    let snapshot = place.store.snapshot().unwrap();
    let bead = snapshot.get("bd-a").unwrap();
    assert_eq!((bead.title.as_str(), bead.priority), ("x", 0));
}

#[test]
fn a_change_that_no_later_one_has_is_named_and_brought_back_by_the_doctor() {
    let (place, lines) = changed();
    let mut damaged = lines.clone();
    // In the time of the event: the record itself is whole.
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
        upkeep::notices()
            .iter()
            .any(|told| told.contains("1 line inside is damaged"))
    );
    place.store.fold(&place.clock).unwrap();
    let told = place.store.take_notices();
    assert!(
        told[0].contains("what it did to bd-b is not in the beads"),
        "{told:?}"
    );
    let check = place.journal_check();
    assert_eq!(check.level, doctor::Level::Warning);
    assert!(
        check.detail[0].ends_with("what was done to bd-b"),
        "{check:?}"
    );
    assert!(check.fix.unwrap().contains("bd doctor --fix"));
    let mended = place.mend().unwrap();
    assert!(mended[0].starts_with("bd-b is as"), "{mended:?}");
    assert_whole(&place.store.snapshot().unwrap(), "mended");
    assert_eq!(place.journal_check().level, doctor::Level::Ok);
}

#[test]
fn what_cannot_be_read_of_a_damaged_line_is_said_to_be_missing_until_the_file_is_moved_away() {
    let (place, lines) = changed();
    let mut damaged = lines.clone();
    let at = lines[1]
        .windows(7)
        .position(|part| part == b"\"line\":")
        .unwrap();
    damaged[1][at + 30] ^= 0x11;
    place.set_journal(&damaged);
    let mended = place.mend().unwrap();
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
    assert_eq!(check.level, doctor::Level::Warning, "{check:?}");
    assert!(check.fix.unwrap().contains("acknowledged.jsonl"));
    fs::remove_dir_all(place.dir.join("damaged")).unwrap();
    assert_eq!(place.journal_check().level, doctor::Level::Ok);
}

#[test]
fn a_whole_last_line_that_is_damaged_may_have_been_acknowledged() {
    let (place, lines) = changed();
    let mut damaged = lines.clone();
    damaged[2][40] ^= 0x11;
    place.set_journal(&damaged);
    place.make("Next");
    let told = place.store.take_notices();
    assert!(
        told[0].contains("what it did to bd-a is not in the beads"),
        "{told:?}"
    );
    assert_eq!(
        place.store.snapshot().unwrap().get("bd-a").unwrap().title,
        "First"
    );
    assert_eq!(place.aside(), damaged[2]);
}

#[test]
fn damage_under_the_index_is_found_by_the_fold_and_nothing_damaged_gets_into_the_file() {
    let (place, lines) = changed();
    place
        .store
        .index_journal(|behind, _| behind.bytes > 0)
        .unwrap();
    let mut damaged = lines.clone();
    let at = lines[1]
        .windows(7)
        .position(|part| part == b"\"title\"")
        .unwrap();
    damaged[1][at + 9] ^= 0x11;
    // In place, as a disk does it.
    place.set_journal(&damaged);
    let snapshot = place.store.snapshot().unwrap();
    assert!(snapshot.get("bd-b").is_none());
    let failure = snapshot.failure().unwrap_err();
    assert!(failure.to_string().contains("bd-b"), "{failure}");
    assert_eq!(
        place.store.snapshot().unwrap().get("bd-b").unwrap().title,
        "y"
    );
    // The same where nobody read it before the fold.
    place.set_journal(&lines);
    place
        .store
        .index_journal(|behind, _| behind.bytes > 0)
        .unwrap();
    place.set_journal(&damaged);
    place.store.fold(&place.clock).unwrap();
    let told = place.store.take_notices();
    assert!(
        told[0].contains("what it did to bd-b is not in the beads"),
        "{told:?}"
    );
    let text = place.text("issues.jsonl");
    assert!(
        text.contains(&line("bd-b", "y")) && text.contains("First"),
        "{text}"
    );
}

#[test]
fn a_change_from_outside_that_gives_way_to_a_bridged_bead_is_in_history() {
    let (place, lines) = changed();
    let mut damaged = lines.clone();
    damaged[0][300] ^= 0x11;
    place.set_journal(&damaged);
    let theirs = format!(
        "{}\n{}\n",
        line("bd-a", "theirs"),
        line("bd-b", "theirs too")
    );
    place.goes_back_to(&theirs);
    place.store.fold(&place.clock).unwrap();
    let snapshot = place.store.snapshot().unwrap();
    assert_eq!(snapshot.get("bd-a").unwrap().title, "First");
    assert_eq!(snapshot.get("bd-b").unwrap().title, "theirs too");
    assert!(snapshot.get("bd-b").unwrap().has_label("l"));
    let events = place.store.events_of("bd-a").unwrap();
    let old = events[0].changes[0].old.as_ref().unwrap();
    assert_eq!(old.get("title"), Some(r#""theirs""#));
}
