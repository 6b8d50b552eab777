//! Computes how a rig's merge queue did: waits of merged requests, runs of gates, and the requests
//! that wait now.

use std::collections::BTreeMap;

use bd::bead::Bead;
use bd::store::Snapshot;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use super::request_times::seconds_between;
use crate::flow::work::mq::wait_bound;
use crate::record::merge_request;
use crate::town::Rig;
use crate::town::config::RigSettings;
use crate::town::event::{Event, NewestEvents};

/// The numbers of a rig's queue since a time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MergeStats {
    pub rig: String,
    pub since: Timestamp,
    /// The number of merged requests.
    pub merged: usize,
    /// The number of requests that were closed without a merge.
    pub withdrawn: usize,
    /// The time from the submission to the merge, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait_seconds: Option<Percentiles>,
    /// The part of it before the queue began with the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting_seconds: Option<Percentiles>,
    /// The part of it after that, with the gates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merging_seconds: Option<Percentiles>,
    pub gates: Vec<GateStats>,
    pub waiting: Vec<WaitingStats>,
}

/// The runs of one gate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GateStats {
    pub gate: String,
    pub runs: usize,
    pub failed: usize,
    /// The number of failed runs that were repeated.
    pub retried: u64,
    /// The number of runs per merged request. None without a merge.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runs_per_merge: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<Percentiles>,
}

/// The open requests of one priority.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WaitingStats {
    pub priority: i64,
    pub requests: usize,
    /// The age of the oldest one in seconds.
    pub oldest_seconds: f64,
    /// The age from which on one goes before all younger ones, in seconds. None for no bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound_seconds: Option<f64>,
}

/// The half and the 95th percentile of some values.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Percentiles {
    pub p50: f64,
    pub p95: f64,
}

impl Percentiles {
    /// None without values. Uses the nearest rank.
    fn from_values(mut values: Vec<f64>) -> Option<Self> {
        values.sort_by(f64::total_cmp);
        Some(Self {
            p50: find_percentile(&values, 50)?,
            p95: find_percentile(&values, 95)?,
        })
    }
}

fn find_percentile(sorted: &[f64], percent: usize) -> Option<f64> {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied()
}

/// The closed requests to count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CountedRequests {
    /// Those that are not archived yet.
    Kept,
    /// Also those in the archive, whose size grows with the age of the town.
    All,
}

/// Computes the numbers of a rig's queue.
pub fn read_merge_stats(
    rig: &Rig,
    since: Timestamp,
    counted: CountedRequests,
) -> anyhow::Result<MergeStats> {
    let beads = rig.store()?.snapshot()?;
    let mut waits = Vec::new();
    let mut withdrawn = 0;
    let runs = read_queue_events(rig, since)?;
    let mut in_line = Vec::new();
    let mut merging = Vec::new();
    for request in list_closed_requests(&beads, since, counted) {
        let closed_at = request.closed_at.as_ref().map(bd::bead::Stamp::instant);
        if bd::bead::fields::get_field(&request.description, "merge_commit").is_none() {
            withdrawn += 1;
        } else if let Some(at) = closed_at {
            let submitted = request.created_at.instant();
            waits.push(seconds_between(submitted, at));
            if let Some(started) = runs.started.get(&request.id) {
                in_line.push(seconds_between(submitted, *started));
                merging.push(seconds_between(*started, at));
            }
        }
    }
    let now = rig.town().clock.now();
    // With wrong settings nothing is merged, and the numbers are those of the built-in bound.
    let settings = RigSettings::load(rig).unwrap_or_else(|_| RigSettings::default());
    let max_wait = SignedDuration::try_from(settings.max_wait())?;
    let mut waiting: BTreeMap<i64, WaitingStats> = BTreeMap::new();
    for request in merge_request::open_requests(&beads) {
        let priority = request.priority;
        let stats = waiting.entry(priority).or_insert(WaitingStats {
            priority,
            requests: 0,
            oldest_seconds: 0.0,
            bound_seconds: wait_bound(max_wait, priority).map(|bound| bound.as_secs_f64()),
        });
        stats.requests += 1;
        let age = seconds_between(request.created_at.instant(), now);
        stats.oldest_seconds = stats.oldest_seconds.max(age);
    }
    Ok(MergeStats {
        rig: rig.name().to_owned(),
        since,
        merged: waits.len(),
        withdrawn,
        gates: list_gate_stats(runs.gates, waits.len()),
        waiting_seconds: Percentiles::from_values(in_line),
        merging_seconds: Percentiles::from_values(merging),
        wait_seconds: Percentiles::from_values(waits),
        waiting: waiting.into_values().collect(),
    })
}

