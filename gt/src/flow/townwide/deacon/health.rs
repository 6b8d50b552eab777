//! Asks an agent for a response, and records how often in a row it did not respond. Never ends an
//! agent.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use kit::sys::clock;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::flow::agent::{nudge, session};
use crate::host::LiveTown;
use crate::record::heartbeat::Heartbeat;
use crate::record::pulse::SessionPulse;
use crate::record::state_file;
use crate::town::Town;
use crate::town::identity::Address;

const PING_MESSAGE: &str = include_str!("../../../../templates/message/health-check.txt");

/// The content of the state file.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
struct HealthState {
    agents: BTreeMap<String, AgentHealth>,
    last_updated: Timestamp,
    #[serde(flatten)]
    other: Map<String, Value>,
}

/// The responses of one agent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AgentHealth {
    pub agent_id: String,
    /// The time of the last question.
    pub last_ping_time: Timestamp,
    pub last_response_time: Timestamp,
    /// The number of questions in a row without a response.
    pub consecutive_failures: u32,
    /// Fields that this version does not know.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The result of asking an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HealthCheck {
    pub agent: String,
    /// True if the agent has a session. An agent without one is not asked.
    pub running: bool,
    pub answered: bool,
    /// The number of questions in a row without a response.
    pub consecutive_failures: u32,
    /// True if that number has reached the limit.
    pub unresponsive: bool,
}

/// Asks an agent and waits for a response.
pub fn check_agent_health(
    town: &LiveTown,
    agent: &Address,
    timeout: Duration,
    limit: u32,
) -> anyhow::Result<HealthCheck> {
    let running = session::show::find_session(town, agent)?.filter(|live| live.dead.is_none());
    let Some(live) = running else {
        return Ok(HealthCheck {
            agent: agent.to_string(),
            running: false,
            answered: false,
            consecutive_failures: 0,
            unresponsive: false,
        });
    };
    let read_signs = || {
        let beat = match agent {
            Address::Deacon => Heartbeat::load(&town.layout).map(|beat| beat.cycle),
            _ => None,
        };
        (
            SessionPulse::load(&town.layout, &live.name, &live.token),
            beat,
        )
    };
    let before = read_signs();
    nudge::nudge_agent(town, agent, PING_MESSAGE.trim())?;
    let asked = town.clock.now();
    let answered = clock::wait_for(timeout, || (read_signs() != before).then_some(())).is_some();
    let health = record_response(town, agent, asked, answered)?;
    let failures = health.consecutive_failures;
    Ok(HealthCheck {
        agent: agent.to_string(),
        running: true,
        answered,
        consecutive_failures: failures,
        unresponsive: failures >= limit.max(1),
    })
}

fn record_response(
    town: &Town,
    agent: &Address,
    asked: Timestamp,
    answered: bool,
) -> anyhow::Result<AgentHealth> {
    let path = town.layout.health_state();
    let now = town.clock.now();
    state_file::change_state(&town.layout, &path, |state: &mut HealthState| {
        state.last_updated = now;
        let health = state.agents.entry(agent.to_string()).or_default();
        health.agent_id = agent.to_string();
        health.last_ping_time = asked;
        if answered {
            health.last_response_time = now;
            health.consecutive_failures = 0;
        } else {
            health.consecutive_failures = health.consecutive_failures.saturating_add(1);
        }
        health.clone()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestTown;

    #[test]
    fn consecutive_failures_are_counted_and_foreign_keys_are_kept() {
        let place = TestTown::new();
        let path = place.town.layout.health_state();
        let kept = r#"{"agents":{"deacon":{"force_kill_count":4}}}"#;
        std::fs::write(&path, kept).unwrap();
        let note = |answered| {
            let now = place.town.clock.now();
            let health = record_response(&place.town, &Address::Deacon, now, answered).unwrap();
            health.consecutive_failures
        };
        assert_eq!([false, false, true, false].map(note), [1, 2, 0, 1]);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains("\"force_kill_count\": 4"), "{text}");
    }
}
