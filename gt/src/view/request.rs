//! Lists the open requests of a rig's merge queue, in merge order, with the reason of each wait and
//! an estimate of its merge.

use bd::store::Snapshot;
use jiff::Timestamp;
use kit::ui::escape;
use kit::ui::time::{format_ago, format_estimate, format_seconds};
use serde::Serialize;

use super::request_times::RequestTimes;
use crate::flow::work::mq::{self, QueuePace, RequestOrder, find_clashes};
use crate::patrol::PatrolMemory;
use crate::record::merge_request;
use crate::record::pull_request::PullRequest;
use crate::record::request_wait::{BrokenTargets, RequestWait};
use crate::town::Rig;
use crate::town::config::RigSettings;
use crate::town::event::{self, EventLine};
use crate::town::lock::Lock;
use crate::town::queue_pause::check_may_merge;

/// An open request of a merge queue.
#[derive(Debug, Clone, Serialize)]
pub struct RequestRow {
    pub id: String,
    pub rig: String,
    pub bead: String,
    /// The title of the bead.
    pub title: String,
    pub branch: String,
    pub target: String,
    pub worker: String,
    pub status: RequestStanding,
    pub score: f64,
    pub priority: i64,
    pub created_at: String,
    pub waits_for: Vec<String>,
    /// The other requests to the same target that change the same files.
    pub clashes_with: Vec<String>,
    /// The reason why the queue does not merge it now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The commands that advance it.
    pub next_steps: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs_person: Option<String>,
    /// True if it waits for a user because its commits change nothing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub adds_nothing: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pull_request: Option<PullRequest>,
    /// The request's number among the ready ones, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimate: Option<MergeEstimate>,
    /// The time that it spent so far, by step.
    pub times: RequestTimes,
}

/// The state of an open request in the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RequestStanding {
    Ready,
    Merging,
    /// Ready, but nothing is merged in the rig.
    Stopped,
    Blocked,
}

impl RequestStanding {
    pub fn name(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Merging => "merging",
            Self::Stopped => "stopped",
            Self::Blocked => "blocked",
        }
    }
}

/// The expected time until a request is merged, if no request before it fails.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MergeEstimate {
    pub seconds: f64,
    /// The number of runs of the gates up to its merge.
    pub rounds: usize,
    /// The median duration of one run.
    pub round_seconds: f64,
    /// The mean time of the queue for one request, with the merge and its check.
    pub request_seconds: f64,
}

impl MergeEstimate {
    /// Estimates the merge of the request at a place, from 1. Requests of one run of the gates are
    /// merged together.
    fn for_place(pace: QueuePace, place: usize) -> Self {
        let rounds = pace.rounds_until(place);
        #[expect(clippy::cast_precision_loss, reason = "a queue is short")]
        let [rounds_before, place] = [rounds as f64, place as f64];
        let seconds = (rounds_before * pace.round_seconds).max(place * pace.request_seconds);
        let [seconds, round_seconds, request_seconds] =
            [seconds, pace.round_seconds, pace.request_seconds]
                .map(|seconds| (seconds * 10.0).round() / 10.0);
        Self {
            seconds,
            rounds,
            round_seconds,
            request_seconds,
        }
    }

    /// Describes the estimate with its reason.
    pub fn describe(&self) -> String {
        let rounds = kit::ui::counted(self.rounds, "run");
        format!(
            "in {} ({rounds} of the gates, {} each; {} per request)",
            format_estimate(self.seconds),
            format_seconds(self.round_seconds),
            format_seconds(self.request_seconds)
        )
    }
}

/// Reads the open requests of a rig, in merge order.
pub fn read_requests(rig: &Rig) -> anyhow::Result<Vec<RequestRow>> {
    list_requests(rig, &rig.store()?.snapshot()?)
}

