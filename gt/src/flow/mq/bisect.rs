//! Finds the merge that broke a target, and opens its bead again.
//!
//! 1. Run the gates on the tip of the target. If they pass, nothing is broken.
//! 2. Go back along the target in steps of growing size until a commit passes.
//! 3. Search between that commit and the failing ones, by halves.
//! 4. Open the bead of the request that merged the first failing commit, at a new attempt and with
//!    the evidence. A commit that no request merged is only reported.

use std::collections::HashSet;

use bd::bead::{Bead, attempt};
use bd::change;
use bd::store::Snapshot;
use jiff::Timestamp;
use serde::Serialize;

use super::gate::GateFailure;
use super::job::{MergeJob, fetch_target, queue_repository};
use super::memory::GateMemory;
use super::task::fence_output;
use crate::flow::rig::check_remote;
use crate::record::merge_request::{self, Receipt, request_state};
use crate::town::Rig;
use crate::town::config::{RigSettings, target_branch_of};
use crate::town::event::event;
use crate::town::lock::Lock;

/// The number of commits of the target that the search looks at.
const LIMIT: usize = 1000;

/// The result of a search.
#[derive(Debug, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum BisectOutcome {
    /// The tip passes all gates.
    Passes { target: String, commit: String },
    /// The first commit that fails.
    Found(FailingCommit),
    /// No commit passes.
    NothingPasses {
        target: String,
        gate: String,
        /// The oldest commit that was checked.
        oldest: String,
        log: String,
    },
    /// A gate cannot be run on this machine.
    GateCannotRun { gate: String, reason: String },
}

#[derive(Debug, Serialize)]
pub struct FailingCommit {
    pub target: String,
    pub commit: String,
    pub subject: String,
    pub author: String,
    /// The commit before it, which passes.
    pub good: String,
    pub gate: String,
    /// The file with the output of the gate.
    pub log: String,
    /// The request that merged it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
    /// The bead of the request, which is open again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bead: Option<String>,
}

/// Searches the first commit of a rig's target that fails a gate. `good` is a commit that is known
/// to pass.
pub fn bisect_target(rig: &Rig, good: Option<&str>) -> anyhow::Result<BisectOutcome> {
    let _queue = Lock::try_take(&rig.queue_lock())?;
    let (store, settings) = (rig.store()?, RigSettings::load(rig)?);
    let target = target_branch_of(rig);
    let job = MergeJob {
        rig,
        store: &store,
        settings: &settings,
        git: queue_repository(rig),
        remote: check_remote(rig)?,
        // Only the gates need a request, as the name of their logs.
        request: Bead {
            id: "bisect".to_owned(),
            ..Bead::default()
        },
        receipt: Receipt {
            branch: target.clone(),
            target: target.clone(),
            ..Receipt::default()
        },
    };
    let tip = fetch_target(&job)?
        .ok_or_else(|| anyhow::anyhow!("the target branch {target} does not exist"))?;
    let beads = store.snapshot()?;
    let requests = list_merged_requests(&beads, &target);
    let commits = list_target_commits(&job, &requests, &tip, good)?;
    let mut search = Search {
        job: &job,
        commits: &commits,
        memory: GateMemory::default(),
    };
    let Some(failure) = search.find_failure(0)? else {
        return Ok(BisectOutcome::Passes {
            target,
            commit: tip,
        });
    };
    if let Some(reason) = failure.describe_cannot_run() {
        let gate = failure.gate;
        return Ok(BisectOutcome::GateCannotRun { gate, reason });
    }
    let found = match search.find_first_failing(failure)? {
        Ok(found) => found,
        Err(failure) => {
            return Ok(BisectOutcome::NothingPasses {
                target,
                oldest: commits.last().cloned().unwrap_or_default(),
                log: failure.log.display().to_string(),
                gate: failure.gate,
            });
        }
    };
    let commit = commits[found.index].clone();
    let mut merged = requests.into_iter();
    let request = merged.find(|request| request_state(request).candidate == commit);
    let bead = request
        .map(|request| open_bead_again(&job, request, &commit, &found.failure))
        .transpose()?
        .flatten();
    let good = commits[found.index + 1].clone();
    let described = job.git.commits(&good, &commit)?;
    let described = described.into_iter().find(|one| one.id == commit);
    let (subject, author) = described
        .map(|one| (one.subject, one.author_name))
        .unwrap_or_default();
    rig.town().record_event(&event!(TargetBisected,
        rig: rig.name(), target: target, commit: commit, gate: found.failure.gate,
        mr: request.map(|request| request.id.clone()), bead: bead,
    ));
    Ok(BisectOutcome::Found(FailingCommit {
        good,
        gate: found.failure.gate,
        log: found.failure.log.display().to_string(),
        request: request.map(|request| request.id.clone()),
        author,
        target,
        commit,
        subject,
        bead,
    }))
}

