//! One run of a rig's queue: its state, the steps of a single request, and the record of each
//! outcome.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

use bd::bead::Bead;
use bd::store::Store;
use serde::Serialize;

use super::candidate::{MergeCandidate, NoCandidate};
use super::job::{MergeJob, MergeOutcome, MergeQueue};
use super::memory::GateMemory;
use super::verify::{RefUpdate, TargetPresence};
use super::{
    block, candidate, hook, land, pull_request, receipt_check, target, task, verify, withdraw,
};
use crate::record::gate_history::GateHistory;
use crate::record::merge_request;
use crate::town::Rig;
use crate::town::config::{self, RigSettings};
use crate::town::event::{self, Event, MergeResultEvent};

/// The result of one request.
#[derive(Debug, Clone, Serialize)]
pub struct RequestResult {
    pub request: String,
    pub bead: String,
    #[serde(flatten)]
    pub outcome: MergeOutcome,
}

pub(super) struct QueueRun<'a> {
    pub(super) rig: &'a Rig<'a>,
    pub(super) store: &'a Store,
    pub(super) settings: &'a RigSettings,
    /// The results of gates in this run.
    pub(super) memory: GateMemory,
    /// The commit of the target that passed in the search for the request that is being handled.
    pub(super) passing_target: Option<String>,
    /// False if the requests of this run must be handled one by one, until one is merged.
    pub(super) is_batching: bool,
    /// The requests whose start is in an event.
    started: BTreeSet<String>,
    /// The requests that this run has handled.
    pub(super) seen: BTreeSet<String>,
    /// The requests that wait for their target, with its name.
    waiting: Vec<(String, String)>,
    /// The targets that fail their own gates, so that one request of each is checked per run.
    pub(super) broken_targets: BTreeSet<String>,
    pub(super) results: Vec<RequestResult>,
    /// The number of requests that were merged or rejected by their gates in this turn.
    pub(super) ended: usize,
}

impl<'a> QueueRun<'a> {
    pub(super) fn new(rig: &'a Rig<'a>, store: &'a Store, settings: &'a RigSettings) -> Self {
        Self {
            rig,
            store,
            settings,
            memory: GateMemory::default(),
            passing_target: None,
            is_batching: true,
            started: BTreeSet::new(),
            seen: BTreeSet::new(),
            waiting: Vec::new(),
            broken_targets: BTreeSet::new(),
            results: Vec::new(),
            ended: 0,
        }
    }

    pub(super) fn build_job(&self, request: Bead) -> anyhow::Result<MergeJob<'a>> {
        let queue = MergeQueue::open(self.rig, self.store, self.settings)?;
        Ok(MergeJob::new(queue, request))
    }

    pub(super) fn handle(
        &mut self,
        request: Bead,
        step: fn(&mut Self, &MergeJob) -> anyhow::Result<MergeOutcome>,
    ) -> anyhow::Result<()> {
        let job = self.build_job(request)?;
        match step(self, &job) {
            Ok(outcome) => self.conclude(&job, outcome),
            Err(error) => self.conclude_failed(&job, error),
        }
    }

    /// Ends the try of a request that failed for an outside reason.
    pub(super) fn conclude_failed(
        &mut self,
        job: &MergeJob,
        error: anyhow::Error,
    ) -> anyhow::Result<()> {
        if self.is_stopping() {
            return Err(error);
        }
        // The requests behind it may be fine.
        let reason = format!("{error:#}");
        self.conclude(job, MergeOutcome::Later { reason })
    }

    /// Returns true if the process was asked to stop.
    pub(super) fn is_stopping(&self) -> bool {
        self.rig.town().stop.load(Ordering::Relaxed)
    }

    /// Records the outcome of a request.
    pub(super) fn conclude(&mut self, job: &MergeJob, outcome: MergeOutcome) -> anyhow::Result<()> {
        self.seen.insert(job.request.id.clone());
        withdraw_failed_repair(job, &outcome)?;
        record_failing_since(job, &outcome)?;
        report_outcome(job, &outcome);
        match &outcome {
            MergeOutcome::TargetBroken { .. } | MergeOutcome::TargetStillBroken { .. } => {
                self.is_batching = false;
                let target = job.receipt.target.clone();
                self.broken_targets.insert(target.clone());
                self.waiting.push((job.request.id.clone(), target));
            }
            MergeOutcome::GateFailed { .. } => {
                self.ended += 1;
                GateHistory::record(self.rig, false);
            }
            MergeOutcome::Merged { .. } => {
                self.ended += 1;
                self.is_batching = true;
                GateHistory::record(self.rig, true);
                self.retry_waiting(&job.receipt.target);
            }
            _ => {}
        }
        self.results.push(RequestResult {
            request: job.request.id.clone(),
            bead: merge_request::source_bead_of(&job.request),
            outcome,
        });
        Ok(())
    }

    /// Records that the queue has begun with a request.
    pub(super) fn record_started(&mut self, job: &MergeJob) {
        if self.started.insert(job.request.id.clone()) {
            let started = Event::MergeStarted(job.merge_ref());
            self.rig.town().record_event(&started);
        }
    }

    /// Handles the requests that wait for this target once more.
    fn retry_waiting(&mut self, branch: &str) {
        self.broken_targets.remove(branch);
        for (request, _) in self.waiting.extract_if(.., |(_, target)| target == branch) {
            self.seen.remove(&request);
            self.results.retain(|result| result.request != request);
        }
    }
}

