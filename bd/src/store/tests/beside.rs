//! An index is made while others write.

use super::*;
use crate::store::index::{Index, Keys};
use crate::store::reindex::{self, Behind, Prepared};
use crate::store::source;
use crate::sys::file;

/// Makes the index anew, over issues that were not changed just now: it is in no doubt, and stays.
fn settle(place: &Place) {
    let issues = fs::File::options()
        .append(true)
        .open(place.dir.join("issues.jsonl"));
    let long_ago = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_hours(1);
    issues.unwrap().set_modified(long_ago).unwrap();
    place.store.snapshot().unwrap();
}

/// A store with a folded bead and one in the journal.
fn started() -> (Place, Place) {
    let place = Place::new();
    place.make("Folded");
    settle(&place);
    let writer = place.deferring();
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
fn an_index_that_reading_makes_sure_of_is_replaced_all_the_same() {
    let (place, _) = started();
    let path = place.dir.join("index.bin");
    let old = Index::open(&path).unwrap();
    let keys = Keys {
        made: source::modified(&old.keys().issues) + 1,
        ..old.keys()
    };
    fs::write(&path, old.copy_with(&keys).unwrap().bytes()).unwrap();
    prepare(&place).unwrap().put();
    assert!(prepare(&place).is_none(), "nothing is left to take");
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

/// Between its reading of the journal and its end a removal is cut off, whose sync failed, and a change of another
/// bead is acknowledged in its place.
#[test]
fn what_it_was_made_from_is_what_counts_and_not_what_the_journal_says_when_it_is_done() {
    let place = Place::new();
    let (kept, changed) = (place.make("Kept"), place.make("Before"));
    settle(&place);
    let old = index(&place);
    let writer = place.deferring();
    let journal = place.dir.join("journal.jsonl");
    let written = |work: &dyn Fn(&mut Tx<'_>) -> anyhow::Result<()>| {
        fs::write(&journal, "").unwrap();
        writer.change(|tx| work(tx)).unwrap();
        fs::read(&journal).unwrap()
    };
    let removal = written(&|tx| Ok(tx.erase(&kept)?));
    let change = written(&|tx| {
        let mut bead = tx.get(&changed).cloned().unwrap();
        bead.title = "Acknowledged, and longer than the removal was".into();
        Ok(tx.put(bead)?)
    });
    assert!(change.len() > removal.len());
    fs::write(&journal, &removal).unwrap();
    let meanwhile = |_: Behind, _| {
        fs::write(&journal, &change).unwrap();
        true
    };
    let prepared = reindex::prepare(&place.store, meanwhile).unwrap().unwrap();
    prepared.put();
    assert_eq!(index(&place), old);
    let now = titles(&place);
    assert_eq!(
        now,
        ["Acknowledged, and longer than the removal was", "Kept"]
    );
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
    settle(&place);
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