/// Returns the requests that were closed at or after a time.
fn list_closed_requests(beads: &Snapshot, since: Timestamp, counted: CountedRequests) -> Vec<Bead> {
    let archived = match counted {
        CountedRequests::Kept => Vec::new(),
        CountedRequests::All => beads.archive().beads(),
    };
    let archived = archived.into_iter().filter(|bead| {
        let closed_at = bead.closed_at.as_ref().map(bd::bead::Stamp::instant);
        merge_request::is_merge_request(bead)
            && closed_at.is_some_and(|at| at >= since)
            && beads.get(&bead.id).is_none()
    });
    merge_request::requests_closed_since(beads, since)
        .into_iter()
        .cloned()
        .chain(archived)
        .collect()
}

/// The events of a rig's queue.
#[derive(Default)]
struct QueueEvents {
    /// The first start of each request.
    started: BTreeMap<String, Timestamp>,
    gates: BTreeMap<String, GateRuns>,
}

#[derive(Default)]
struct GateRuns {
    failed: usize,
    retried: u64,
    seconds: Vec<f64>,
}

fn read_queue_events(rig: &Rig, since: Timestamp) -> anyhow::Result<QueueEvents> {
    let mut found = QueueEvents::default();
    for line in NewestEvents::new(&rig.town().layout)?.since(Some(since)) {
        let line = line?;
        let Ok(at) = line.ts.parse::<Timestamp>() else {
            continue;
        };
        if at < since || !matches!(&*line.kind, "gate" | "merge_started") {
            continue;
        }
        match line.to_event() {
            Event::MergeStarted(request) if request.rig == rig.name() => {
                // The newest event comes first.
                found.started.insert(request.mr, at);
            }
            Event::Gate {
                gate,
                passed,
                seconds,
                retried,
                request,
                ..
            } if request.rig == rig.name() && !request.is_search() => {
                let runs = found.gates.entry(gate).or_default();
                runs.failed += usize::from(!passed);
                runs.retried += u64::from(retried);
                runs.seconds.push(seconds);
            }
            _ => {}
        }
    }
    Ok(found)
}

fn list_gate_stats(gates: BTreeMap<String, GateRuns>, merged: usize) -> Vec<GateStats> {
    #[expect(clippy::cast_precision_loss, reason = "both counts are small")]
    let per_merge = |runs: usize| (merged > 0).then(|| runs as f64 / merged as f64);
    gates
        .into_iter()
        .map(|(gate, runs)| GateStats {
            gate,
            runs: runs.seconds.len(),
            failed: runs.failed,
            retried: runs.retried,
            runs_per_merge: per_merge(runs.seconds.len()),
            seconds: Percentiles::from_values(runs.seconds),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_occur() {
        assert_eq!(Percentiles::from_values(Vec::new()), None);
        let of = |values: Vec<f64>| {
            let found = Percentiles::from_values(values).unwrap();
            (found.p50, found.p95)
        };
        assert_eq!(of(vec![3.0]), (3.0, 3.0));
        assert_eq!(of(vec![4.0, 1.0, 2.0, 3.0]), (2.0, 4.0));
        let hundred = (1..=100_u8).map(f64::from).collect();
        assert_eq!(of(hundred), (50.0, 95.0));
    }
}
