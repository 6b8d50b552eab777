//! Finishes a polecat's work, `gt done`:
//!
//! 1. `identify`: the caller is a polecat in its own sandbox with the current lease (`identify`).
//! 2. `begin_done`: records the intent with summary and reason, so that any process can finish it.
//! 3. `keep_uncommitted`: keeps uncommitted files below `.gt/` for the convoy (`documents`).
//! 4. `prove`: the right branch, no uncommitted files, commits that the target lacks, none of them
//!    with beads files. Otherwise a stated reason for no change (`proof`). No work elsewhere
//!    (`elsewhere`).
//! 5. `push`: pushes the branch to origin and reads its tip back (`push`).
//! 6. `submit`: merge request, summary, cleared hook, idle worker, in one transaction (`submit`).
//! 7. `leave_branch`: moves the sandbox from the branch to the target. The session ends.
//!
//! A worker that gives up (`--failed`) continues from 3 with `failed::give_up`: its work is kept on
//! a rescue ref, and nothing is merged.
//!
//! A failed step is recorded with its reason, and the next `gt done` starts there. The patrol
//! finishes a `gt done` that was killed.

mod branch;
mod documents;
mod elsewhere;
mod failed;
mod identify;
mod left;
mod proof;
mod push;
mod submit;

use bd::git::Git;
use serde::Serialize;

pub use branch::{BranchSubmission, SubmitError, SubmittedBranch, submit_branch};
pub use identify::{HeldWorker, IdentifyError, find_worker, identify_worker};
pub use left::SandboxLeftovers;
pub(crate) use left::{find_sandbox_leftovers, has_commits};
pub use proof::{ProofError, WorkProof};
pub use push::BranchPushError;

use crate::flow::agent::seance::{self, SessionNumbers};
use crate::flow::place::sandbox::{Sandbox, find_start_commit};
use crate::flow::place::town_hook::{self, TownHookCall, TownHookEvent};
use crate::flow::work::molecule::{self, MoleculeEnding};
use crate::host::LiveTown;
use crate::record::escalation;
use crate::record::polecat::{
    AwaitedQuestion, DoneRecord, DoneStep, FailedStep, GivingUp, PolecatIds, Slot, SlotState,
    read_polecat_records,
};
use crate::record::pulse::SessionPulse;
use crate::town::Rig;
use crate::town::event::event;
use crate::town::identity::SessionName;

/// The worker's description of its work.
#[derive(Debug, Clone, Default)]
pub struct WorkReport {
    /// A summary for the worker of the next bead.
    pub summary: String,
    /// The reason why there is no change to merge.
    pub no_change: Option<String>,
    /// The path of the followed specification in the sandbox. If `None`, the bead's own.
    pub spec: Option<String>,
    /// Set if the worker gives up.
    pub gave_up: Option<GivingUp>,
    /// True if open steps of the molecule are closed too.
    pub close_steps: bool,
}

/// The result of a `gt done`.
#[derive(Debug, Clone, Serialize)]
pub struct DoneReport {
    pub bead: String,
    /// The merge request. None without a change.
    pub request: Option<String>,
    pub branch: String,
    pub tip: String,
    /// The number of commits.
    pub commits: usize,
    /// True if the branch was pushed to a remote, false if it stays in the rig's own repository.
    pub remote: bool,
    /// The ending of the molecule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub molecule: Option<MoleculeEnding>,
    /// The failed attempt, if the worker gave up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<FailedAttempt>,
    /// The rescue refs of commits that the worker made on no branch and left there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kept_commits: Vec<String>,
    /// The files that the user's own ignore file keeps out of the commits.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ignored_files: Vec<String>,
    /// The worker's question about its bead that no one has answered yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_question: Option<AwaitedQuestion>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FailedAttempt {
    /// The approach and the reason for the failure.
    pub why: String,
    /// True if the bead is closed.
    pub closed: bool,
    /// The rescue ref with the commits and files, if there are any.
    pub rescue: Option<String>,
}

