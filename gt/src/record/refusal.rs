//! Counts the commands that were refused to agents in the last hour, `.runtime/refused.json`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::state_file;
use crate::town::TownLayout;
use crate::town::identity::Address;

/// The time after which refusals no longer count.
const COUNTED_WINDOW: SignedDuration = SignedDuration::from_hours(1);

/// The refusals of an agent from which on the user is told.
pub const REPEATED: u32 = 5;

/// The content of the file: the refusals of each agent.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
struct RecentRefusals(BTreeMap<String, RefusedAgent>);

/// The commands that were refused to an agent without a pause of an hour.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedAgent {
    pub count: u32,
    /// The first and the last time.
    pub since: Timestamp,
    pub last: Timestamp,
    /// The last command.
    pub command: String,
}

fn path_in(layout: &TownLayout) -> PathBuf {
    layout.runtime().join("refused.json")
}

/// Counts a refused command.
pub fn record_refusal(
    layout: &TownLayout,
    agent: &Address,
    command: &str,
    now: Timestamp,
) -> anyhow::Result<()> {
    state_file::change_state(layout, &path_in(layout), |refusals: &mut RecentRefusals| {
        refusals.0.retain(|_, refused| refused.is_recent(now));
        let refused = refusals
            .0
            .entry(agent.to_string())
            .or_insert_with(|| RefusedAgent {
                count: 0,
                since: now,
                last: now,
                command: String::new(),
            });
        refused.count = refused.count.saturating_add(1);
        refused.last = now;
        command.clone_into(&mut refused.command);
    })
}

/// Returns the agents to which commands were refused again and again. A file that cannot be read
/// names none, because the refusals are events, too.
pub fn list_repeated(layout: &TownLayout, now: Timestamp) -> Vec<(String, RefusedAgent)> {
    let refusals: RecentRefusals = state_file::read_expendable_state(&path_in(layout));
    refusals
        .0
        .into_iter()
        .filter(|(_, refused)| refused.is_recent(now) && refused.count >= REPEATED)
        .collect()
}

impl RefusedAgent {
    /// A time in the future was written under a wrong clock.
    fn is_recent(&self, now: Timestamp) -> bool {
        self.last <= now && now.duration_since(self.last) < COUNTED_WINDOW
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestTown;

    #[test]
    fn refusals_count_until_an_hour_passes_without_one() {
        let place = TestTown::new();
        let layout = &place.town.layout;
        let at = |minute: i64| Timestamp::from_second(minute * 60).unwrap();
        let worker = Address::Polecat("web".into(), "nux".into());
        for minute in 0..4 {
            record_refusal(layout, &worker, "sling", at(minute)).unwrap();
        }
        record_refusal(layout, &Address::Mayor, "rate", at(4)).unwrap();
        assert_eq!(list_repeated(layout, at(5)), []);
        record_refusal(layout, &worker, "mq retry", at(50)).unwrap();
        let repeated = list_repeated(layout, at(51));
        assert_eq!(repeated.len(), 1);
        assert_eq!(repeated[0].0, "web/polecats/nux");
        assert_eq!((repeated[0].1.count, repeated[0].1.since), (5, at(0)));
        assert_eq!(list_repeated(layout, at(110)), []);
        record_refusal(layout, &worker, "sling", at(200)).unwrap();
        assert_eq!(list_repeated(layout, at(200)), []);
    }
}
