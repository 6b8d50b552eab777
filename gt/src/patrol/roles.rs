//! Rules D1 and D2: the sessions of roles in agent mode. In mechanical mode a role has no session,
//! and the rules do not apply.

use jiff::{SignedDuration, Timestamp};

use super::decision::{Action, Decision};
use super::rule;
use super::thresholds::Thresholds;
use crate::flow::agent::role;
use crate::host::LiveTown;
use crate::record::restarts::{self, AgentRestarts};
use crate::record::role::RoleMode;
use crate::record::town_view::TownView;
use crate::town::{Town, TownLayout};

/// The facts about a role in agent mode.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RoleFacts {
    pub agent: String,
    /// True if the session runs. None if unknown.
    pub running: Option<bool>,
    pub restarts: AgentRestarts,
}

/// Reads the facts.
pub(super) fn facts(layout: &TownLayout, view: &TownView) -> Vec<RoleFacts> {
    let mut agents = view
        .roles
        .iter()
        .filter(|role| role.mode == RoleMode::Agent)
        .peekable();
    if agents.peek().is_none() {
        return Vec::new();
    }
    // An unreadable record stops the decisions. Rule O1 reports it.
    let Ok(mut restarts) = restarts::load_restarts(layout) else {
        return Vec::new();
    };
    agents
        .map(|agent| {
            let name = agent.address.to_string();
            RoleFacts {
                running: view.is_running(&agent.address),
                restarts: restarts.remove(&name).unwrap_or_default(),
                agent: name,
            }
        })
        .collect()
}

/// - D1: an agent without a session is started, unless it was stopped or its last start is too
///   recent.
/// - D2: the restart count of an agent that has run for long is reset.
pub(super) fn decide(facts: &[RoleFacts], now: Timestamp, numbers: &Thresholds) -> Vec<Decision> {
    facts
        .iter()
        .filter_map(|role| decide_role(role, now, numbers))
        .collect()
}

fn decide_role(role: &RoleFacts, now: Timestamp, numbers: &Thresholds) -> Option<Decision> {
    let agent = &role.agent;
    let restarts = &role.restarts;
    if role.running? {
        let settles = restarts.time_until_reset(now, &numbers.agents)?;
        return settles.is_zero().then(|| Decision {
            rule: rule::D2_SETTLE_AGENT,
            saw: format!("{agent} has run since {}", restarts.last_restart),
            action: Action::SettleAgent {
                agent: agent.clone(),
            },
        });
    }
    if restarts.stopped || restarts.remaining_wait(now).is_some() {
        return None;
    }
    let saw = match restarts.restart_count {
        0 => format!("{agent} has no session"),
        count => format!(
            "{agent} has no session after {}",
            kit::ui::counted(count as usize, "start")
        ),
    };
    Some(Decision {
        rule: rule::D1_START_AGENT,
        saw,
        action: Action::StartAgent {
            agent: agent.clone(),
        },
    })
}

/// Returns the time until the next rule applies.
pub(super) fn due(
    facts: &[RoleFacts],
    now: Timestamp,
    numbers: &Thresholds,
) -> Option<SignedDuration> {
    facts
        .iter()
        .filter_map(|role| {
            if role.running? {
                role.restarts.time_until_reset(now, &numbers.agents)
            } else if role.restarts.stopped {
                None
            } else {
                role.restarts.remaining_wait(now)
            }
        })
        .filter(SignedDuration::is_positive)
        .min()
}

/// Starts the session of an agent.
pub(super) fn start_role_agent(town: &LiveTown, agent: &str) -> anyhow::Result<Option<String>> {
    let limits = Thresholds::for_town(town)?.agents;
    let session = role::keep_running(town, &town.parse_address(agent)?, &limits)?;
    Ok(session.map(|session| format!("session {session} started")))
}