/// Finishes the work on the caller's hook with the steps above.
pub fn finish_work(worker: &HeldWorker, report: &WorkReport) -> anyhow::Result<DoneReport> {
    check_attempt(worker)?;
    let beads = worker.rig.store()?.snapshot()?;
    if report.gave_up.is_none() {
        molecule::check_steps_closed(&beads, &worker.slot.bead, report.close_steps)?;
    }
    drop(beads);
    let mut slot = begin_done(worker, report)?;
    run_steps(worker, &mut slot)
}

/// Checks that the bead is still at this worker's attempt. The transaction that submits the work
/// checks again.
fn check_attempt(worker: &HeldWorker) -> anyhow::Result<()> {
    let beads = worker.rig.store()?.snapshot()?;
    let Some(bead) = beads.get(&worker.slot.bead) else {
        return Ok(());
    };
    let is_current = bd::bead::attempt::read_attempt(bead) == worker.slot.attempt;
    anyhow::ensure!(is_current, submit::build_superseded_error(bead, worker));
    Ok(())
}

/// Finishes an interrupted `gt done` from its record. `None` if there is none.
pub fn resume_done(worker: &HeldWorker) -> anyhow::Result<Option<DoneReport>> {
    let mut slot = worker.slot.clone();
    if slot.state.done_record().is_none() {
        return Ok(None);
    }
    run_steps(worker, &mut slot).map(Some)
}

/// Returns the names of the workers of a rig whose failed `gt done` waits for its next try.
pub fn list_failed_dones(rig: &Rig) -> anyhow::Result<Vec<String>> {
    let beads = rig.store()?.snapshot()?;
    Ok(read_polecat_records(rig, &beads)
        .iter()
        .map(|records| records.with_sessions(None))
        .filter(|polecat| waits_for_retry(&polecat.slot))
        .map(|polecat| polecat.name)
        .collect())
}

fn waits_for_retry(slot: &Slot) -> bool {
    let failed = slot.state.failed_done();
    matches!(slot.state, SlotState::Finishing { .. }) && failed.is_some_and(|failed| failed.retry)
}

/// Continues the failed `gt done` of a worker at once, without the wait of the patrol. `None` if it
/// has none that a retry can repair.
pub fn retry_failed_done(rig: &Rig, name: &str) -> anyhow::Result<Option<DoneReport>> {
    let ids = PolecatIds::for_polecat(rig, name);
    if !waits_for_retry(&Slot::load(&rig.store()?.snapshot()?, &ids.slot)) {
        return Ok(None);
    }
    let lock = rig.try_take_slot(name)?;
    resume_done(&find_worker(rig.clone(), name, lock)?)
}

/// Ends the caller's own session, as the very last step. This process is part of it.
pub fn end_session(town: &LiveTown, worker: &HeldWorker) -> anyhow::Result<()> {
    match SessionName::for_agent(&worker.address()) {
        Some(session) => Ok(town.host.kill(session.as_str())?),
        None => Ok(()),
    }
}

/// Returns the numbers that the agent program reports for its session.
fn session_numbers(worker: &HeldWorker, slot: &Slot) -> SessionNumbers {
    let address = worker.address();
    let session_name = SessionName::for_agent(&address);
    let session = session_name.as_ref().map_or("", SessionName::as_str);
    seance::read_session_numbers(
        worker.rig.town(),
        &address,
        &SessionPulse::load(&worker.rig.town().layout, session, &slot.token),
    )
}

/// Returns the path of a specification relative to the top of the sandbox.
fn spec_path(worker: &HeldWorker, path: &str) -> anyhow::Result<String> {
    let top = worker.sandbox();
    let full = top.join(path).canonicalize();
    let top = top.canonicalize().unwrap_or(top);
    let inside = full
        .ok()
        .filter(|full| full.is_file())
        .and_then(|full| Some(full.strip_prefix(&top).ok()?.to_owned()))
        .ok_or_else(|| {
            anyhow::anyhow!(
                "--spec: there is no file {} in the sandbox {}",
                kit::ui::escape::escape_line(path),
                top.display()
            )
        })?;
    Ok(inside.to_string_lossy().into_owned())
}

