//! Remembers how the last requests of a rig fared at their gates, how long the gates ran, and how
//! long the queue took for its requests. The queue chooses the size of its batches by the results,
//! and estimates waits by the durations.

use serde::{Deserialize, Serialize};

use super::state_file::{read_expendable_state, write_state};
use crate::town::Rig;

/// The number of results that count.
const MAX_RESULTS: usize = 40;

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct GateHistory {
    /// True for each request that passed, oldest first.
    passed: Vec<bool>,
    /// The duration of each run of all gates in seconds, oldest first. Runs side by side are one.
    rounds: Vec<f64>,
    /// The last turns of the queue, oldest first.
    turns: Vec<QueueTurn>,
}

/// The requests that the queue handled together, from their choice to their results.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct QueueTurn {
    seconds: f64,
    requests: usize,
}

impl GateHistory {
    /// Reads the history of a rig. A missing or damaged file is an empty history.
    pub(crate) fn load(rig: &Rig) -> Self {
        read_expendable_state(&rig.gate_history())
    }

    /// Adds the result of a request to a rig's history. The caller holds the rig's queue. Errors
    /// are ignored, because a statistic must not stop a merge.
    pub(crate) fn record(rig: &Rig, passed: bool) {
        let mut history = Self::load(rig);
        push_newest(&mut history.passed, passed);
        write_state(&rig.gate_history(), &history).ok();
    }

    /// Adds the duration of a run of all gates. The same rules hold as for [`Self::record`].
    pub(crate) fn record_round(rig: &Rig, seconds: f64) {
        let mut history = Self::load(rig);
        push_newest(&mut history.rounds, seconds);
        write_state(&rig.gate_history(), &history).ok();
    }

    /// Adds a turn of the queue. The same rules hold as for [`Self::record`].
    pub(crate) fn record_turn(rig: &Rig, seconds: f64, requests: usize) {
        let mut history = Self::load(rig);
        push_newest(&mut history.turns, QueueTurn { seconds, requests });
        write_state(&rig.gate_history(), &history).ok();
    }

    /// Returns the mean time of the queue for one request in seconds: the preparation, the gates,
    /// the push and its check. None before the first turn.
    pub(crate) fn seconds_per_request(&self) -> Option<f64> {
        let seconds: f64 = self.turns.iter().map(|turn| turn.seconds).sum();
        let requests: usize = self.turns.iter().map(|turn| turn.requests).sum();
        #[expect(clippy::cast_precision_loss, reason = "a queue is short")]
        let mean = (requests > 0).then(|| seconds / requests as f64);
        mean
    }

    /// Returns the median duration of a run of all gates in seconds. None before the first run.
    pub(crate) fn median_round(&self) -> Option<f64> {
        let mut rounds = self.rounds.clone();
        rounds.sort_by(f64::total_cmp);
        rounds.get(rounds.len() / 2).copied()
    }

    /// Returns how many requests to check together, at most `limit`: the size at which group tests
    /// need the fewest runs per member (Dorfman 1943), given the rate of failures.
    pub(crate) fn batch_size(&self, limit: usize) -> usize {
        let red = self.passed.iter().filter(|passed| !**passed).count();
        if red == 0 || limit < 2 {
            return limit;
        }
        #[expect(clippy::cast_precision_loss, reason = "both counts are small")]
        let green_rate = 1.0 - red as f64 / self.passed.len() as f64;
        let count_runs_per_member = |size: usize| match size {
            1 => 1.0,
            #[expect(clippy::cast_precision_loss, reason = "a batch is small")]
            size => {
                let power = i32::try_from(size).unwrap_or(i32::MAX);
                1.0 / size as f64 + 1.0 - green_rate.powi(power)
            }
        };
        let best = (1..=limit)
            .min_by(|a, b| count_runs_per_member(*a).total_cmp(&count_runs_per_member(*b)));
        best.unwrap_or(1)
    }
}

/// Adds a value, and drops the oldest ones beyond the limit.
fn push_newest<T>(values: &mut Vec<T>, newest: T) {
    values.push(newest);
    let excess = values.len().saturating_sub(MAX_RESULTS);
    values.drain(..excess);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size_at(red: usize, of: usize) -> usize {
        let passed = (0..of).map(|number| number >= red).collect();
        let history = GateHistory {
            passed,
            ..GateHistory::default()
        };
        history.batch_size(8)
    }

    #[test]
    fn the_median_round_ignores_one_slow_run() {
        assert_eq!(GateHistory::default().median_round(), None);
        let history = GateHistory {
            rounds: vec![4.0, 900.0, 5.0],
            ..GateHistory::default()
        };
        assert_eq!(history.median_round(), Some(5.0));
    }

    #[test]
    fn the_pace_counts_the_whole_time_of_the_queue() {
        assert_eq!(GateHistory::default().seconds_per_request(), None);
        let turn = |seconds, requests| QueueTurn { seconds, requests };
        let history = GateHistory {
            turns: vec![turn(10.0, 8), turn(2.0, 1), turn(6.0, 3)],
            ..GateHistory::default()
        };
        assert_eq!(history.seconds_per_request(), Some(1.5));
    }

    #[test]
    fn batches_shrink_as_more_requests_fail() {
        assert_eq!(GateHistory::default().batch_size(8), 8);
        assert_eq!(size_at(0, 40), 8);
        assert_eq!(size_at(1, 40), 7);
        assert_eq!(size_at(4, 40), 4);
        assert_eq!(size_at(8, 40), 3);
        assert_eq!(size_at(20, 40), 1);
        assert_eq!(size_at(40, 40), 1);
        assert_eq!(GateHistory::default().batch_size(1), 1);
    }
}
