//! Ends molecules, with submitted work or by hand.

use bd::change;
use bd::molecule::squash::SquashRequest;
use bd::molecule::{burn as burning, squash as squashing};
use bd::store::{Snapshot, Tx};
use serde::Serialize;

use super::attach;
use crate::record::molecule::{self, Molecule};
use crate::town::Town;
use crate::town::event::event;

/// Refuses to submit work because steps of its molecule are open.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} of molecule {molecule} {}: {}", kit::ui::counted(steps.len(), "step"), if steps.len() == 1 { "is open" } else { "are open" }, steps.join(", "))]
pub struct OpenStepsError {
    pub molecule: String,
    /// The open steps with their titles.
    pub steps: Vec<String>,
}

/// Refuses to submit work with open steps, unless its formula or the worker closes them.
pub fn check_steps_closed(
    beads: &Snapshot,
    bead: &str,
    closes: bool,
) -> Result<(), OpenStepsError> {
    let Some(found) = molecule::find_own_molecule(beads, bead) else {
        return Ok(());
    };
    let steps: Vec<String> = found
        .open_steps()
        .map(|step| {
            format!(
                "{} \"{}\"",
                step.id,
                kit::ui::escape::escape_line(&step.title)
            )
        })
        .collect();
    if steps.is_empty() || closes || found.closes_steps {
        return Ok(());
    }
    Err(OpenStepsError {
        molecule: found.id,
        steps,
    })
}

/// The ending of a molecule.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct MoleculeEnding {
    pub molecule: String,
    /// The digest that replaced the wisps.
    pub digest: Option<String>,
    /// The number of completed steps.
    pub done: usize,
    pub total: usize,
}

/// Ends the molecule of submitted work. Wisps become one digest that lists open steps as open. The
/// open steps of a durable molecule are closed as skipped.
pub fn conclude_molecule(tx: &mut Tx<'_>, bead: &str) -> anyhow::Result<Option<MoleculeEnding>> {
    let Some(found) = molecule::find_own_molecule(tx, bead) else {
        return Ok(None);
    };
    let mut concluded = MoleculeEnding {
        molecule: found.id.clone(),
        digest: None,
        done: found.count_done(),
        total: found.steps.len(),
    };
    if found.is_wisp {
        let done = squashing::squash_molecule(tx, &found.id, &daily_digest())?;
        concluded.digest = done.digest;
        return Ok(Some(concluded));
    }
    close_open_steps(tx, &found)?;
    if found.id != bead {
        change::close_bead(tx, &found.id, "All steps ended with the work", "", true)?;
    }
    Ok(Some(concluded))
}

/// Ends the wisps of a bead that was closed without a submit: keeps a digest if a step was done.
pub fn discard_molecule(tx: &mut Tx<'_>, bead: &str) -> anyhow::Result<()> {
    match molecule::find_own_molecule(tx, bead) {
        Some(found) if found.is_wisp && found.count_done() > 0 => {
            squashing::squash_molecule(tx, &found.id, &daily_digest())?;
        }
        Some(found) if found.is_wisp => drop(burning::burn_molecule(tx, &found.id)?),
        _ => {}
    }
    Ok(())
}

/// Steps of workers are of no use to other machines, so their digest stays out of git.
fn daily_digest() -> SquashRequest {
    SquashRequest {
        daily: true,
        ..SquashRequest::default()
    }
}

/// Closes the open steps of a durable molecule from the last one on, so that parents follow their
/// children.
fn close_open_steps(tx: &mut Tx<'_>, found: &Molecule) -> anyhow::Result<()> {
    for step in found.open_steps().collect::<Vec<_>>().into_iter().rev() {
        change::close_bead(tx, &step.id, "Skipped: the work was handed in", "", true)?;
    }
    Ok(())
}

/// Returns a bead with the molecule that it owns. A molecule that only a description names is not
/// owned.
fn find_owned(town: &Town, target: &str) -> anyhow::Result<(String, Molecule)> {
    let (bead, found) = attach::find_attached(town, target)?;
    let found = found.ok_or_else(|| anyhow::anyhow!("{bead} has no molecule"))?;
    let home = town.find_bead(&bead)?;
    let own_root = molecule::own_root_of(&home.store.snapshot()?, &bead);
    anyhow::ensure!(
        own_root.as_deref() == Some(found.id.as_str()),
        "{} is only named in the description of {bead}: `gt mol attach {bead} {}` attaches it",
        found.id,
        found.id
    );
    Ok((bead, found))
}

/// Squashes the molecule of a bead or hook.
pub fn squash_molecule(town: &Town, target: &str, summary: &str) -> anyhow::Result<MoleculeEnding> {
    let (bead, found) = find_owned(town, target)?;
    let home = town.find_bead(&found.id)?;
    let concluded = town.transact(&home.store, |tx| {
        let mut concluded = MoleculeEnding {
            molecule: found.id.clone(),
            digest: None,
            done: found.count_done(),
            total: found.steps.len(),
        };
        let request = SquashRequest {
            summary: summary.to_owned(),
            ..daily_digest()
        };
        if !found.is_wisp {
            close_open_steps(tx, &found)?;
            if found.id != bead {
                change::close_bead(tx, &found.id, "Squashed", "", true)?;
            }
        }
        concluded.digest = squashing::squash_molecule(tx, &found.id, &request)?.digest;
        Ok(concluded)
    })?;
    town.record_event(&event!(MoleculeEnded,
        bead: bead, molecule: concluded.molecule, how: "squashed", digest: concluded.digest,
    ));
    Ok(concluded)
}

/// Burns the molecule of a bead or hook. No trace of its wisps remains.
pub fn burn_molecule(town: &Town, target: &str) -> anyhow::Result<(String, usize)> {
    let (bead, found) = find_owned(town, target)?;
    anyhow::ensure!(
        found.id != bead,
        "{bead} is the work itself: `bd mol burn {bead}` removes it"
    );
    let home = town.find_bead(&found.id)?;
    let burned = town.transact(&home.store, |tx| {
        bd::molecule::bond::detach_molecule(tx, &bead)?;
        Ok(burning::burn_molecule(tx, &found.id)?)
    })?;
    town.record_event(&event!(MoleculeEnded, bead: bead, molecule: found.id, how: "burned", digest: None::<String>));
    Ok((found.id, burned.ids.len()))
}
