//! Finds the merge that broke a target, and opens its bead again.
//!
//! 1. Run the gates on the tip of the target. If they pass, nothing is broken.
//! 2. Go back along the target in steps of growing size until a commit passes the failed gate.
//! 3. Run the gate on the commits from the tip to that one, until one passes. An older failure was
//!    repaired, so a search by halves could accuse work that is not the cause.
//! 4. Open the bead of the request that merged the first failing commit, at a new attempt and with
//!    the evidence. A commit that no request merged is only reported.

use std::collections::{HashMap, HashSet};

use bd::bead::{Bead, attempt, fields};
use bd::change;
use bd::git::Git;
use bd::store::Snapshot;
use jiff::Timestamp;
use serde::Serialize;

use super::gate::{GateFailure, GateRun};
use super::job::MergeQueue;
use super::task::fence_output;
use crate::record::merge_request::{self, request_state};
use crate::town::Rig;
use crate::town::config::{Gate, RigSettings, target_branch_of};
use crate::town::event::{MergeRef, event};
use crate::town::lock::Lock;

/// The number of commits of the target that the search looks at.
const MAX_COMMITS: usize = 1000;

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
    /// A gate cannot be run on this machine, or not on a commit of the search.
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
    let store = rig.store()?;
    let settings = RigSettings::load(rig)?;
    let target = target_branch_of(rig)?;
    let queue = MergeQueue::open(rig, &store, &settings)?;
    let tip = queue
        .fetch_target(&target)?
        .ok_or_else(|| anyhow::anyhow!("the target branch {target} does not exist"))?;
    let beads = store.snapshot()?;
    let requests = list_merged_requests(&beads, &target);
    let commits = list_target_commits(&queue.git, &requests, &tip, good)?;
    let Some(failure) = gate_run(&queue, &target, None).run_gates(&tip)? else {
        return Ok(BisectOutcome::Passes {
            target,
            commit: tip,
        });
    };
    if let Some(reason) = failure.describe_cannot_run() {
        let gate = failure.gate;
        return Ok(BisectOutcome::GateCannotRun { gate, reason });
    }
    let gate = failure.gate.clone();
    let mut search = Search {
        queue: &queue,
        target: &target,
        gates: list_gates_until(&queue, &gate)?,
        commits: &commits,
        results: HashMap::from([(0, Some(failure))]),
    };
    let oldest = commits.len() - 1;
    let passing = match find_newest_passing(oldest, |index| search.passes(index)) {
        Ok(passing) => passing,
        Err(SearchEnd::CannotCheck(reason)) => {
            return Ok(BisectOutcome::GateCannotRun { gate, reason });
        }
        Err(SearchEnd::Error(error)) => return Err(error),
    };
    let mut results = search.results;
    let mut take_failure = |index| results.remove(&index).flatten().unwrap_or_default();
    let Some(passing) = passing else {
        return Ok(BisectOutcome::NothingPasses {
            target,
            gate,
            oldest: commits[oldest].clone(),
            log: take_failure(oldest).log.display().to_string(),
        });
    };
    let good = commits[passing].clone();
    let commit = commits[passing - 1].clone();
    let failure = take_failure(passing - 1);
    let request = requests
        .into_iter()
        .find(|request| is_landed_as(request, &commit));
    let bead = request
        .map(|request| open_bead_again(&queue, &target, request, &commit, &failure))
        .transpose()?
        .flatten();
    let described = queue.git.commits(&good, &commit)?;
    let described = described.iter().find(|one| one.id == commit);
    rig.town().record_event(&event!(TargetBisected,
        rig: rig.name(), target: target, commit: commit, gate: gate,
        mr: request.map(|request| request.id.clone()), bead: bead,
    ));
    Ok(BisectOutcome::Found(FailingCommit {
        good,
        gate,
        log: failure.log.display().to_string(),
        request: request.map(|request| request.id.clone()),
        author: described.map_or("", |one| &one.author_name).to_owned(),
        subject: described.map_or("", |one| &one.subject).to_owned(),
        target,
        commit,
        bead,
    }))
}

