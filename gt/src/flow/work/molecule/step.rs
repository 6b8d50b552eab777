//! Closes a step from within a session.

use bd::change;
use bd::molecule::progress;
use serde::Serialize;

use crate::flow::agent::handoff::{self, HandoffError, HandoffRequest};
use crate::host::LiveTown;
use crate::record;
use crate::record::molecule::Molecule;
use crate::town::Town;
use crate::town::config::SettingsLayers;
use crate::town::event::event;
use crate::town::identity::Address;

/// The way the molecule goes on after a step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NextAction {
    /// The next step begins.
    Continue,
    /// No other step can begin now.
    #[default]
    NoMoreReady,
    /// All steps are closed.
    Done,
}

/// The result of closing a step.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct StepReport {
    pub step_id: String,
    pub molecule_id: String,
    /// True if the step is closed now.
    pub step_closed: bool,
    /// The step that begins now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_step_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_step_title: Option<String>,
    /// True if all steps are closed.
    pub complete: bool,
    pub action: NextAction,
    /// True if a fresh session continues with the next step.
    pub cycled: bool,
}

/// Closes a step, or the current one, and begins the next. If the step or the setting
/// `molecule.cycle` asks for it, the session is replaced by a fresh one.
pub fn finish_step(
    town: &LiveTown,
    step: Option<&str>,
    reason: &str,
    dry_run: bool,
) -> anyhow::Result<StepReport> {
    let step = match step {
        Some(step) => town.find_bead(step)?.bead.id,
        None => find_current_step(town)?,
    };
    let found = town.find_bead(&step)?;
    let beads = found.store.snapshot()?;
    let root = progress::root_of(&beads, &step)
        .ok_or_else(|| anyhow::anyhow!("{step} is no step of a molecule"))?;
    let is_poured = beads
        .bead_ref(&root)
        .is_some_and(|bead| progress::is_molecule(&bead));
    anyhow::ensure!(
        is_poured,
        "{step} is no step of a molecule: {root} was not poured"
    );
    let hooked = record::hook::find_hooked_bead(town, &town.actor).ok();
    anyhow::ensure!(
        hooked.as_deref() != Some(step.as_str()),
        "{step} is the work on your hook: `gt done` hands it in"
    );
    let before = Molecule::load(&beads, &root);
    drop(beads);
    let mut done = StepReport {
        step_id: step.clone(),
        molecule_id: root,
        ..StepReport::default()
    };
    if dry_run {
        return Ok(done);
    }
    let advance = town.transact(&found.store, |tx| {
        let session = town.author().session;
        change::close_bead(tx, &step, reason, &session, false)?;
        Ok(progress::advance_molecule(tx, &step, true)?)
    })?;
    done.step_closed = true;
    done.complete = advance.is_complete;
    if let Some(next) = &advance.next {
        done.next_step_id = Some(next.id.clone());
        done.next_step_title = Some(next.title.clone());
        done.action = NextAction::Continue;
    } else if advance.is_complete {
        done.action = NextAction::Done;
    }
    town.record_event(&event!(StepDone,
        step: step, molecule: done.molecule_id, next: done.next_step_id, complete: done.complete,
    ));
    let cycles = before
        .and_then(|molecule| molecule.current)
        .filter(|current| current.id == step)
        .and_then(|current| current.cycles);
    done.cycled = done.action == NextAction::Continue && cycle_session(town, cycles, &done)?;
    Ok(done)
}

/// Returns the step that the caller has begun or is to begin.
fn find_current_step(town: &Town) -> anyhow::Result<String> {
    let (bead, found) = super::find_attached(town, "")?;
    let step = found.and_then(|molecule| molecule.current);
    let step =
        step.ok_or_else(|| anyhow::anyhow!("no step of {bead} can be closed now; name one"))?;
    Ok(step.id)
}

/// Replaces the caller's session, if that is requested and there is one.
fn cycle_session(
    town: &LiveTown,
    requested: Option<bool>,
    done: &StepReport,
) -> anyhow::Result<bool> {
    let rig = match &town.actor {
        Address::Polecat(rig, _) | Address::Crew(rig, _) => town.find_rig(rig)?,
        _ => return Ok(false),
    };
    let is_wanted = match requested {
        Some(requested) => requested,
        None => SettingsLayers::load(town, Some(&rig))?.flag("molecule.cycle"),
    };
    if !is_wanted {
        return Ok(false);
    }
    let title = done.next_step_title.as_deref().unwrap_or("");
    let request = HandoffRequest {
        subject: format!("step {} is done", done.step_id),
        message: format!("Go on with the next step: {title}"),
    };
    match handoff::hand_off(town, &town.actor, &request) {
        Ok(_) => Ok(true),
        Err(
            HandoffError::NoSession { .. }
            | HandoffError::NoWork { .. }
            | HandoffError::NoProgress { .. },
        ) => Ok(false),
        Err(HandoffError::Other(error)) => Err(error),
    }
}
