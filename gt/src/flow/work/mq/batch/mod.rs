//! Merges several ready requests to one target with as few runs of the gates as possible.
//!
//! 1. `stack`: build the candidate of each request on that of the one before. A request that
//!    conflicts with the stack is left for the next round.
//! 2. Run the gates on the tree of the top, in a commit whose parent is the target, so that a gate
//!    that compares with the parent sees the changes of all (`combine`). If they pass, all land in
//!    one push, each as its own merge (`land_stack`).
//! 3. If they fail, search the shortest prefix that fails, by halves, or by smaller parts that are
//!    checked side by side (`find_failing_prefix`). The requests before its last one land. The last one is handled alone, which needs no further
//!    run, because its tree is known ([`super::memory`]). Start over with the rest.
//!
//! A request that a hook or a user must decide about, and a task that repairs another request or
//! the target, is never part of a batch.

mod search;

use bd::bead::Bead;
use bd::git::{PushError, PushRefusal};
use kit::sys::machine;

pub use self::search::PrefixSearch;
use super::candidate::{self, NoCandidate, WorkRange};
use super::job::{MergeJob, MergeOutcome};
use super::run::{QueueRun, process_request};
use super::verify::TargetPresence;
use super::{land, target, verify, withdraw};
use crate::flow::place::town_hook::{self, TownHookEvent};
use crate::record::merge_request::{self, request_state};
use crate::town::Rig;
use crate::town::config::{LandingRoute, RigSettings};
use crate::town::event::event;
use crate::town::queue_pause::check_may_merge;

/// A request of a batch.
pub(super) struct BatchMember<'a> {
    job: MergeJob<'a>,
    work: WorkRange,
}

/// A request whose candidate stands on those before it.
struct StackedMember<'a> {
    member: BatchMember<'a>,
    onto: String,
    candidate: String,
}

/// Returns true if the rig's settings and hooks allow batches.
pub(super) fn allows_batches(rig: &Rig, settings: &RigSettings) -> bool {
    settings.merge_queue.batch_limit() > 1
        && settings.landing_route() != Some(LandingRoute::PullRequest)
        && settings.review_reason().is_none()
        && !town_hook::has_event_hooks(&rig.town().layout, Some(rig), TownHookEvent::PreMerge)
}

/// Returns true if a request may be checked together with others.
pub(super) fn is_batchable(beads: &bd::store::Snapshot, request: &Bead) -> bool {
    let receipt = merge_request::receipt_of(request);
    let source = merge_request::source_bead_of(request);
    !receipt.tip.is_empty()
        && !receipt.target.is_empty()
        && receipt.resolves.is_none()
        && request_state(request).broken.is_none()
        && merge_request::awaited_pull_request(request).is_none()
        && !target::repairs_target(beads, &source)
}

impl<'a> QueueRun<'a> {
    /// Handles requests to one target, best first. Handles at least the first one, and leaves some
    /// for the next round if the batch cannot go on.
    pub(super) fn handle_batch(&mut self, requests: Vec<Bead>) -> anyhow::Result<()> {
        let mut members = Vec::new();
        let mut onto = None;
        for request in requests {
            let job = self.build_job(request)?;
            if onto.is_none() {
                // Without a target, each request is handled alone and reports the error.
                onto = job.fetch_target().ok().flatten();
            }
            match prepare_member(&job, onto.as_deref()) {
                Ok(Some(work)) => {
                    self.record_started(&job);
                    members.push(BatchMember { job, work });
                }
                // The steps of a single request report why it cannot be merged now.
                Ok(None) => self.handle(job.request, process_request)?,
                Err(error) => self.conclude_failed(&job, error)?,
            }
        }
        while !members.is_empty() && self.is_batching {
            members = match self.merge_members(members) {
                Ok(rest) => rest,
                Err(error) if self.is_stopping() => return Err(error),
                // Handled alone, each request reports the error.
                Err(_) => {
                    self.is_batching = false;
                    Vec::new()
                }
            };
        }
        Ok(())
    }

