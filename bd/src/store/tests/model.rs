//! Random transactions compared with a simple model.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::StoreFixture;
use crate::bead::Bead;
use crate::change::{self, NewBead};
use kit::sys::file;

#[derive(Debug, Clone)]
enum ModelAction {
    Create(u8, bool),
    Title(u8, String),
    Label(u8, u8),
    Close(u8),
    Delete(u8),
    Fail(u8),
    Garbage,
}

fn any_action() -> impl Strategy<Value = ModelAction> {
    prop_oneof![
        4 => (0u8..12, any::<bool>()).prop_map(|(id, wisp)| ModelAction::Create(id, wisp)),
        3 => (0u8..12, "[a-z][a-z<>&é\u{2028} ]{0,11}").prop_map(|(id, title)| ModelAction::Title(id, title)),
        2 => (0u8..12, 0u8..4).prop_map(|(id, label)| ModelAction::Label(id, label)),
        1 => (0u8..12).prop_map(ModelAction::Close),
        1 => (0u8..12).prop_map(ModelAction::Delete),
        1 => (0u8..12).prop_map(ModelAction::Fail),
        1 => Just(ModelAction::Garbage),
    ]
}

/// The expected title, labels and closed state of each bead; `None` for a deleted bead.
type ExpectedBeads = BTreeMap<String, Option<(String, Vec<String>, bool)>>;

fn perform_action(place: &StoreFixture, model: &mut ExpectedBeads, act: &ModelAction) {
    let id = |number: &u8| format!("bd-x{number}");
    let live = |model: &ExpectedBeads, id: &str| model.get(id).is_some_and(Option::is_some);
    match act {
        ModelAction::Create(number, wisp) => {
            let new = NewBead {
                id: Some(id(number)),
                title: "new".into(),
                ephemeral: *wisp,
                ..NewBead::default()
            };
            let made = place.change(|tx| Ok(change::create_bead(tx, new)?)).is_ok();
            assert_eq!(made, !live(model, &id(number)));
            if made {
                model.insert(id(number), Some(("new".into(), Vec::new(), false)));
            }
        }
        ModelAction::Title(number, title) => {
            let set = |bead: &mut Bead| bead.title.clone_from(title);
            let done = place
                .change(|tx| Ok(change::amend_bead(tx, &id(number), set)?))
                .is_ok();
            assert_eq!(done, live(model, &id(number)));
            if let Some(Some(known)) = model.get_mut(&id(number)) {
                known.0.clone_from(title);
            }
        }
        ModelAction::Label(number, label) => {
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
        ModelAction::Close(number) => {
            place
                .change(|tx| Ok(change::close_bead(tx, &id(number), "done", "", false)?))
                .ok();
            if let Some(Some(known)) = model.get_mut(&id(number)) {
                known.2 = true;
            }
        }
        ModelAction::Delete(number) => {
            place
                .change(|tx| Ok(change::delete_bead(tx, &id(number), "", false)?))
                .ok();
            if let Some(known) = model.get_mut(&id(number)) {
                *known = None;
            }
        }
        ModelAction::Fail(number) => fail_transaction(place, &id(number)),
        ModelAction::Garbage => append_garbage(place),
    }
}

fn fail_transaction(place: &StoreFixture, id: &str) {
    let result: anyhow::Result<()> = place.change(|tx| {
        change::amend_bead(tx, id, |bead| bead.title = "never".into()).ok();
        anyhow::bail!("no")
    });
    assert!(result.is_err());
}

fn append_garbage(place: &StoreFixture) {
    use std::io::Write;
    let mut journal = file::open_append(&place.dir.join("journal.jsonl"), 0o644).unwrap();
    journal.write_all(b"{\"tx\":\"torn").unwrap();
}

proptest! {
    #![proptest_config(super::property_cases(24))]

    #[test]
    fn random_transactions_agree_with_a_simple_model(acts in proptest::collection::vec(any_action(), 1..20)) {
        let place = StoreFixture::new();
        let mut model = ExpectedBeads::new();
        for act in &acts {
            perform_action(&place, &mut model, act);
        }
        let snapshot = place.store.snapshot().unwrap();
        let found: Vec<_> = snapshot
            .live()
            .map(|bead| (bead.id.clone(), (bead.title.clone(), bead.labels.clone(), !bead.is_open())))
            .collect();
        let wanted: Vec<_> = model.into_iter().filter_map(|(id, known)| Some((id, known?))).collect();
        prop_assert_eq!(found, wanted);
        // A rewrite without a change leaves the same bytes.
        let before = place.text("issues.jsonl");
        place.make("Last");
        prop_assert!(before.is_empty() || before.ends_with('\n'));
        for line in before.lines() {
            prop_assert!(place.text("issues.jsonl").contains(line));
        }
    }
}
