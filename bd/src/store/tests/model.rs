//! Random transactions against a simple model.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::Place;
use crate::bead::Bead;
use crate::change::{self, New};
use kit::sys::file;

#[derive(Debug, Clone)]
enum Act {
    Create(u8, bool),
    Title(u8, String),
    Label(u8, u8),
    Close(u8),
    Delete(u8),
    Fail(u8),
    Garbage,
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        4 => (0u8..12, any::<bool>()).prop_map(|(id, wisp)| Act::Create(id, wisp)),
        3 => (0u8..12, "[a-z][a-z<>&é\u{2028} ]{0,11}").prop_map(|(id, title)| Act::Title(id, title)),
        2 => (0u8..12, 0u8..4).prop_map(|(id, label)| Act::Label(id, label)),
        1 => (0u8..12).prop_map(Act::Close),
        1 => (0u8..12).prop_map(Act::Delete),
        1 => (0u8..12).prop_map(Act::Fail),
        1 => Just(Act::Garbage),
    ]
}

/// What a bead should be: title, labels, whether it is closed; `None` where it was deleted.
type Model = BTreeMap<String, Option<(String, Vec<String>, bool)>>;

fn perform(place: &Place, model: &mut Model, act: &Act) {
    let id = |number: &u8| format!("bd-x{number}");
    let live = |model: &Model, id: &str| model.get(id).is_some_and(Option::is_some);
    match act {
        Act::Create(number, wisp) => {
            let new = New {
                id: Some(id(number)),
                title: "new".into(),
                ephemeral: *wisp,
                ..New::default()
            };
            let made = place.change(|tx| Ok(change::create(tx, new)?)).is_ok();
            assert_eq!(made, !live(model, &id(number)));
            if made {
                model.insert(id(number), Some(("new".into(), Vec::new(), false)));
            }
        }
        Act::Title(number, title) => {
            let set = |bead: &mut Bead| bead.title.clone_from(title);
            let done = place
                .change(|tx| Ok(change::amend(tx, &id(number), set)?))
                .is_ok();
            assert_eq!(done, live(model, &id(number)));
            if let Some(Some(known)) = model.get_mut(&id(number)) {
                known.0.clone_from(title);
            }
        }
        Act::Label(number, label) => {
            let label = format!("l{label}");
            place
                .change(|tx| Ok(change::add_label(tx, &id(number), &label)?))
                .ok();
            if let Some(Some(known)) = model.get_mut(&id(number)) {
                known.1.push(label);
                known.1.sort();
                known.1.dedup();
            }
        }
        Act::Close(number) => {
            place
                .change(|tx| Ok(change::close(tx, &id(number), "done", "", false)?))
                .ok();
            if let Some(Some(known)) = model.get_mut(&id(number)) {
                known.2 = true;
            }
        }
        Act::Delete(number) => {
            place
                .change(|tx| Ok(change::delete(tx, &id(number), "", false)?))
                .ok();
            if let Some(known) = model.get_mut(&id(number)) {
                *known = None;
            }
        }
        Act::Fail(number) => fail(place, &id(number)),
        Act::Garbage => garbage(place),
    }
}

fn fail(place: &Place, id: &str) {
    let result: anyhow::Result<()> = place.change(|tx| {
        change::amend(tx, id, |bead| bead.title = "never".into()).ok();
        anyhow::bail!("no")
    });
    assert!(result.is_err());
}

fn garbage(place: &Place) {
    use std::io::Write;
    let mut journal = file::open_append(&place.dir.join("journal.jsonl"), 0o644).unwrap();
    journal.write_all(b"{\"tx\":\"torn").unwrap();
}

proptest! {
    #![proptest_config(super::cases(24))]

    #[test]
    fn random_transactions_are_what_a_simple_model_says(acts in proptest::collection::vec(act(), 1..20)) {
        let place = Place::new();
        let mut model = Model::new();
        for act in &acts {
            perform(&place, &mut model, act);
        }
        let snapshot = place.store.snapshot().unwrap();
        let found: Vec<_> = snapshot
            .live()
            .map(|bead| (bead.id.clone(), (bead.title.clone(), bead.labels.clone(), !bead.is_open())))
            .collect();
        let wanted: Vec<_> = model.into_iter().filter_map(|(id, known)| Some((id, known?))).collect();
        prop_assert_eq!(found, wanted);
        // A rewrite of everything that changes nothing leaves the same bytes.
        let before = place.text("issues.jsonl");
        place.make("Last");
        prop_assert!(before.is_empty() || before.ends_with('\n'));
        for line in before.lines() {
            prop_assert!(place.text("issues.jsonl").contains(line));
        }
    }
}
