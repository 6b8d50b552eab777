//! Runs a rig's queue: merges every ready request, highest score first, until none is ready. Those
//! that may be checked together are ([`super::batch`]).

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashSet};
use std::time::Instant;

use bd::bead::Bead;
use bd::bead::hash::compute_short_hash;
use bd::store::Snapshot;
use jiff::{SignedDuration, Timestamp};

use super::gate_cache::GateCaches;
use super::job::{MergeJob, MergeOutcome, queue_repository};
use super::run::{QueueRun, RequestResult, process_request};
use super::score::RequestOrder;
use super::verify::TargetPresence;
use super::{batch, land, pull_request, receipt_check, target, task, verify, withdraw};
use crate::record::gate_history::GateHistory;
use crate::record::merge_request::{self, Receipt};
use crate::record::pull_request::PullRequestLook;
use crate::record::request_wait::BrokenTargets;
use crate::town::config::{LandingRoute, RigSettings};
use crate::town::lock::Lock;
use crate::town::queue_pause::check_may_merge;
use crate::town::{Rig, RigLayout};

/// Drains the queue of a rig. Fails if another process holds the queue.
pub fn run_queue(rig: &Rig) -> anyhow::Result<Vec<RequestResult>> {
    let _queue = Lock::try_take(&rig.queue_lock())?;
    check_may_merge(rig)?;
    let store = rig.store()?;
    let settings = RigSettings::load(rig)?;
    anyhow::ensure!(
        settings.merge_queue.enabled != Some(false),
        "the merge queue of rig `{}` is turned off (merge_queue.enabled in its settings)",
        rig.name()
    );
    task::track_all_tasks(rig.town(), &store)?;
    let git = queue_repository(rig);
    // A cache that cannot be removed is never used, and a later run removes it.
    GateCaches::sweep(rig, &settings, &git).ok();
    let mut run = QueueRun::new(rig, &store, &settings);
    let drained = drain_queue(&mut run);
    GateCaches::sweep(rig, &settings, &git).ok();
    drained.map(|()| run.results)
}

/// Handles requests until none is ready.
fn drain_queue(run: &mut QueueRun) -> anyhow::Result<()> {
    run.withdraw_stale()?;
    loop {
        let mut requests = run.next_requests()?;
        let begun = Instant::now();
        match requests.len() {
            0 => return Ok(()),
            1 => run.handle(requests.remove(0), process_request)?,
            _ => run.handle_batch(requests)?,
        }
        let ended = std::mem::take(&mut run.ended);
        if ended > 0 {
            GateHistory::record_turn(run.rig, begun.elapsed().as_secs_f64(), ended);
        }
    }
}

/// Withdraws requests that may not merge any more, without merging others. The caller holds the
/// rig's queue.
pub(crate) fn withdraw_stale_requests(rig: &Rig, _queue: &Lock) -> anyhow::Result<()> {
    let store = rig.store()?;
    let settings = RigSettings::load(rig)?;
    QueueRun::new(rig, &store, &settings).withdraw_stale()
}

impl QueueRun<'_> {
    fn withdraw_stale(&mut self) -> anyhow::Result<()> {
        withdraw::cancel_unneeded_tasks(self.rig.town(), self.store)?;
        let stale: Vec<Bead> = withdraw::find_stale_requests(&self.store.snapshot()?)
            .cloned()
            .collect();
        for request in stale {
            self.handle(request, |_, job| withdraw_unless_merged(job))?;
        }
        Ok(())
    }

    /// Returns the ready request with the highest score, and those after it that may be checked
    /// together with it.
    fn next_requests(&self) -> anyhow::Result<Vec<Bead>> {
        // A rig that is parked or paused during the run merges nothing more.
        if check_may_merge(self.rig).is_err() {
            return Ok(Vec::new());
        }
        let beads = self.store.snapshot()?;
        let order = RequestOrder::read(self.rig, self.settings)?;
        let mut ready = list_ready_requests(&order, &beads, &self.seen);
        // One request checks for all whether a broken target has changed.
        let mut checked = self.broken_targets.clone();
        ready.retain(|request| {
            merge_request::request_state(request).broken.is_none()
                || checked.insert(merge_request::receipt_of(request).target)
        });
        let Some(first) = ready.first() else {
            return Ok(Vec::new());
        };
        let broken_targets = BrokenTargets::find(&beads);
        let can_batch = |request: &Bead| {
            batch::is_batchable(&beads, request)
                && broken_targets.find_for(request).is_none()
                // A fault is reported by the steps of a single request.
                && matches!(receipt_check::find_receipt_fault(self.rig, request), Ok(None))
        };
        if !self.is_batching || !batch::allows_batches(self.rig, self.settings) || !can_batch(first)
        {
            return Ok(vec![(*first).clone()]);
        }
        let target = merge_request::receipt_of(first).target;
        let limit = self.settings.merge_queue.batch_limit();
        let size = GateHistory::load(self.rig).batch_size(limit);
        let chosen = choose_batch(
            ready
                .iter()
                .map(|request| (*request, merge_request::receipt_of(request)))
                .filter(|(request, receipt)| receipt.target == target && can_batch(request)),
            size,
        );
        Ok(chosen.into_iter().cloned().collect())
    }
}