/// Returns the requests that were merged to a target.
fn list_merged_requests<'b>(beads: &'b Snapshot, target: &str) -> Vec<&'b Bead> {
    merge_request::requests_closed_since(beads, Timestamp::UNIX_EPOCH)
        .into_iter()
        .filter(|request| {
            merge_request::receipt_of(request).target == target
                && (!request_state(request).candidate.is_empty()
                    || landed_commit(request).is_some())
        })
        .collect()
}

/// Returns the commit of the target that closed a request: of a pull request that was squashed or
/// rebased, the forge's own.
fn landed_commit(request: &Bead) -> Option<String> {
    fields::get_field(&request.description, "merge_commit")
}

fn is_landed_as(request: &Bead, commit: &str) -> bool {
    request_state(request).candidate == commit
        || landed_commit(request).is_some_and(|landed| landed == commit)
}

/// Returns the commits of the target, newest first, that were its tip: without those that merges
/// brought in, and without all but the last one of a request. Ends with the good one.
fn list_target_commits(
    git: &Git,
    requests: &[&Bead],
    tip: &str,
    good: Option<&str>,
) -> anyhow::Result<Vec<String>> {
    let limit = MAX_COMMITS.to_string();
    let call = git.plumbing(["rev-list", "--first-parent", "-n", &limit, tip]);
    let mut commits: Vec<String> = call.text()?.lines().map(str::to_owned).collect();
    let mut inside = HashSet::new();
    for state in requests.iter().map(|request| request_state(request)) {
        if state.onto.is_empty() || !commits.contains(&state.onto) {
            continue;
        }
        inside.extend(
            commits
                .iter()
                .skip_while(|commit| **commit != state.candidate)
                .skip(1)
                .take_while(|commit| **commit != state.onto)
                .cloned(),
        );
    }
    commits.retain(|commit| !inside.contains(commit));
    let Some(good) = good else {
        return Ok(commits);
    };
    let id = git.resolve(&format!("{good}^{{commit}}"))?;
    let place = commits
        .iter()
        .position(|commit| Some(commit) == id.as_ref());
    let place = place.ok_or_else(|| {
        anyhow::anyhow!("{good} is not one of the last {MAX_COMMITS} commits of the target")
    })?;
    commits.truncate(place + 1);
    Ok(commits)
}

/// Returns a gate after those that prepare its tree.
fn list_gates_until(queue: &MergeQueue, gate: &str) -> anyhow::Result<Vec<Gate>> {
    let found = queue
        .settings
        .gates(queue.rig)?
        .into_iter()
        .find_map(|mut group| {
            let place = group.iter().position(|one| one.name == gate)?;
            group.truncate(place + 1);
            Some(group)
        });
    found.ok_or_else(|| anyhow::anyhow!("the gate {gate} is not set up"))
}

/// Returns the run of the gates on the target, or for one commit of it, which has logs of its own.
fn gate_run<'a>(queue: &'a MergeQueue, target: &'a str, commit: Option<&str>) -> GateRun<'a> {
    let mr = commit.map_or_else(
        || MergeRef::SEARCH.to_owned(),
        |commit| format!("{}-{commit:.12}", MergeRef::SEARCH),
    );
    GateRun {
        queue,
        target,
        subject: MergeRef {
            mr,
            rig: queue.rig.name().to_owned(),
            branch: target.to_owned(),
            ..MergeRef::default()
        },
    }
}

struct Search<'a> {
    queue: &'a MergeQueue<'a>,
    target: &'a str,
    /// The gate that fails on the tip, after those that prepare its tree.
    gates: Vec<Gate>,
    /// Newest first.
    commits: &'a [String],
    /// The results by the index of the commit.
    results: HashMap<usize, Option<GateFailure>>,
}

