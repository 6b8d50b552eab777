//! What happens when a polecat runs `gt done`:
//!
//! 1. `identify`: a polecat, in its own sandbox, with the current lease (`identify`).
//! 2. `begin`: the intent is recorded, with summary and reason, so that anyone can finish it.
//! 3. `hand_over`: what was written below `.gt/` and not committed is kept for the convoy (`documents`).
//! 4. `prove`: right branch, nothing uncommitted, commits that the target does not have, none of them
//!    touching beads; or a stated reason why there is no change (`proof`), and no work elsewhere (`elsewhere`).
//! 5. `push`: the branch goes to origin and its tip is read back from there (`push`).
//! 6. `submit`: merge request, summary, cleared hook, idle: one transaction (`submit`).
//! 7. `leave`: the sandbox lets go of the branch, the session ends.
//!
//! A step that fails is recorded with its reason; the next `gt done` begins at it. A `gt done` that was
//! killed is finished by the patrol.

mod documents;
mod elsewhere;
mod identify;
mod left;
mod proof;
mod push;
mod submit;

use bd::git::Git;
use serde::Serialize;

pub use identify::{HeldWorker, NotYours, identify, worker};
pub use left::Left;
pub(crate) use left::{has_commits, left};
pub use proof::{Proof, ProofError};
pub use push::PushFailed;

use crate::flow::molecule::{self, Concluded};
use crate::flow::town_hook::{self, Call, Event};
use crate::host::LiveTown;
use crate::record::polecat::{DoneRecord, FailedStep, Slot, SlotState};
use crate::town::event::event;
use crate::town::identity::SessionName;

/// What the worker says about its work.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// What was done, for the worker of the next bead.
    pub summary: String,
    /// Why there is no change to merge, where that is so.
    pub no_change: Option<String>,
    /// Whether open steps of its molecule are closed with it.
    pub close_steps: bool,
}

/// How a `gt done` ended.
#[derive(Debug, Clone, Serialize)]
pub struct Done {
    /// The bead.
    pub bead: String,
    /// The merge request; none where there was no change.
    pub request: Option<String>,
    /// The branch.
    pub branch: String,
    /// The tip that was proven.
    pub tip: String,
    /// How many commits it has.
    pub commits: usize,
    /// Whether it went to a remote, or stays in the rig's own repository.
    pub remote: bool,
    /// What became of its molecule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub molecule: Option<Concluded>,
}

/// Finishes the work on the caller's hook: the story above.
pub fn done(town: &LiveTown, worker: &HeldWorker, report: &Report) -> anyhow::Result<Done> {
    check_attempt(town, worker)?;
    let beads = town.rig_store(&worker.rig)?.snapshot()?;
    molecule::check_done(&beads, &worker.slot.bead, report.close_steps)?;
    drop(beads);
    let mut slot = begin(town, worker, report)?;
    run(town, worker, &mut slot)
}

/// Whether the bead is still at this worker's attempt. The transaction that hands the work in looks once more.
fn check_attempt(town: &LiveTown, worker: &HeldWorker) -> anyhow::Result<()> {
    let beads = town.rig_store(&worker.rig)?.snapshot()?;
    let Some(bead) = beads.get(&worker.slot.bead) else {
        return Ok(());
    };
    let is_current = bd::bead::attempt::of(bead) == worker.slot.attempt;
    anyhow::ensure!(is_current, submit::superseded(bead, worker));
    Ok(())
}

/// Finishes a `gt done` that was begun and never ended, from its record; `None` where none was begun.
pub fn resume(town: &LiveTown, worker: &HeldWorker) -> anyhow::Result<Option<Done>> {
    let mut slot = worker.slot.clone();
    if slot.state.done().is_none() {
        return Ok(None);
    }
    run(town, worker, &mut slot).map(Some)
}

/// Ends the caller's own session, as the very last act. This process is part of it.
pub fn end_session(town: &LiveTown, worker: &HeldWorker) -> anyhow::Result<()> {
    match SessionName::of(&worker.address()) {
        Some(session) => Ok(town.host.kill(session.as_str())?),
        None => Ok(()),
    }
}

fn begin(town: &LiveTown, worker: &HeldWorker, report: &Report) -> anyhow::Result<Slot> {
    let store = town.rig_store(&worker.rig)?;
    town.transact(&store, |tx| {
        let mut slot = Slot::load(tx, &worker.slot_id);
        // What failed is tried again.
        let before = slot.state.done().cloned().unwrap_or_default();
        let record = DoneRecord {
            since: tx.now().to_string(),
            summary: report.summary.clone(),
            no_change: report.no_change.clone(),
            failed: None,
            ..before
        };
        slot.state = SlotState::Finishing { record };
        slot.save(tx, &worker.slot_id)?;
        Ok(slot)
    })
}

