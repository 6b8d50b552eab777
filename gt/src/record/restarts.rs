//! Counts the restarts of the patrol's agents in a row, `daemon/restart_state.json`. Each start in
//! a row waits twice as long, and a long row is a crash loop.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::state_file;
use crate::town::TownLayout;
use crate::town::identity::Address;

/// The wait after the first start of a row, and the longest wait.
const FIRST_WAIT: SignedDuration = SignedDuration::from_secs(30);
const MAX_WAIT: SignedDuration = SignedDuration::from_mins(10);
/// The longest wait of a crash loop.
const LONGEST_LOOP: SignedDuration = SignedDuration::from_hours(24);

/// The content of the file.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
struct RestartState {
    agents: BTreeMap<String, AgentRestarts>,
    #[serde(flatten)]
    other: Map<String, Value>,
}

/// The starts of one agent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AgentRestarts {
    /// The time of the last start.
    pub last_restart: Timestamp,
    /// The number of starts in a row.
    pub restart_count: u32,
    /// The earliest time of the next start.
    pub backoff_until: Timestamp,
    /// The start of a crash loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crash_loop_since: Option<Timestamp>,
    /// True if a user stopped the agent.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stopped: bool,
    /// Fields that this version does not know.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The limits for restarts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RestartLimits {
    /// The number of starts in a row that is a crash loop.
    pub starts: u32,
    /// The run time after which the next start begins a new row.
    pub window: SignedDuration,
    /// The wait in a crash loop before the next start. It doubles each time.
    pub half_open: SignedDuration,
}

impl AgentRestarts {
    /// Counts a start.
    pub fn count(&mut self, now: Timestamp, limits: &RestartLimits) {
        let is_new_row = now.duration_since(self.last_restart).abs() >= limits.window;
        if is_new_row && self.crash_loop_start().is_none() {
            self.restart_count = 0;
        }
        self.restart_count = self.restart_count.saturating_add(1);
        self.last_restart = now;
        let count = self.restart_count;
        let wait = if count >= limits.starts.max(1) {
            self.crash_loop_since = self.crash_loop_start().or(Some(now));
            let tries = count - limits.starts.max(1);
            doubled_backoff(limits.half_open, tries).min(LONGEST_LOOP)
        } else {
            self.crash_loop_since = None;
            doubled_backoff(FIRST_WAIT, count - 1).min(MAX_WAIT)
        };
        self.backoff_until = now.checked_add(wait).unwrap_or(now);
    }

    /// Returns the remaining wait before the next start. A wait longer than any that a start sets
    /// comes from a wrong clock and does not count.
    pub fn remaining_wait(&self, now: Timestamp) -> Option<SignedDuration> {
        let wait = self.backoff_until.duration_since(now);
        (wait.is_positive() && wait <= LONGEST_LOOP).then_some(wait)
    }

    /// Returns the start of a crash loop. Other programs write the zero time for none.
    pub fn crash_loop_start(&self) -> Option<Timestamp> {
        self.crash_loop_since
            .filter(|since| *since > Timestamp::UNIX_EPOCH)
    }

    /// Returns the time until a running agent has run so long that its starts are reset. Zero for
    /// now, none if there is nothing to reset.
    pub fn time_until_reset(
        &self,
        now: Timestamp,
        limits: &RestartLimits,
    ) -> Option<SignedDuration> {
        let left = limits.window - now.duration_since(self.last_restart);
        let is_set = self.restart_count > 0 || self.stopped;
        is_set.then(|| left.max(SignedDuration::ZERO))
    }
}

fn doubled_backoff(first: SignedDuration, times: u32) -> SignedDuration {
    first
        .checked_mul(1_i32 << times.min(20))
        .unwrap_or(LONGEST_LOOP)
}

/// Returns the starts of all agents. An unreadable file is an error, so that no agent is started
/// because of it.
pub fn load_restarts(layout: &TownLayout) -> anyhow::Result<BTreeMap<String, AgentRestarts>> {
    let state: RestartState = state_file::read_state_or_default(&layout.restart_state())?;
    Ok(state.agents)
}

/// Changes the record of an agent.
pub fn change_restarts(
    layout: &TownLayout,
    agent: &Address,
    change: impl FnOnce(&mut AgentRestarts),
) -> anyhow::Result<()> {
    let path = layout.restart_state();
    state_file::change_state(layout, &path, |state: &mut RestartState| {
        change(state.agents.entry(agent.to_string()).or_default());
    })
}

/// Resets the starts of an agent.
pub fn clear_restarts(layout: &TownLayout, agent: &Address) -> anyhow::Result<()> {
    if !load_restarts(layout)?.contains_key(&agent.to_string()) {
        return Ok(());
    }
    let path = layout.restart_state();
    state_file::change_state(layout, &path, |state: &mut RestartState| {
        state.agents.remove(&agent.to_string());
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: RestartLimits = RestartLimits {
        starts: 3,
        window: SignedDuration::from_mins(15),
        half_open: SignedDuration::from_mins(30),
    };

    /// Starts at once each time, and gives the waits in seconds.
    fn waits(restarts: &mut AgentRestarts, now: &mut Timestamp, starts: usize) -> Vec<i64> {
        let mut waits = Vec::new();
        for _ in 0..starts {
            restarts.count(*now, &LIMITS);
            let wait = restarts.remaining_wait(*now).unwrap();
            waits.push(wait.as_secs());
            *now += wait;
            assert_eq!(restarts.remaining_wait(*now), None);
        }
        waits
    }

    #[test]
    fn consecutive_restarts_and_retries_of_a_crash_loop_wait_longer_each_time() {
        let mut now: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        let mut restarts = AgentRestarts::default();
        assert_eq!(waits(&mut restarts, &mut now, 2), [30, 60]);
        assert_eq!(restarts.crash_loop_start(), None);
        let begun = now;
        assert_eq!(waits(&mut restarts, &mut now, 3), [1800, 3600, 7200]);
        assert_eq!(restarts.crash_loop_start(), Some(begun));
        for _ in 0..40 {
            restarts.count(now, &LIMITS);
        }
        assert_eq!(restarts.remaining_wait(now), Some(LONGEST_LOOP));
        // A clock that goes back keeps nobody waiting for days.
        assert_eq!(
            restarts.remaining_wait(now - SignedDuration::from_hours(1)),
            None
        );
    }

    #[test]
    fn a_long_run_resets_the_restart_count() {
        let mut now: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        let mut restarts = AgentRestarts::default();
        assert_eq!(restarts.time_until_reset(now, &LIMITS), None);
        waits(&mut restarts, &mut now, 2);
        let left = restarts.time_until_reset(now, &LIMITS).unwrap();
        assert_eq!(left.as_secs(), 15 * 60 - 60);
        now += left;
        assert_eq!(
            restarts.time_until_reset(now, &LIMITS),
            Some(SignedDuration::ZERO)
        );
        restarts.count(now, &LIMITS);
        assert_eq!(restarts.restart_count, 1);
    }
}