/// The reason why a search ends without a result.
enum SearchEnd {
    CannotCheck(String),
    Error(anyhow::Error),
}

impl Search<'_> {
    /// Returns true if a commit passes the gate.
    fn passes(&mut self, index: usize) -> Result<bool, SearchEnd> {
        if let Some(known) = self.results.get(&index) {
            return Ok(known.is_none());
        }
        let commit = &self.commits[index];
        let result = gate_run(self.queue, self.target, Some(commit))
            .run_group(commit, &self.gates)
            .map_err(SearchEnd::Error)?;
        if let Some(reason) = result
            .as_ref()
            .and_then(|failure| self.describe_no_result(failure))
        {
            return Err(SearchEnd::CannotCheck(format!(
                "at {commit:.12} {reason} (--good COMMIT ends the search at a later commit that passes)"
            )));
        }
        let passes = result.is_none();
        self.results.insert(index, result);
        Ok(passes)
    }

    /// Describes a failure that says nothing about the gate of the search.
    fn describe_no_result(&self, failure: &GateFailure) -> Option<String> {
        failure.describe_cannot_run().or_else(|| {
            let is_other = self
                .gates
                .last()
                .is_some_and(|gate| gate.name != failure.gate);
            is_other.then(|| format!("the gate {} fails ({})", failure.gate, failure.end))
        })
    }
}

/// Returns the index of the newest commit that passes, of commits from the failing tip, 0, to
/// `oldest`. `None` if the commits in steps of growing size all fail.
fn find_newest_passing<E>(
    oldest: usize,
    mut passes: impl FnMut(usize) -> Result<bool, E>,
) -> Result<Option<usize>, E> {
    let mut index = 0;
    let mut step = 1;
    while !passes(index)? {
        if index == oldest {
            return Ok(None);
        }
        index = (index + step).min(oldest);
        step *= 2;
    }
    for newer in 1..index {
        if passes(newer)? {
            return Ok(Some(newer));
        }
    }
    Ok(Some(index))
}

/// Opens the bead of a request at a new attempt, with the evidence as a comment. Returns `None` if
/// the bead is gone.
fn open_bead_again(
    queue: &MergeQueue,
    target: &str,
    request: &Bead,
    commit: &str,
    failure: &GateFailure,
) -> anyhow::Result<Option<String>> {
    let id = merge_request::source_bead_of(request);
    let text = format!(
        "The work of this bead broke `{target}`: the merge {commit:.12} ({request}) is the first one that fails the \
         gate `{gate}` ({end}). The commits are still on `{target}`. Repair them, or revert the merge.\n\nThe end of \
         its output (all of it is in {log}):\n\n{tail}",
        request = request.id,
        gate = failure.gate,
        end = failure.end,
        log = failure.log.display(),
        tail = fence_output(&failure.tail),
    );
    queue.rig.transact(queue.store, |tx| {
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

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use proptest::prelude::*;

    use super::*;

    fn search(passing: &[bool]) -> Option<usize> {
        let check = |index: usize| Ok::<_, Infallible>(passing[index]);
        let Ok(found) = find_newest_passing(passing.len() - 1, check);
        found
    }

    #[test]
    fn a_failure_that_was_repaired_accuses_no_one() {
        // Newest first: harmless, the cause, a repair, what it repaired, and six that pass.
        let passing = [
            false, false, true, false, true, true, true, true, true, true,
        ];
        assert_eq!(search(&passing), Some(2));
        assert_eq!(search(&[false]), None);
    }

    proptest! {
        #[test]
        fn all_commits_after_the_passing_one_fail(
            older in proptest::collection::vec(any::<bool>(), 0..40),
        ) {
            let passing: Vec<bool> = std::iter::once(false).chain(older).collect();
            match search(&passing) {
                Some(found) => {
                    prop_assert!(passing[found]);
                    prop_assert!(passing[..found].iter().all(|passes| !passes));
                }
                None => prop_assert_eq!(passing.last(), Some(&false)),
            }
        }
    }
}