/// Returns the requests that were merged to a target.
fn list_merged_requests<'b>(beads: &'b Snapshot, target: &str) -> Vec<&'b Bead> {
    let closed = merge_request::requests_closed_since(beads, Timestamp::UNIX_EPOCH).into_iter();
    let is_merged = |request: &&Bead| {
        merge_request::receipt_of(request).target == target
            && !request_state(request).candidate.is_empty()
    };
    closed.filter(is_merged).collect()
}

/// Returns the commits of the target, newest first, that were its tip: without those that merges
/// brought in, and without all but the last one of a request. Ends with the good one.
fn list_target_commits(
    job: &MergeJob,
    requests: &[&Bead],
    tip: &str,
    good: Option<&str>,
) -> anyhow::Result<Vec<String>> {
    let limit = LIMIT.to_string();
    let call = job
        .git
        .plumbing(["rev-list", "--first-parent", "-n", &limit, tip]);
    let mut commits: Vec<String> = call.text()?.lines().map(str::to_owned).collect();
    let mut inside = HashSet::new();
    for state in requests.iter().map(|request| request_state(request)) {
        let is_merge = |commit: &&String| **commit == state.candidate;
        let of_request = commits
            .iter()
            .skip_while(|commit| !is_merge(commit))
            .skip(1);
        if state.onto.is_empty() || !commits.contains(&state.onto) {
            continue;
        }
        inside.extend(
            of_request
                .take_while(|commit| **commit != state.onto)
                .cloned(),
        );
    }
    commits.retain(|commit| !inside.contains(commit));
    let Some(good) = good else {
        return Ok(commits);
    };
    let target = &job.receipt.target;
    let id = job.git.resolve(&format!("{good}^{{commit}}"))?;
    let place = commits
        .iter()
        .position(|commit| Some(commit) == id.as_ref());
    let place = place.ok_or_else(|| {
        anyhow::anyhow!("{good} is not one of the last {LIMIT} commits of {target}")
    })?;
    commits.truncate(place + 1);
    Ok(commits)
}

struct Search<'a> {
    job: &'a MergeJob<'a>,
    /// Newest first.
    commits: &'a [String],
    memory: GateMemory,
}

/// A commit of the search that fails, and whose parent passes.
struct FoundFailure {
    index: usize,
    failure: GateFailure,
}

impl Search<'_> {
    fn find_failure(&mut self, index: usize) -> anyhow::Result<Option<GateFailure>> {
        self.memory.check(self.job, &self.commits[index])
    }

    /// Returns the oldest failing commit after one that passes, or the failure of the oldest commit
    /// if none passes. `failure` is that of the tip.
    fn find_first_failing(
        &mut self,
        failure: GateFailure,
    ) -> anyhow::Result<Result<FoundFailure, GateFailure>> {
        let oldest = self.commits.len() - 1;
        let mut red = FoundFailure { index: 0, failure };
        let mut step = 1;
        let mut green = loop {
            if red.index == oldest {
                return Ok(Err(red.failure));
            }
            let index = (red.index + step).min(oldest);
            match self.find_failure(index)? {
                None => break index,
                Some(failure) => red = FoundFailure { index, failure },
            }
            step *= 2;
        };
        while green - red.index > 1 {
            let index = red.index + (green - red.index) / 2;
            match self.find_failure(index)? {
                None => green = index,
                Some(failure) => red = FoundFailure { index, failure },
            }
        }
        Ok(Ok(red))
    }
}

/// Opens the bead of a request at a new attempt, with the evidence as a comment. Returns `None` if
/// the bead is gone.
fn open_bead_again(
    job: &MergeJob,
    request: &Bead,
    commit: &str,
    failure: &GateFailure,
) -> anyhow::Result<Option<String>> {
    let id = merge_request::source_bead_of(request);
    let text = format!(
        "The work of this bead broke `{target}`: the merge {commit:.12} ({request}) is the first one that fails the \
         gate `{gate}` ({end}). The commits are still on `{target}`. Repair them, or revert the merge.\n\nThe end of \
         its output (all of it is in {log}):\n\n{tail}",
        target = job.receipt.target,
        request = request.id,
        gate = failure.gate,
        end = failure.end,
        log = failure.log.display(),
        tail = fence_output(&failure.tail),
    );
    job.rig.transact(job.store, |tx| {
        let Some(mut bead) = tx.get(&id).cloned() else {
            return Ok(None);
        };
        if !bead.is_open() {
            attempt::raise_attempt(&mut bead)?;
            bead.assignee.clear();
            tx.put(bead)?;
            change::reopen_bead(tx, &id, Some("bisect"))?;
        }
        let actor = tx.actor().to_owned();
        change::add_comment(tx, &id, &actor, &text)?;
        Ok(Some(id))
    })
}