/// Resets the restart count of an agent.
pub(super) fn reset_restarts(town: &Town, agent: &str) -> anyhow::Result<Option<String>> {
    restarts::clear_restarts(&town.layout, &town.parse_address(agent)?)?;
    Ok(Some(format!("{agent} runs well")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::progress::ActivityCache;
    use crate::testing::TestTown;
    use crate::town::config::{self, SettingsLayer};
    use crate::town::identity::Address;

    fn at(text: &str) -> Timestamp {
        format!("2026-01-01T{text}Z").parse().unwrap()
    }

    fn agent(running: Option<bool>, starts: &[&str]) -> RoleFacts {
        let mut restarts = AgentRestarts::default();
        for start in starts {
            restarts.count(at(start), &Thresholds::default().agents);
        }
        RoleFacts {
            agent: "deacon".to_owned(),
            running,
            restarts,
        }
    }

    /// The rule that applies at a time, and in how many seconds the next one will.
    fn judged(one: &RoleFacts, time: &str) -> (Option<&'static str>, Option<i64>) {
        let (facts, numbers) = (vec![one.clone()], Thresholds::default());
        let rule = decide(&facts, at(time), &numbers);
        let due = due(&facts, at(time), &numbers);
        (
            rule.first().map(|one| one.rule.name),
            due.map(|wait| wait.as_secs()),
        )
    }

    #[test]
    fn an_agent_without_a_session_is_started_with_increasing_waits() {
        let (start, settle) = (Some("D1-start-agent"), Some("D2-settle-agent"));
        let often = ["10:00:00", "10:01:00", "10:02:00", "10:03:00", "10:04:00"];
        let stopped = |mut one: RoleFacts| {
            one.restarts.stopped = true;
            one
        };
        for (one, time, expected) in [
            (agent(Some(false), &[]), "10:00:00", (start, None)),
            (agent(None, &[]), "10:00:00", (None, None)),
            (agent(Some(true), &[]), "10:00:00", (None, None)),
            (
                agent(Some(false), &often[..1]),
                "10:00:10",
                (None, Some(20)),
            ),
            (agent(Some(false), &often[..1]), "10:00:30", (start, None)),
            (
                agent(Some(false), &often[..2]),
                "10:01:30",
                (None, Some(30)),
            ),
            (agent(Some(false), &often), "10:33:59", (None, Some(1))),
            (agent(Some(false), &often), "10:34:00", (start, None)),
            (agent(Some(true), &often), "10:10:00", (None, Some(540))),
            (agent(Some(true), &often), "10:19:00", (settle, None)),
            (stopped(agent(Some(false), &[])), "10:00:00", (None, None)),
        ] {
            assert_eq!(judged(&one, time), expected, "{one:?} at {time}");
        }
    }

    #[test]
    fn a_role_done_by_an_agent_is_started_once_and_counted() {
        let place = TestTown::new();
        let town = &place.town;
        let facts_now = || {
            facts(
                &town.layout,
                &TownView::read_idle(town, &ActivityCache::default()).unwrap(),
            )
        };
        assert_eq!(facts_now(), []);
        let set = |name: &str, value: &str| {
            config::change_setting(town, None, SettingsLayer::Settings, name, Some(value)).unwrap();
        };
        let sleeps =
            r#"{"default_agent":"x","agents":{"x":{"command":"sleep","prompt_mode":"none"}}}"#;
        std::fs::write(town.layout.settings(), sleeps).unwrap();
        set("patrol.mode.deacon", "agent");
        assert_eq!(facts_now()[0].running, Some(false));
        assert!(start_role_agent(town, "deacon").unwrap().is_some());
        let one = &facts_now()[0];
        assert_eq!((one.running, one.restarts.restart_count), (Some(true), 1));
        assert_eq!(start_role_agent(town, "deacon").unwrap(), None);
        assert_eq!(facts_now()[0].restarts.restart_count, 1);
        role::stop_role(town, &Address::Deacon).unwrap();
        assert!(facts_now()[0].restarts.stopped);
        // Somebody stopped it after the decision.
        assert_eq!(start_role_agent(town, "deacon").unwrap(), None);
        set("patrol.mode.deacon", "mechanical");
        let refused = role::start_role(town, &Address::Deacon, None).unwrap_err();
        assert!(refused.to_string().contains("patrol.mode.deacon"));
    }
}