/// Lists the open requests among a rig's beads, in merge order.
pub fn list_requests(rig: &Rig, beads: &Snapshot) -> anyhow::Result<Vec<RequestRow>> {
    // With wrong settings nothing is merged, and the list is in the built-in order.
    let settings = RigSettings::load(rig).unwrap_or_else(|_| RigSettings::default());
    let order = RequestOrder::read(rig, &settings)?;
    let now = rig.town().clock.now();
    let clashes = find_clashes(beads);
    let broken_targets = BrokenTargets::find(beads);
    let next_run = PatrolMemory::next_queue_run(&rig.town().layout, rig.name(), now);
    let mut rows: Vec<RequestRow> = merge_request::open_requests(beads)
        .into_iter()
        .map(|request| {
            let receipt = merge_request::receipt_of(request);
            let blockers = bd::graph::find_blockers(beads, &request.id);
            let mut waits_for: Vec<String> = blockers.into_iter().map(str::to_owned).collect();
            let wait = RequestWait::find_among(beads, request, &broken_targets);
            if let Some(RequestWait::Target { task, .. }) = &wait {
                waits_for.push(task.clone());
            }
            let stale = mq::stale_reason(beads, request);
            let (status, why, next_steps) = match (stale, wait) {
                (Some(reason), _) => {
                    let why = format!(
                        "it may not merge any more: {}",
                        escape::escape_line(&reason)
                    );
                    (RequestStanding::Blocked, Some(why), Vec::new())
                }
                (None, None) => (RequestStanding::Ready, None, Vec::new()),
                (None, Some(wait)) => {
                    let status = if wait.is_retried() {
                        RequestStanding::Ready
                    } else {
                        RequestStanding::Blocked
                    };
                    let mut why = wait.describe(beads, now);
                    if let Some(next) = next_run.filter(|_| wait.is_tried_again()) {
                        why.push_str(&format!("; next try {}", format_ago(now, next)));
                    }
                    (
                        status,
                        Some(why),
                        wait.next_steps(beads, &request.id, rig.name()),
                    )
                }
            };
            let bead = merge_request::source_bead_of(request);
            RequestRow {
                id: request.id.clone(),
                rig: rig.name().to_owned(),
                title: beads
                    .get(&bead)
                    .map_or(String::new(), |bead| bead.title.clone()),
                bead,
                branch: receipt.branch,
                target: receipt.target,
                worker: receipt.worker,
                status,
                score: order.score(request),
                priority: request.priority,
                created_at: request.created_at.to_string(),
                waits_for,
                clashes_with: clashes.get(&request.id).cloned().unwrap_or_default(),
                why,
                next_steps,
                needs_person: merge_request::reason_for_user(request),
                adds_nothing: merge_request::adds_nothing(request),
                stopped_by: merge_request::stopping_hook(request),
                pull_request: merge_request::awaited_pull_request(request),
                place: None,
                estimate: None,
                times: RequestTimes::from_events(request, &[], now),
            }
        })
        .collect();
    add_queue_state(rig, &mut rows)?;
    for row in &mut rows {
        // Each read costs as much as the log of events has blocks, so `gt mq status` reads those of
        // the waiting requests.
        if row.status == RequestStanding::Merging
            && let Some(request) = beads.get(&row.id)
        {
            let events = event::read_events_about(&rig.town().layout, &row.id)?;
            row.times = RequestTimes::from_events(request, &events, now);
        }
    }
    rows.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id)));
    let pace = QueuePace::read(rig, &settings);
    let mut ready = 0;
    for row in &mut rows {
        row.score = (row.score * 10.0).round() / 10.0;
        if matches!(
            row.status,
            RequestStanding::Ready | RequestStanding::Merging
        ) {
            ready += 1;
            row.place = Some(ready);
            row.estimate = pace.map(|pace| MergeEstimate::for_place(pace, ready));
        }
    }
    Ok(rows)
}

/// Marks the ready requests of a rig in which nothing is merged now, and those that the queue has
/// begun to merge.
fn add_queue_state(rig: &Rig, rows: &mut [RequestRow]) -> anyhow::Result<()> {
    let ready: Vec<&mut RequestRow> = rows
        .iter_mut()
        .filter(|row| row.status == RequestStanding::Ready)
        .collect();
    if let Err(stop) = check_may_merge(rig) {
        for row in ready {
            row.status = RequestStanding::Stopped;
            row.why.get_or_insert_with(|| stop.to_string());
        }
        return Ok(());
    }
    if Lock::is_free(&rig.queue_lock()) {
        return Ok(());
    }
    let now = rig.town().clock.now();
    for row in ready {
        let events = event::read_events_about(&rig.town().layout, &row.id)?;
        if let Some(started) = find_running_merge(&events) {
            row.status = RequestStanding::Merging;
            row.why = Some(format!("its checks began {}", format_ago(now, started)));
        }
    }
    Ok(())
}

/// Returns the start of the last merge in the events of a request, if no result came after it.
pub(super) fn find_running_merge(events: &[EventLine]) -> Option<Timestamp> {
    let last = events
        .iter()
        .rev()
        .filter(|line| line.kind.starts_with("merge"))
        .find(|line| !matches!(&*line.kind, "merge_batch" | "merge_driven"))?;
    let started = last.kind == "merge_started";
    started.then(|| last.ts.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_expected_after_the_batches_before_it_and_its_own() {
        let pace = QueuePace {
            batch_size: 4,
            round_seconds: 65.0,
            request_seconds: 17.0,
        };
        let describe = |place| MergeEstimate::for_place(pace, place).describe();
        let one_run = "in about 1m (1 run of the gates, 1m each; 17.0s per request)";
        assert_eq!(describe(1), one_run);
        assert_eq!(describe(4), one_run);
        assert_eq!(
            describe(5),
            "in about 2m (2 runs of the gates, 1m each; 17.0s per request)"
        );
    }

    #[test]
    fn an_estimate_counts_the_merges_of_a_long_queue_with_quick_gates() {
        let pace = QueuePace {
            batch_size: 8,
            round_seconds: 0.1,
            request_seconds: 1.2,
        };
        let estimate = MergeEstimate::for_place(pace, 581);
        assert_eq!(
            kit::ui::time::format_estimate(estimate.seconds),
            "about 11m"
        );
    }
}
