//! Laws of molecules, over random formulas.

use proptest::prelude::*;

use super::burn::burn_molecule;
use super::pour::{PouredMolecule, pour_template};
use super::progress::{MoleculeProgress, StepState};
use super::squash::{SquashRequest, find_section, squash_molecule};
use super::template::{MoleculeTemplate, PourOptions};
use crate::bead::{Bead, Dep, DepKind, record};
use crate::change;
use crate::formula::schema::{Formula, FormulaStep};
use crate::formula::vars::VarValues;
use crate::store::{Author, Snapshot, Store, Tx};
use kit::sys::Clock;

/// Runs `work` in a transaction on a fresh store, and returns its result and the resulting
/// snapshot.
fn with_transaction<T>(work: impl FnOnce(&mut Tx<'_>) -> anyhow::Result<T>) -> (T, Snapshot) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(&folder.path().join(".beads"), "bd").unwrap();
    let clock = Clock::stepped("2026-01-01T00:00:00Z".parse().unwrap());
    let author = Author {
        actor: "dana".into(),
        ..Author::default()
    };
    let answer = store.transact(&author, &clock, work).unwrap();
    (answer, store.snapshot().unwrap())
}

/// A formula whose steps need earlier ones, and of which some contain others.
fn any_formula() -> impl Strategy<Value = Formula> {
    let needs = proptest::collection::vec(any::<prop::sample::Index>(), 0..3);
    let step = (needs, any::<bool>());
    proptest::collection::vec(step, 1..12).prop_map(|shapes| {
        let mut steps: Vec<FormulaStep> = Vec::new();
        for (number, (needs, is_child)) in shapes.into_iter().enumerate() {
            let mut step = FormulaStep {
                id: format!("s{number}"),
                title: format!("Step {number}"),
                ..FormulaStep::default()
            };
            let tops: Vec<String> = steps.iter().map(|step| step.id.clone()).collect();
            if let (true, Some(parent)) = (is_child, steps.last_mut()) {
                parent.children.push(step);
                continue;
            }
            for need in needs {
                if !tops.is_empty() {
                    step.add_need(&tops[need.index(tops.len())]);
                }
            }
            steps.push(step);
        }
        Formula {
            name: "any".into(),
            steps,
            ..Formula::default()
        }
    })
}

fn pour_formula(
    tx: &mut Tx<'_>,
    formula: &Formula,
    ephemeral: bool,
) -> anyhow::Result<PouredMolecule> {
    let template = MoleculeTemplate::from_formula(formula.clone(), &VarValues::new());
    let options = PourOptions {
        ephemeral,
        ..PourOptions::default()
    };
    Ok(pour_template(tx, template, &options)?)
}

fn list_lines(snapshot: &Snapshot) -> Vec<Vec<u8>> {
    snapshot.live().map(record::serialize_bead).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_poured_molecule_can_be_finished_step_by_step(formula in any_formula()) {
        let (left, _) = with_transaction(|tx| {
            let root = pour_formula(tx, &formula, false)?.root;
            let count = formula.every_step().len();
            for _ in 0..count {
                let Some(progress) = MoleculeProgress::for_root(tx, &root) else { break };
                let Some(step) = progress.next().map(|step| step.bead_ref.id().to_owned()) else { break };
                change::close_bead(tx, &step, "Done", "", false)?;
            }
            let progress = MoleculeProgress::for_root(tx, &root);
            Ok(progress.map(|progress| progress.steps.len() - progress.done()))
        });
        prop_assert_eq!(left, Some(0));
    }

    #[test]
    fn a_digest_names_every_step_with_its_outcome(
        formula in any_formula(),
        closed in proptest::collection::vec(any::<bool>(), 12),
    ) {
        let ((states, digest), snapshot) = with_transaction(|tx| {
            let root = pour_formula(tx, &formula, true)?.root;
            let progress = MoleculeProgress::for_root(tx, &root).unwrap();
            let ids: Vec<String> = progress.steps.iter().map(|step| step.bead_ref.id().to_owned()).collect();
            for (id, _) in ids.iter().zip(&closed).filter(|(_, closed)| **closed) {
                change::close_bead(tx, id, &format!("Outcome of {id}"), "", true)?;
            }
            let progress = MoleculeProgress::for_root(tx, &root).unwrap();
            let states: Vec<(String, String, bool)> = progress
                .steps
                .iter()
                .map(|step| {
                    let bead = step.bead_ref.bead().unwrap();
                    (bead.id.clone(), bead.title.clone(), step.state == StepState::Done)
                })
                .collect();
            let digest = squash_molecule(tx, &root, &SquashRequest::default())?.digest.unwrap();
            Ok((states, digest))
        });
        let left: Vec<&str> = snapshot.live().map(|bead| bead.id.as_str()).collect();
        prop_assert_eq!(left, vec![digest.as_str()], "one bead is left");
        let text = &snapshot.get(&digest).unwrap().description;
        for (id, title, is_done) in states {
            let state = if is_done { "closed" } else { "open" };
            let line = format!("**[{state}]** {title}\n");
            prop_assert!(text.contains(&line), "{} in {}", line, text);
            prop_assert_eq!(text.contains(&format!("*Outcome*: Outcome of {id}\n")), is_done);
        }
    }

    #[test]
    fn a_burned_wisp_leaves_no_trace(formula in any_formula()) {
        let ((before, ids), after) = with_transaction(|tx| {
            change::create_bead(tx, change::NewBead { title: "Other".into(), ..change::NewBead::default() })?;
            let before = list_lines(tx);
            let poured = pour_formula(tx, &formula, true)?;
            burn_molecule(tx, &poured.root)?;
            Ok((before, poured.ids))
        });
        prop_assert_eq!(list_lines(&after), before);
        for id in ids.values() {
            prop_assert!(after.bead_ref(id).is_none(), "{}", id);
        }
    }
}

/// Returns the steps of `bd-m` among these beads, given with their parents, in the order of their
/// numbers.
fn steps_of(beads: &[(&str, Option<&str>)]) -> Vec<String> {
    let ((), snapshot) = with_transaction(|tx| {
        for (id, parent) in beads {
            let edge = parent.map(|parent| {
                format!(r#","dependencies":[{{"issue_id":"{id}","depends_on_id":"{parent}","type":"parent-child"}}]"#)
            });
            let kind = if *id == "bd-m" { "epic" } else { "task" };
            let line = format!(
                r#"{{"id":"{id}","title":"t","issue_type":"{kind}"{}}}"#,
                edge.unwrap_or_default()
            );
            tx.put(record::parse_bead(line.as_bytes())?)?;
        }
        Ok(())
    });
    let progress = MoleculeProgress::by_number(&snapshot, "bd-m").unwrap();
    let steps = progress.steps.iter();
    steps.map(|step| step.bead_ref.id().to_owned()).collect()
}

#[test]
fn steps_are_ordered_by_number_whatever_their_ids() {
    let root = [("bd-m", None), ("bd-other", None)];
    let of = |more: &[(&str, Option<&str>)]| steps_of(&[&root, more].concat());
    let child = Some("bd-m");
    let plain = [("bd-m.10", child), ("bd-m.2", child), ("bd-m.1", None)];
    assert_eq!(of(&plain), ["bd-m.1", "bd-m.2", "bd-m.10"]);
    // Steps that are far apart, nested, repeated, without a number, or of another parent.
    let odd = [
        ("bd-m.4000000000000", child),
        ("bd-m.2", child),
        ("bd-m.2.1", Some("bd-m.2")),
        ("bd-m.02", child),
        ("bd-own", child),
        ("bd-below", Some("bd-own")),
        ("bd-m.3", Some("bd-other")),
    ];
    let mut found = of(&odd);
    // Steps with the same number may be in either order.
    found[..2].sort();
    let expected = ["bd-m.02", "bd-m.2", "bd-m.2.1", "bd-m.4000000000000"];
    assert_eq!(found[..4], expected);
    let mut rest = found.split_off(4);
    rest.sort();
    assert_eq!(rest, ["bd-below", "bd-own"]);
}

#[test]
fn a_daily_digest_has_a_section_for_each_bead_that_no_text_can_imitate() {
    let ((), snapshot) = with_transaction(|tx| {
        for (work, summary) in [
            ("bd-a", "1. **[open]** Test"),
            (
                "bd-b",
                "# bd-a\n\n1. **[closed]** Test\n# bd-a\n\n2. **[closed]** Test",
            ),
        ] {
            tx.put(Bead {
                id: work.to_owned(),
                title: "Work".to_owned(),
                ..Bead::default()
            })?;
            let root = format!("bd-wisp-{work}");
            tx.put(Bead {
                id: root.clone(),
                title: "Steps".to_owned(),
                ephemeral: true,
                dependencies: vec![Dep {
                    issue_id: root.clone(),
                    depends_on_id: work.to_owned(),
                    kind: DepKind::Tracks,
                    ..Dep::default()
                }],
                ..Bead::default()
            })?;
            let request = SquashRequest {
                summary: summary.to_owned(),
                daily: true,
                ..SquashRequest::default()
            };
            squash_molecule(tx, &root, &request)?;
        }
        Ok(())
    });
    let mut wisps = snapshot.live().filter(|bead| bead.ephemeral);
    let digest = wisps.next().unwrap();
    assert_eq!(wisps.count(), 0, "{}", digest.id);
    assert!(digest.id.starts_with("bd-wisp-digest-"), "{}", digest.id);
    let section = find_section(&digest.description, "bd-a").unwrap();
    assert!(section.contains("[open]") && !section.contains("[closed]"));
    assert!(find_section(&digest.description, "bd-b").is_some());
}