    /// Merges the first requests that pass together, and handles the first one that fails. Returns
    /// the rest.
    fn merge_members(
        &mut self,
        members: Vec<BatchMember<'a>>,
    ) -> anyhow::Result<Vec<BatchMember<'a>>> {
        let members = self.drop_stale(members)?;
        let Some(first) = members.first() else {
            return Ok(members);
        };
        let onto = first.job.fetch_target()?;
        let mut stack = match onto {
            Some(onto) => stack_members(&onto, members)?,
            None => Vec::new(),
        };
        if stack.is_empty() {
            self.is_batching = false;
            return Ok(Vec::new());
        }
        if stack.len() == 1 {
            self.handle_single(stack.remove(0))?;
            return Ok(Vec::new());
        }
        let failing = self.find_failing_prefix(&stack)?;
        let Some(failing) = failing else {
            return self.land_stack(stack);
        };
        let mut rest = stack.split_off(failing - 1).into_iter();
        let guilty = rest.next();
        let mut left = Vec::new();
        if let Some(top) = stack.last() {
            self.passing_target = Some(top.candidate.clone());
            left = self.land_stack(stack)?;
        }
        if left.is_empty()
            && self.is_batching
            && let Some(guilty) = guilty
        {
            self.handle_single(guilty)?;
        }
        self.passing_target = None;
        left.extend(rest.map(|stacked| stacked.member));
        Ok(left)
    }

    /// Withdraws the members that may not merge any more, and returns the others.
    fn drop_stale(
        &mut self,
        members: Vec<BatchMember<'a>>,
    ) -> anyhow::Result<Vec<BatchMember<'a>>> {
        let beads = self.store.snapshot()?;
        let mut rest = Vec::new();
        for member in members {
            let request = beads.get(&member.job.request.id);
            let is_stale =
                request.is_some_and(|request| withdraw::stale_reason(&beads, request).is_some());
            let withdrawn = if is_stale {
                withdraw::withdraw_request(&member.job)?
            } else {
                None
            };
            match withdrawn {
                Some(outcome) => self.conclude(&member.job, outcome)?,
                None => rest.push(member),
            }
        }
        Ok(rest)
    }

    /// Handles one request alone. The result for its tree may be known.
    fn handle_single(&mut self, stacked: StackedMember<'a>) -> anyhow::Result<()> {
        self.handle(stacked.member.job.request, process_request)
    }

    /// Returns the length of the shortest failing prefix of the stack, or `None` if the whole stack
    /// passes.
    fn find_failing_prefix(&mut self, stack: &[StackedMember]) -> anyhow::Result<Option<usize>> {
        if self.pass(stack, &[stack.len()])? == [true] {
            return Ok(None);
        }
        let mut search = PrefixSearch::of_failing_stack(stack.len());
        while self.is_batching
            && let Some(lengths) = search.next_lengths(self.parallel_checks())
        {
            let passed = self.pass(stack, &lengths)?;
            search.narrow(&lengths, &passed);
        }
        // A gate that cannot run says nothing about the requests: the first one reports it.
        Ok(Some(if self.is_batching {
            search.failing_length()
        } else {
            1
        }))
    }

    /// Returns how many parts of a stack may be checked at the same time. One on a busy machine,
    /// where more would only slow down each other.
    fn parallel_checks(&self) -> usize {
        let limit = self.settings.merge_queue.parallel.unwrap_or(1).max(1);
        let is_busy = limit > 1 && machine::load_percent().is_some_and(|load| load > 100);
        if is_busy { 1 } else { limit }
    }

    /// Runs the gates on prefixes of a stack, of these lengths, at the same time. Ends the batches
    /// of this run if a gate cannot run.
    fn pass(&mut self, stack: &[StackedMember], lengths: &[usize]) -> anyhow::Result<Vec<bool>> {
        let mut commits = Vec::new();
        for length in lengths {
            let prefix = &stack[..*length];
            let Some(top) = prefix.last() else { continue };
            commits.push((&top.member.job, combine(prefix, top)?));
        }
        let runs: Vec<_> = commits
            .iter()
            .map(|(job, commit)| (*job, &**commit))
            .collect();
        let failures = self.memory.check_side_by_side(&runs)?;
        for (length, failure) in lengths.iter().zip(&failures) {
            if let Some(failure) = failure
                && failure.describe_cannot_run().is_some()
            {
                self.is_batching = false;
            }
            let prefix = &stack[..*length];
            if let [first, _, ..] = prefix {
                let ids = prefix.iter().map(|stacked| &stacked.member.job.request.id);
                self.rig.town().record_event(&event!(MergeBatch,
                    rig: self.rig.name(), target: first.member.job.receipt.target,
                    mrs: ids.cloned().collect::<Vec<_>>(),
                    outcome: if failure.is_none() { "passed" } else { "failed" },
                ));
            }
        }
        Ok(failures.iter().map(Option::is_none).collect())
    }

    /// Lands all requests of a stack in one push. If one of them may not land any more, returns the
    /// others.
    fn land_stack(
        &mut self,
        mut stack: Vec<StackedMember<'a>>,
    ) -> anyhow::Result<Vec<BatchMember<'a>>> {
        if check_may_merge(self.rig).is_err() {
            // Parked or paused while the gates ran: the run ends.
            self.is_batching = false;
            return Ok(Vec::new());
        }
        for (index, stacked) in stack.iter().enumerate() {
            let prepared =
                land::prepare_landing(&stacked.member.job, &stacked.onto, &stacked.candidate)?;
            let Some(outcome) = prepared else { continue };
            let mut others = stack;
            let stopped = others.remove(index);
            self.conclude(&stopped.member.job, outcome)?;
            return Ok(others.into_iter().map(|stacked| stacked.member).collect());
        }
        let (Some(bottom), Some(top)) = (stack.first(), stack.last()) else {
            return Ok(Vec::new());
        };
        let job = &top.member.job;
        match job
            .queue
            .push_to_target(&job.receipt.target, &bottom.onto, &top.candidate)
        {
            Ok(()) => {}
            // A rule of the server may be about one of them, and another push may have come first:
            // each is merged by its own steps.
            Err(PushError::Refused(PushRefusal::Declined(_) | PushRefusal::Stale)) => {
                self.is_batching = false;
                return Ok(Vec::new());
            }
            Err(error) => {
                let reason = error.to_string();
                for stacked in &stack {
                    let reason = reason.clone();
                    self.conclude(&stacked.member.job, MergeOutcome::Later { reason })?;
                }
                return Ok(Vec::new());
            }
        }
        let seen = job.fetch_target()?;
        let mut landed = Vec::new();
        for stacked in &mut stack {
            let job = &mut stacked.member.job;
            if let Some(seen) = &seen
                && job.queue.git.is_ancestor(&stacked.candidate, seen)?
            {
                landed.push(job);
            }
        }
        land::delete_remote_branches(landed.into_iter());
        // All are closed before the first `post-merge` hook runs, which may take its time.
        let closed: Vec<anyhow::Result<MergeOutcome>> = stack
            .iter()
            .map(|stacked| {
                land::close_if_landed(&stacked.member.job, seen.as_deref(), &stacked.candidate)
            })
            .collect();
        for (stacked, outcome) in stack.iter().zip(closed) {
            match outcome {
                Ok(outcome) => self.conclude(&stacked.member.job, outcome)?,
                Err(error) => self.conclude_failed(&stacked.member.job, error)?,
            }
        }
        Ok(Vec::new())
    }
}