fn begin_done(worker: &HeldWorker, report: &WorkReport) -> anyhow::Result<Slot> {
    let store = worker.rig.store()?;
    let spec = report
        .spec
        .as_deref()
        .map(|path| spec_path(worker, path))
        .transpose()?;
    let model = session_numbers(worker, &worker.slot).model;
    worker.rig.transact(&store, |tx| {
        let mut slot = Slot::load(tx, &worker.slot_id);
        // A failed step is retried.
        let before = slot.state.done_record().cloned().unwrap_or_default();
        let record = DoneRecord {
            since: tx.now().to_string(),
            summary: report.summary.clone(),
            no_change: report.no_change.clone(),
            spec: spec.clone().or(before.spec),
            model: model.clone(),
            gave_up: report.gave_up.clone(),
            failed: None,
            ..before
        };
        slot.state = SlotState::Finishing { record };
        slot.save(tx, &worker.slot_id)?;
        Ok(slot)
    })
}

fn run_steps(worker: &HeldWorker, slot: &mut Slot) -> anyhow::Result<DoneReport> {
    let kept = Sandbox::new(&worker.rig, &worker.name).keep_abandoned_commits(slot.branch.as_str());
    let kept_commits = match kept {
        Ok(kept) => kept,
        Err(error) => {
            return record_failed_step(worker, slot, DoneStep::Rescue, true, error.into());
        }
    };
    // The names are a notice, and the files stay in the sandbox.
    let ignored = worker
        .git()
        .ok()
        .and_then(|git| proof::find_own_ignored_files(&worker.rig, &git, slot).ok());
    let ignored_files = ignored
        .iter()
        .flatten()
        .map(|file| file.path.to_string_lossy().into_owned())
        .collect();
    let report = run_recorded_steps(worker, slot)?;
    Ok(DoneReport {
        kept_commits,
        ignored_files,
        open_question: find_question(worker, slot),
        ..report
    })
}

/// Returns the worker's open question about its bead. Errors are ignored, because the result is a
/// notice, and the question stays open in any case.
fn find_question(worker: &HeldWorker, slot: &Slot) -> Option<AwaitedQuestion> {
    let store = worker.rig.town().open_town_store().ok()?;
    let beads = store.snapshot().ok()?;
    escalation::find_awaited_question(&beads, &worker.address(), &slot.bead)
        .map(AwaitedQuestion::from)
}

fn run_recorded_steps(worker: &HeldWorker, slot: &mut Slot) -> anyhow::Result<DoneReport> {
    let mut record = slot.state.done_record().cloned().unwrap_or_default();
    match documents::keep_uncommitted(worker, slot) {
        Ok(Some(reference)) => {
            record.documents = Some(reference);
            slot.state = SlotState::finishing(&record);
            save_slot(worker, slot)?;
        }
        Ok(None) => {}
        Err(error) => return record_failed_step(worker, slot, DoneStep::Documents, true, error),
    }
    if let Some(gave_up) = record.gave_up.clone() {
        return match failed::give_up(worker, slot, &record, &gave_up) {
            Ok(done) => Ok(done),
            Err(error) => record_failed_step(worker, slot, DoneStep::Rescue, true, error),
        };
    }
    if record.no_change.is_none() {
        record.no_change = documents::documents_only_reason(worker, slot, &record)?;
    }
    let proof = match proof::prove_work(worker, slot, &record) {
        Ok(proof) => proof,
        Err(error) => {
            let retry = error.can_retry();
            return record_failed_step(worker, slot, DoneStep::Proof, retry, error.into());
        }
    };
    if record.tip.as_ref() != Some(&proof.tip) {
        record.tip = Some(proof.tip.clone());
        record.pushed = false;
    }
    if !proof.commits.is_empty() && !record.pushed {
        match push::push_branch(worker, slot, &proof) {
            Ok(()) => record.pushed = true,
            Err(error) => {
                slot.state = SlotState::Finishing { record };
                let retry = error.can_retry();
                return record_failed_step(worker, slot, error.step(), retry, error.into());
            }
        }
        slot.state = SlotState::finishing(&record);
        save_slot(worker, slot)?;
    }
    submit_proven(worker, slot, &record, proof)
}