/// How fast a rig's queue merges: the requests per run of the gates, the median duration of one,
/// and the time for each request with all that comes before and after the gates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QueuePace {
    pub batch_size: usize,
    pub round_seconds: f64,
    pub request_seconds: f64,
}

impl QueuePace {
    /// Returns the pace of a rig's queue. None before it has handled a request, if another program
    /// merges, and while nothing is merged.
    pub fn read(rig: &Rig, settings: &RigSettings) -> Option<Self> {
        if settings.landing_route() == Some(LandingRoute::PullRequest)
            || check_may_merge(rig).is_err()
        {
            return None;
        }
        let history = GateHistory::load(rig);
        let limit = settings.merge_queue.batch_limit();
        let batch_size = if batch::allows_batches(rig, settings) {
            history.batch_size(limit)
        } else {
            1
        };
        Some(Self {
            batch_size,
            round_seconds: history.median_round()?,
            request_seconds: history.seconds_per_request()?,
        })
    }

    /// Returns the number of runs of the gates up to the merge of the request at a place, from 1.
    pub fn rounds_until(&self, place: usize) -> usize {
        place.div_ceil(self.batch_size.max(1))
    }
}

/// Chooses the requests of a batch, best first, from the ready requests to one target. Requests
/// that change a file of an earlier one come last, so that a conflict in the batch costs as few
/// others as possible. Reads no more requests than the batch needs.
fn choose_batch<'b>(
    ready: impl Iterator<Item = (&'b Bead, Receipt)>,
    size: usize,
) -> Vec<&'b Bead> {
    let mut chosen: Vec<&Bead> = Vec::new();
    let mut clashing = Vec::new();
    let mut changed_files: HashSet<String> = HashSet::new();
    for (request, receipt) in ready {
        if chosen.len() == size {
            break;
        }
        if receipt
            .files
            .iter()
            .any(|file| changed_files.contains(file))
        {
            clashing.push(request);
        } else {
            changed_files.extend(receipt.files);
            chosen.push(request);
        }
    }
    chosen.extend(clashing);
    chosen.truncate(size);
    chosen
}

/// Withdraws a request that may not merge any more, unless its work is merged already.
fn withdraw_unless_merged(job: &MergeJob) -> anyhow::Result<MergeOutcome> {
    let target = if job.receipt.target.is_empty() {
        None
    } else {
        job.fetch_target()?
    };
    if let Some(target) = target
        && let TargetPresence::Yes { commit } = verify::find_on_target(job, &target)?
        && !job.receipt.pushed_to_target
    {
        return land::close_found_on_target(job, &commit);
    }
    let withdrawn = withdraw::withdraw_request(job)?;
    if let Some(MergeOutcome::Withdrawn { reason } | MergeOutcome::Rejected { reason }) = &withdrawn
    {
        pull_request::close_unneeded(job, reason)?;
    }
    Ok(withdrawn.unwrap_or_else(|| MergeOutcome::Later {
        reason: "its bead has changed just now".to_owned(),
    }))
}

/// Returns the time until the queue has work, if nothing changes until then. None if it has none.
pub(crate) fn time_until_ready(
    rig: &RigLayout,
    settings: &RigSettings,
    beads: &Snapshot,
    now: Timestamp,
) -> Option<SignedDuration> {
    let mut shortest: Option<SignedDuration> = None;
    let broken_targets = OnceCell::new();
    for request in list_unblocked_requests(beads) {
        let wait = match merge_request::awaited_pull_request(request) {
            Some(awaited) => time_until_look(rig, settings, &awaited.branch, now),
            None => {
                let broken_targets = broken_targets.get_or_init(|| BrokenTargets::find(beads));
                target::remaining_pause(broken_targets, request, now)
            }
        };
        if wait.is_zero() {
            return Some(wait);
        }
        shortest = Some(shortest.map_or(wait, |other| other.min(wait)));
    }
    if withdraw::has_stale_requests(beads) {
        return Some(SignedDuration::ZERO);
    }
    shortest
}

