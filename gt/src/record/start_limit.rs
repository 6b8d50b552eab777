//! Counts the sessions that were started automatically in the last minutes, `.runtime/starts.json`,
//! so that no loop of agents starts sessions without end.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::state_file;
use crate::town::TownLayout;
use crate::town::identity::Address;

/// The time in which the starts of the whole town are counted.
const COUNTED_WINDOW: SignedDuration = SignedDuration::from_mins(1);
/// The number of handoffs of one agent within [`HANDOFF_WINDOW`] after which it is left in its
/// session.
const MAX_HANDOFFS: usize = 5;
const HANDOFF_WINDOW: SignedDuration = SignedDuration::from_mins(10);

/// The content of the file, oldest first.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
struct RecentStarts(Vec<RecentStart>);

#[derive(Debug, Clone, Serialize, Deserialize)]
struct RecentStart {
    agent: String,
    at: Timestamp,
}

/// The reason why a session is not started now.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum StartRefusal {
    #[error(
        "{count} sessions were started again in the last minute, and patrol.budget.per_minute is {limit}: wait a moment"
    )]
    Town { count: usize, limit: usize },
    #[error(
        "{agent} has handed over {count} times in the last 10 minutes: it goes on in its session"
    )]
    Agent { agent: String, count: usize },
}

/// Records an automatic start, unless the town has had too many in the last minute. A limit of 0
/// allows any number.
pub fn record_start(
    layout: &TownLayout,
    agent: &Address,
    now: Timestamp,
    limit: usize,
) -> anyhow::Result<()> {
    change(layout, now, |starts| {
        check_town(starts, now, limit)?;
        starts.push(RecentStart {
            agent: agent.to_string(),
            at: now,
        });
        Ok(())
    })
}

/// Fails if the town has had too many automatic starts in the last minute.
pub fn check_starts(layout: &TownLayout, now: Timestamp, limit: usize) -> anyhow::Result<()> {
    change(layout, now, |starts| check_town(starts, now, limit))
}

/// Refuses a handoff if the agent has handed over again and again, or the town has had too many
/// starts.
pub fn check_handoff(
    layout: &TownLayout,
    agent: &Address,
    now: Timestamp,
    limit: usize,
) -> anyhow::Result<()> {
    change(layout, now, |starts| {
        check_town(starts, now, limit)?;
        let agent = agent.to_string();
        let count = starts.iter().filter(|start| start.agent == agent).count();
        if count >= MAX_HANDOFFS {
            return Err(StartRefusal::Agent { agent, count });
        }
        Ok(())
    })
}

fn check_town(starts: &[RecentStart], now: Timestamp, limit: usize) -> Result<(), StartRefusal> {
    let count = starts
        .iter()
        .filter(|start| now.duration_since(start.at) < COUNTED_WINDOW)
        .count();
    if limit > 0 && count >= limit {
        return Err(StartRefusal::Town { count, limit });
    }
    Ok(())
}

fn change(
    layout: &TownLayout,
    now: Timestamp,
    change: impl FnOnce(&mut Vec<RecentStart>) -> Result<(), StartRefusal>,
) -> anyhow::Result<()> {
    let path = layout.runtime().join("starts.json");
    let changed = state_file::change_state(layout, &path, |starts: &mut RecentStarts| {
        // A time in the future was written under a wrong clock.
        starts
            .0
            .retain(|start| start.at <= now && now.duration_since(start.at) < HANDOFF_WINDOW);
        change(&mut starts.0)
    })?;
    Ok(changed?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestTown;

    #[test]
    fn starts_are_counted_per_minute_and_handoffs_per_agent() {
        let place = TestTown::new();
        let layout = &place.town.layout;
        let at = |second| Timestamp::from_second(second).unwrap();
        let start = |second, limit| record_start(layout, &Address::Mayor, at(second), limit);
        for second in 0..3 {
            start(second, 3).unwrap();
        }
        let refused = start(3, 3).unwrap_err();
        let wanted = StartRefusal::Town { count: 3, limit: 3 };
        assert_eq!(refused.downcast_ref(), Some(&wanted));
        start(60, 3).unwrap();
        start(61, 0).unwrap();
        let handoff = |second, agent: &Address| check_handoff(layout, agent, at(second), 0);
        assert!(handoff(62, &Address::Mayor).is_err());
        handoff(62, &Address::Deacon).unwrap();
        handoff(600, &Address::Mayor).unwrap();
    }
}