/// Returns the commit that the gates check for a stack: the tree of the top, on the target.
fn combine(stack: &[StackedMember], top: &StackedMember) -> anyhow::Result<String> {
    let [bottom, _, ..] = stack else {
        return Ok(top.candidate.clone());
    };
    let git = &top.member.job.queue.git;
    let tree = git.tree_of(&top.candidate)?;
    let message = git
        .plumbing(["log", "-1", "--format=%B"])
        .args([&top.candidate])
        .text()?;
    let who = top.member.job.queue.identity();
    Ok(git.commit_tree(&tree, &[&bottom.onto], &message, &who)?)
}

/// Checks that a request may be part of a batch now, and finds its commits. `None` if its own steps
/// must say what becomes of it.
fn prepare_member(job: &MergeJob, target: Option<&str>) -> anyhow::Result<Option<WorkRange>> {
    crate::town::config::check_guards(job.queue.rig)?;
    let Some(target) = target else {
        return Ok(None);
    };
    if verify::find_on_target(job, target)? != TargetPresence::No {
        return Ok(None);
    }
    match candidate::prepare_work(job, target) {
        Ok(work) => Ok(Some(work)),
        Err(NoCandidate::Failed(error)) => Err(error),
        Err(_) => Ok(None),
    }
}

/// Builds the candidates of the requests on one another. A request that does not merge with the
/// stack is left out, unless it is the first: then its own steps say why.
fn stack_members<'a>(
    target: &str,
    members: Vec<BatchMember<'a>>,
) -> anyhow::Result<Vec<StackedMember<'a>>> {
    let mut stack: Vec<StackedMember<'a>> = Vec::new();
    for member in members {
        let onto = stack
            .last()
            .map_or(target, |below| below.candidate.as_str());
        match candidate::merge_work(&member.job, &member.work, onto) {
            Ok(merged) => stack.push(StackedMember {
                onto: onto.to_owned(),
                candidate: merged.commit,
                member,
            }),
            Err(NoCandidate::Failed(error)) => return Err(error),
            Err(_) if stack.is_empty() => {
                let candidate = String::new();
                let onto = target.to_owned();
                return Ok(vec![StackedMember {
                    member,
                    onto,
                    candidate,
                }]);
            }
            Err(_) => {}
        }
    }
    Ok(stack)
}

#[cfg(test)]
mod tests;