fn run(town: &LiveTown, worker: &HeldWorker, slot: &mut Slot) -> anyhow::Result<Done> {
    let mut record = slot.state.done().cloned().unwrap_or_default();
    match documents::hand_over(town, worker, slot) {
        Ok(Some(reference)) => {
            record.documents = reference;
            slot.state = SlotState::finishing(&record);
            save(town, worker, slot)?;
        }
        Ok(None) => {}
        Err(error) => return fail(town, worker, slot, "documents", true, error),
    }
    if record.no_change.is_none() {
        record.no_change = documents::all_there_is(town, worker, slot, &record)?;
    }
    let proof = match proof::prove(town, worker, slot, &record) {
        Ok(proof) => proof,
        Err(error) => {
            let retry = error.can_retry();
            return fail(town, worker, slot, "proof", retry, error.into());
        }
    };
    if record.tip != proof.tip {
        record.tip.clone_from(&proof.tip);
        record.pushed = false;
    }
    if !proof.commits.is_empty() && !record.pushed {
        match push::push(town, worker, slot, &proof) {
            Ok(()) => record.pushed = true,
            Err(error) => {
                slot.state = SlotState::Finishing { record };
                let retry = error.can_retry();
                return fail(town, worker, slot, error.step(), retry, error.into());
            }
        }
        slot.state = SlotState::finishing(&record);
        save(town, worker, slot)?;
    }
    let (request, concluded) = match submit::submit(town, worker, slot, &record, &proof) {
        Ok(submitted) => submitted,
        Err(error) => return fail(town, worker, slot, "submit", true, error),
    };
    leave(worker, &proof);
    town.tell(&event!(Done,
        bead: slot.bead, branch: slot.branch, request: request, tip: proof.tip,
        commits: proof.commits.len(), no_change: record.no_change,
    ));
    if let Some(concluded) = &concluded {
        town.tell(&event!(MoleculeEnded,
            bead: slot.bead, molecule: concluded.molecule, how: "handed in", digest: concluded.digest,
        ));
    }
    tell_hooks(town, worker, slot, request.as_deref());
    Ok(Done {
        bead: slot.bead.to_string(),
        request,
        branch: slot.branch.to_string(),
        tip: proof.tip,
        commits: proof.commits.len(),
        remote: proof.remote,
        molecule: concluded,
    })
}

/// Hooks may want to know; what they say changes nothing any more.
fn tell_hooks(town: &LiveTown, worker: &HeldWorker, slot: &Slot, request: Option<&str>) {
    let call = Call {
        rig: Some(&worker.rig),
        issues: vec![slot.bead.to_string()],
        more: vec![
            ("GT_BEAD", slot.bead.to_string()),
            ("GT_BRANCH", slot.branch.to_string()),
            ("GT_TARGET", slot.target.clone()),
            ("GT_MERGE_REQUEST", request.unwrap_or_default().to_owned()),
        ],
        about: vec![("bead", slot.bead.to_string())],
        ..Call::default()
    };
    town_hook::notify(town, Event::PostDone, &call);
}

/// Lets go of the branch, so that the queue can remove it once it is merged. The files stay as they are;
/// failing only means that the branch is kept longer.
fn leave(worker: &HeldWorker, proof: &Proof) {
    Git::at(worker.sandbox()).checkout_detach(&proof.tip).ok();
}

/// Records the failed step, so that everyone sees it, and passes the error on.
fn fail<T>(
    town: &LiveTown,
    worker: &HeldWorker,
    slot: &mut Slot,
    step: &str,
    retry: bool,
    error: anyhow::Error,
) -> anyhow::Result<T> {
    let reason = format!("{error:#}");
    let mut record = slot.state.done().cloned().unwrap_or_default();
    record.failed = Some(FailedStep {
        step: step.to_owned(),
        reason: reason.clone(),
        retry,
    });
    slot.state = SlotState::Finishing { record };
    save(town, worker, slot)?;
    town.tell(&event!(DoneFailed, bead: slot.bead, step: step, reason: reason));
    Err(error.context(format!("`gt done` stopped at the step: {step}")))
}

fn save(town: &LiveTown, worker: &HeldWorker, slot: &Slot) -> anyhow::Result<()> {
    let store = town.rig_store(&worker.rig)?;
    town.transact(&store, |tx| slot.save(tx, &worker.slot_id))
}
