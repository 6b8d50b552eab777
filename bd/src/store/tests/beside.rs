//! An index is made while others write.

use super::*;
use crate::store::reindex::{self, Prepared};
use crate::sys::file;

/// A store with a folded bead and one in the journal.
fn started() -> (Place, Place) {
    let place = Place::new();
    place.make("Folded");
    let writer = place.deferring();
    assert_eq!(place.store.snapshot().unwrap().live().count(), 1);
    writer.make("Taken");
    (place, writer)
}

fn prepare(place: &Place) -> Option<Prepared> {
    reindex::prepare(&place.store, |behind, _| behind.bytes > 0).unwrap()
}

fn index(place: &Place) -> Vec<u8> {
    fs::read(place.dir.join("index.bin")).unwrap()
}

fn titles(place: &Place) -> Vec<String> {
    let snapshot = place.store.snapshot().unwrap();
    let mut titles: Vec<String> = snapshot.live().map(|bead| bead.title.clone()).collect();
    titles.sort();
    titles
}

#[test]
fn what_others_wrote_meanwhile_is_read_behind_the_new_index() {
    let (place, writer) = started();
    let (old, prepared) = (index(&place), prepare(&place).unwrap());
    writer.make("Meanwhile");
    assert!(prepare(&place).is_none(), "one at a time");
    prepared.put();
    assert_ne!(index(&place), old);
    assert_eq!(titles(&place), ["Folded", "Meanwhile", "Taken"]);
    // The journal is behind it again.
    prepare(&place).unwrap().put();
    assert!(prepare(&place).is_none(), "nothing is left to take");
    assert_eq!(titles(&place), ["Folded", "Meanwhile", "Taken"]);
}

#[test]
fn it_is_not_used_where_an_entry_was_cut_off_and_another_stands_in_its_place() {
    let (place, _) = started();
    let (old, prepared) = (index(&place), prepare(&place).unwrap());
    let journal = place.dir.join("journal.jsonl");
    let written = place.text("journal.jsonl");
    // In place, as a failed append is cut off and the next one follows.
    let other = written.replace("Taken", "Other");
    assert_eq!(other.len(), written.len());
    fs::write(&journal, &other).unwrap();
    prepared.put();
    assert_eq!(index(&place), old);
    // And where nothing stands there.
    fs::write(&journal, &written).unwrap();
    let prepared = prepare(&place).unwrap();
    fs::write(&journal, "").unwrap();
    prepared.put();
    assert_eq!(index(&place), old);
    assert_eq!(titles(&place), ["Folded"]);
}

#[test]
fn it_is_not_used_after_a_fold_or_over_another_index() {
    let (place, writer) = started();
    let prepared = prepare(&place).unwrap();
    writer.store.fold(&writer.clock).unwrap();
    let folded = index(&place);
    prepared.put();
    assert_eq!(index(&place), folded);
    assert_eq!(titles(&place), ["Folded", "Taken"]);
    writer.make("Later");
    let prepared = prepare(&place).unwrap();
    file::remove(&place.dir.join("index.bin")).unwrap();
    assert_eq!(titles(&place), ["Folded", "Later", "Taken"]);
    let made = index(&place);
    prepared.put();
    assert_eq!(index(&place), made);
    let left = fs::read_dir(&place.dir).unwrap();
    let left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
    let is_left = |name: &std::ffi::OsString| name.to_string_lossy().starts_with(".tmp-");
    assert!(!left.iter().any(is_left), "{left:?}");
}
