//! Earlier states of a store.

use jiff::Timestamp;
use serde_json::value::RawValue;

use super::*;
use crate::bead::Comment;

fn describe(snapshot: &Snapshot) -> Vec<String> {
    let beads = snapshot.all().filter(|bead| !bead.ephemeral);
    beads
        .map(|bead| serde_json::to_string(bead).unwrap())
        .collect()
}

#[test]
fn an_earlier_snapshot_has_the_beads_of_that_time() {
    let place = StoreFixture::new();
    let mut then: Vec<(Timestamp, Vec<String>)> = Vec::new();
    let keep = |then: &mut Vec<(Timestamp, Vec<String>)>| {
        let snapshot = place.store.snapshot().unwrap();
        then.push((place.clock.now(), describe(&snapshot)));
    };
    keep(&mut then);
    let (first, second) = (place.make("One"), place.make("Two"));
    keep(&mut then);
    let rename = |id: &str, title: &str| {
        place
            .change(|tx| {
                let mut bead = tx.get(id).cloned().unwrap();
                title.clone_into(&mut bead.title);
                bead.labels.push(title.to_owned());
                Ok(tx.put(bead)?)
            })
            .unwrap();
    };
    rename(&first, "Eins");
    rename(&second, "Zwei");
    keep(&mut then);
    place.change(|tx| Ok(tx.erase(&first)?)).unwrap();
    keep(&mut then);
    rename(&second, "Deux");
    // The last changes are in the journal only.
    let late = place.with_deferred_folds();
    late.make("Three");
    let wisp = NewBead {
        title: "Wisp".into(),
        ephemeral: true,
        ..NewBead::default()
    };
    late.change(|tx| Ok(change::create_bead(tx, wisp)?.id))
        .unwrap();
    for (at, beads) in then {
        let earlier = late.store.snapshot_at(at).unwrap();
        assert_eq!(describe(&earlier), beads, "{at}");
        assert!(earlier.all().all(|bead| !bead.ephemeral));
    }
}

/// Adds comments of 400 bytes to a bead, and one label with the last of them.
fn add_comments(place: &StoreFixture, id: &str, count: usize) {
    for number in 0..count {
        let changed = place.change(|tx| {
            change::add_comment(tx, id, "a", &format!("{number} {}", "ä".repeat(200)))?;
            let mut bead = tx.get(id).cloned().unwrap();
            bead.labels = vec![format!("after-{number}")];
            Ok(tx.put_updated(bead)?)
        });
        changed.unwrap();
    }
}

#[test]
fn history_has_only_the_new_comment_of_many_and_answers_as_with_all() {
    let place = StoreFixture::new();
    let id = place.make("One");
    add_comments(&place, &id, 10);
    let middle = place.text("events.local.jsonl").len();
    let at = place.clock.now();
    let then = place.store.snapshot().unwrap();
    let then = then.get(&id).unwrap();
    add_comments(&place, &id, 20);
    let end = place.text("events.local.jsonl").len();
    assert!(end - middle < 20 * 1500, "{middle}, then {end} bytes");
    let snapshot = place.store.snapshot().unwrap();
    let events = place.store.events_of(&id).unwrap();
    assert_eq!(&snapshot.bead_at(&id, &events, at).unwrap(), then);
    assert_eq!(place.store.snapshot_at(at).unwrap().get(&id).unwrap(), then);
    let last = events.last().unwrap().changes[0].fields();
    let comments = last.iter().find(|field| field.name == "comments").unwrap();
    let count = |side: Option<&RawValue>| -> usize {
        serde_json::from_str::<Vec<Comment>>(side.unwrap().get())
            .unwrap()
            .len()
    };
    assert_eq!((count(comments.old), count(comments.new)), (29, 30));
    let undone = place.change(|tx| Ok(change::undo_event(tx, events.last().unwrap())?));
    assert_eq!(undone.unwrap().changed, std::slice::from_ref(&id));
    let snapshot = place.store.snapshot().unwrap();
    assert_eq!(snapshot.get(&id).unwrap().comments.len(), 29);
    assert_eq!(snapshot.get(&id).unwrap().labels, ["after-18"]);
}