/// Returns the shortest pause between two looks at what the open requests wait for outside the
/// beads: pull requests and broken targets. None if none waits for them.
pub(crate) fn pause_between_looks(
    settings: &RigSettings,
    beads: &Snapshot,
) -> Option<SignedDuration> {
    merge_request::requests_with_findings(beads)
        .filter_map(|request| {
            if merge_request::awaited_pull_request(request).is_some() {
                Some(look_interval(settings))
            } else {
                let broken = merge_request::request_state(request).broken;
                broken.map(|_| target::CHECK_PAUSE)
            }
        })
        .min()
}

/// Returns the pause between two looks at a pull request.
fn look_interval(settings: &RigSettings) -> SignedDuration {
    // An interval of zero must not keep the patrol busy.
    const MIN_WAIT: SignedDuration = SignedDuration::from_secs(1);
    SignedDuration::try_from(settings.poll_interval())
        .unwrap_or(SignedDuration::MAX)
        .max(MIN_WAIT)
}

/// Returns a hash of the gates, the open requests and the times of their retries by users. After a
/// change of it, a failed run may succeed. The queue itself changes it only by closing requests.
pub(crate) fn hash_queue(settings: &RigSettings, beads: &Snapshot) -> String {
    let requests = merge_request::list_open_ids(beads);
    let retries = merge_request::list_retries(beads);
    let text = format!("{:?}\0{requests:?}\0{retries:?}", settings.merge_queue);
    compute_short_hash(text, 6)
}

/// Returns the time until the next look at the pull request of a branch.
fn time_until_look(
    rig: &RigLayout,
    settings: &RigSettings,
    branch: &str,
    now: Timestamp,
) -> SignedDuration {
    // After an unreadable look, the next one is due.
    let last = PullRequestLook::load(rig, branch)
        .ok()
        .and_then(|look| look.at);
    last.map_or(SignedDuration::ZERO, |last| {
        look_interval(settings).saturating_sub(now.duration_since(last))
    })
    .max(SignedDuration::ZERO)
}

/// Returns the ready requests that this run has not handled, highest score first.
fn list_ready_requests<'b>(
    order: &RequestOrder,
    beads: &'b Snapshot,
    seen: &BTreeSet<String>,
) -> Vec<&'b Bead> {
    let mut ready: Vec<(f64, &Bead)> = list_unblocked_requests(beads)
        .filter(|request| !seen.contains(&request.id))
        .map(|request| (order.score(request), request))
        .collect();
    ready.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.id.cmp(&b.1.id)));
    ready.into_iter().map(|(_, request)| request).collect()
}

/// Returns the open requests that wait for no bead and no user.
fn list_unblocked_requests(beads: &Snapshot) -> impl Iterator<Item = &Bead> {
    let open = merge_request::open_requests(beads);
    let resolved = OnceCell::new();
    let all = open.clone();
    open.into_iter().filter(move |request| {
        if merge_request::awaited_pull_request(request).is_some() {
            // The result of a task updates the pull request, and is the request to look at.
            let resolved: &HashSet<String> = resolved.get_or_init(|| {
                all.iter()
                    .copied()
                    .map(merge_request::receipt_of)
                    .filter_map(|receipt| receipt.resolves)
                    .collect()
            });
            return !resolved.contains(&request.id);
        }
        merge_request::reason_for_user(request).is_none()
            && bd::graph::find_blockers(beads, &request.id).is_empty()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_that_clash_with_a_better_one_come_last_in_a_batch() {
        let request = |id: &str| Bead {
            id: id.to_owned(),
            ..Bead::default()
        };
        let ready = [("a", "x"), ("b", "x"), ("c", "y"), ("d", "z")].map(|(id, file)| {
            let files = vec![file.to_owned()];
            let receipt = Receipt {
                files,
                ..Receipt::default()
            };
            (request(id), receipt)
        });
        let ids = |size| -> Vec<&str> {
            let all = ready.iter().map(|(bead, receipt)| (bead, receipt.clone()));
            let chosen = choose_batch(all, size);
            chosen.iter().map(|request| &*request.id).collect()
        };
        assert_eq!(ids(8), ["a", "c", "d", "b"]);
        assert_eq!(ids(3), ["a", "c", "d"]);
    }

    #[test]
    fn a_batch_reads_no_request_behind_its_last_one() {
        let bead = Bead::default();
        let read = std::cell::Cell::new(0);
        let all = (0..1000).map(|_| {
            read.set(read.get() + 1);
            (&bead, Receipt::default())
        });
        assert_eq!(choose_batch(all, 8).len(), 8);
        assert!(read.get() <= 9, "{}", read.get());
    }
}