/// Creates the merge request for the proven and pushed work, and leaves the branch.
fn submit_proven(
    worker: &HeldWorker,
    slot: &mut Slot,
    record: &DoneRecord,
    proof: WorkProof,
) -> anyhow::Result<DoneReport> {
    let (request, concluded) = match submit::submit_work(worker, slot, record, &proof) {
        Ok(submitted) => submitted,
        Err(error) => return record_failed_step(worker, slot, DoneStep::Submit, true, error),
    };
    leave_branch(worker, slot, &proof);
    worker.rig.town().record_event(&event!(Done,
        bead: slot.bead, branch: slot.branch, request: request, tip: proof.tip,
        commits: proof.commits.len(), no_change: record.no_change,
    ));
    if let Some(concluded) = &concluded {
        worker.rig.town().record_event(&event!(MoleculeEnded,
            bead: slot.bead, molecule: concluded.molecule, how: "handed in", digest: concluded.digest,
        ));
    }
    run_post_done_hooks(worker, slot, request.as_deref());
    Ok(DoneReport {
        bead: slot.bead.to_string(),
        request,
        branch: slot.branch.to_string(),
        tip: proof.tip,
        commits: proof.commits.len(),
        remote: proof.remote,
        molecule: concluded,
        failed: None,
        kept_commits: Vec::new(),
        ignored_files: Vec::new(),
        open_question: None,
    })
}

/// Runs the `post-done` hooks. Their answers are ignored.
fn run_post_done_hooks(worker: &HeldWorker, slot: &Slot, request: Option<&str>) {
    let call = TownHookCall {
        rig: Some(&worker.rig),
        issues: vec![slot.bead.to_string()],
        more: vec![
            ("GT_BEAD", slot.bead.to_string()),
            ("GT_BRANCH", slot.branch.to_string()),
            ("GT_TARGET", slot.target.clone()),
            ("GT_MERGE_REQUEST", request.unwrap_or("").to_owned()),
        ],
        about: vec![("bead", slot.bead.to_string())],
        ..TownHookCall::default()
    };
    town_hook::notify_event_hooks(worker.rig.town(), TownHookEvent::PostDone, &call);
}

/// Switches the sandbox from the branch to the target as just fetched, so that the queue can remove
/// the branch and the sandbox is ready for other work. Deletes a branch without commits at once.
/// Errors are ignored, because the next sling does the same.
fn leave_branch(worker: &HeldWorker, slot: &Slot, proof: &WorkProof) {
    let sandbox = Sandbox::new(&worker.rig, &worker.name);
    let left = sandbox.leave_branch(|git| {
        if git.checkout_detach(&proof.tip).is_err() {
            return;
        }
        // Commits whose change the target has by other commits stay on their branch.
        if proof.files.is_empty() {
            git.delete_branch(slot.branch.as_str(), &proof.tip).ok();
        }
        switch_to_target(worker, slot, git);
    });
    left.ok();
}

/// Switches a clean sandbox to the target.
fn switch_to_target(worker: &HeldWorker, slot: &Slot, git: &Git) {
    let is_clean = git.status().is_ok_and(|changes| changes.is_empty());
    if let (true, Ok(target)) = (is_clean, find_start_commit(&worker.rig, &slot.target)) {
        git.checkout_detach(&target).ok();
    }
}

/// Records the failed step where users see it, and returns the error.
fn record_failed_step<T>(
    worker: &HeldWorker,
    slot: &mut Slot,
    step: DoneStep,
    retry: bool,
    error: anyhow::Error,
) -> anyhow::Result<T> {
    let failed = FailedStep {
        step,
        reason: format!("{error:#}"),
        retry,
    };
    let mut record = slot.state.done_record().cloned().unwrap_or_default();
    record.failed = Some(Box::new(failed.clone()));
    slot.state = SlotState::Finishing { record };
    save_slot(worker, slot)?;
    let step = failed.step.name();
    worker
        .rig
        .town()
        .record_event(&event!(DoneFailed, bead: slot.bead, step: step, reason: failed.reason));
    Err(error.context(format!("`gt done` stopped at the step: {step}")))
}

fn save_slot(worker: &HeldWorker, slot: &Slot) -> anyhow::Result<()> {
    let store = worker.rig.store()?;
    worker
        .rig
        .transact(&store, |tx| slot.save(tx, &worker.slot_id))
}