/// Withdraws a request for a task that was opened again. Its commits go to a rescue ref, from which
/// the next worker of the task merges them.
fn withdraw_failed_repair(job: &MergeJob, outcome: &MergeOutcome) -> anyhow::Result<()> {
    let (MergeOutcome::Conflict { task }
    | MergeOutcome::GateFailed { task, .. }
    | MergeOutcome::ChangesRequested { task }) = outcome
    else {
        return Ok(());
    };
    if *task == merge_request::source_bead_of(&job.request) {
        withdraw::withdraw_request(job)?;
        land::remove_branch(job);
    }
    Ok(())
}

/// Records on a request since when each try fails for an outside reason, so that a user is notified
/// in the end.
fn record_failing_since(job: &MergeJob, outcome: &MergeOutcome) -> anyhow::Result<()> {
    let reason = match outcome {
        MergeOutcome::Later { reason } | MergeOutcome::GateCannotRun { reason, .. } => Some(reason),
        _ if merge_request::failing_since(&job.request).is_some() => None,
        _ => return Ok(()),
    };
    job.queue.rig.transact(job.queue.store, |tx| {
        let Some(mut request) = tx
            .get(&job.request.id)
            .filter(|bead| bead.is_open())
            .cloned()
        else {
            return Ok(());
        };
        let mut state = merge_request::request_state(&request);
        let since = state
            .failing
            .take()
            .map_or_else(|| tx.now().to_string(), |(since, _)| since);
        state.failing = reason.map(|reason| (since, reason.clone()));
        state.gate_cannot_run = match outcome {
            MergeOutcome::GateCannotRun { gate, .. } => gate.clone(),
            _ => String::new(),
        };
        merge_request::set_request_state(&mut request, &state)?;
        tx.put(request)?;
        Ok(())
    })
}

