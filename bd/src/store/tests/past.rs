//! Earlier states of a store.

use jiff::Timestamp;

use super::*;

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