/// Merges one request with the steps of the module.
pub(super) fn process_request(run: &mut QueueRun, job: &MergeJob) -> anyhow::Result<MergeOutcome> {
    config::check_guards(job.queue.rig)?;
    if job.receipt.tip.is_empty() || job.receipt.target.is_empty() {
        let reason = "it has no receipt: it does not say which commit to merge where".to_owned();
        return block::block_for_user(job, &reason);
    }
    if let Some(waits) = receipt_check::block_for_receipt(job)? {
        return Ok(waits);
    }
    if let Some(outcome) = pull_request::follow_pull_request(job)? {
        return Ok(outcome);
    }
    if let Some(waiting) = target::wait_for_broken_target(job)? {
        return Ok(waiting);
    }
    run.record_started(job);
    let onto = match job.fetch_target() {
        Ok(Some(onto)) => onto,
        Ok(None) => {
            let reason = format!("the target branch {} does not exist", job.receipt.target);
            return block::block_for_user(job, &reason);
        }
        Err(error) => {
            return Ok(MergeOutcome::Later {
                reason: error.to_string(),
            });
        }
    };
    match verify::find_on_target(job, &onto)? {
        TargetPresence::Yes { commit } => return check_found_work(run, job, &onto, &commit),
        TargetPresence::AddsNothing => return block::block_for_no_change(job),
        TargetPresence::Undone { commit, files } => {
            return block::block_reverted(job, &commit, &files);
        }
        TargetPresence::No => {}
    }
    let MergeCandidate {
        commit: candidate,
        driven,
    } = match candidate::build_candidate(job, &onto) {
        Ok(candidate) => candidate,
        Err(reason) => return end_without_candidate(job, &onto, reason),
    };
    if let Some(stopped) = pull_request::ask_forge(job)? {
        return Ok(stopped);
    }
    if let Some(failure) = run.memory.check(job, &candidate)? {
        // The search that found this request has just seen the target pass.
        if run.passing_target.as_deref() == Some(&onto) {
            if let Some(outcome) = failure.outcome_if_cannot_run() {
                return Ok(outcome);
            }
        } else if let Some(broken) = target::check_target_alone(job, &onto, &failure)? {
            return Ok(broken);
        }
        failure.add_drivers_to_log(&driven)?;
        return task::create_gate_task(job, &onto, &failure);
    }
    if let Some(stopped) = hook::ask_pre_merge_hooks(job, &onto, &candidate)? {
        return Ok(stopped);
    }
    // The review of a pull request is at the forge.
    if pull_request::lands_by_pull_request(job)? {
        return pull_request::open_pull_request(job, &onto, &candidate, "");
    }
    if let Some(waits) = block::block_for_review(job)? {
        return Ok(waits);
    }
    land::land_candidate(job, &onto, &candidate, |words| {
        pull_request::continue_declined(job, &onto, &candidate, words)
    })
}

fn end_without_candidate(
    job: &MergeJob,
    onto: &str,
    reason: NoCandidate,
) -> anyhow::Result<MergeOutcome> {
    match reason {
        NoCandidate::NothingLeft { base, tip } => {
            let work = RefUpdate {
                onto: &base,
                commit: &tip,
            };
            land::close_without_merge(job, &work, onto)
        }
        NoCandidate::Conflict { files, detail } => {
            task::create_conflict_task(job, onto, &files, &detail)
        }
        NoCandidate::OnlyDocuments { reference } => land::close_documents(job, reference),
        NoCandidate::LeftOutByDriver { files } => block::block_for_driver(job, &files),
        NoCandidate::MissingCommit { .. } => block::block_for_user(job, &reason.to_string()),
        NoCandidate::BringsBack { commits } => block::block_for_returning_commits(job, &commits),
        NoCandidate::Failed(error) => Err(error),
    }
}

/// Runs the gates on a target that has the work already, because someone else pushed it, and closes
/// the request if they pass.
fn check_found_work(
    run: &mut QueueRun,
    job: &MergeJob,
    onto: &str,
    commit: &str,
) -> anyhow::Result<MergeOutcome> {
    let is_own_push = merge_request::request_state(&job.request).candidate == commit;
    if !is_own_push && let Some(failure) = run.memory.check(job, onto)? {
        if let Some(broken) = target::check_target_alone(job, onto, &failure)? {
            return Ok(broken);
        }
        return task::create_gate_task(job, onto, &failure);
    }
    land::close_found_on_target(job, commit)
}

fn report_outcome(job: &MergeJob, outcome: &MergeOutcome) {
    let kind = match outcome {
        MergeOutcome::Merged { .. } | MergeOutcome::Kept { .. } => Event::Merged,
        MergeOutcome::AlreadyThere { .. } => Event::MergeAlreadyThere,
        MergeOutcome::Later { .. } | MergeOutcome::GateCannotRun { .. } => Event::MergeSkipped,
        // The withdrawal reports itself, with the rescue ref, and the pull request each new state.
        MergeOutcome::Withdrawn { .. }
        | MergeOutcome::Rejected { .. }
        | MergeOutcome::TargetStillBroken { .. }
        | MergeOutcome::PullRequest { .. } => return,
        _ => Event::MergeFailed,
    };
    job.queue.rig.town().record_event(&kind(MergeResultEvent {
        request: job.merge_ref(),
        // An outcome is a plain enum, so serializing it cannot fail.
        outcome: event::json_fields(outcome),
    }));
    if let MergeOutcome::Merged { commit } = outcome {
        hook::run_post_merge_hooks(job, commit);
    }
}
