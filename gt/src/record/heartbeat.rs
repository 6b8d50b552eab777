//! Stores the heartbeat of the town, `deacon/heartbeat.json`: the last pass of gtd or of the
//! deacon's session. Tools and the watch over the deacon read it. In mechanical mode, no decision
//! depends on it.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::state_file;
use crate::town::{Town, TownLayout};

/// The ages from which a heartbeat is stale and very stale.
const STALE_AGE: SignedDuration = SignedDuration::from_mins(5);
const VERY_STALE: SignedDuration = SignedDuration::from_mins(15);

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Heartbeat {
    pub timestamp: Timestamp,
    /// The number of this heartbeat.
    pub cycle: u64,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub last_action: String,
    /// The number of agents that run or are idle.
    pub healthy_agents: u64,
    /// The number of stalled or zombie workers.
    pub unhealthy_agents: u64,
    /// The number of actions since the previous heartbeat.
    pub actions: u64,
    /// Fields that this version does not know.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The age class of a heartbeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HeartbeatFreshness {
    Fresh,
    Stale,
    /// Older, or missing.
    VeryStale,
}

impl HeartbeatFreshness {
    /// Returns the class of an age. A threshold belongs to the older class.
    pub fn from_age(age: SignedDuration) -> Self {
        if age < STALE_AGE {
            Self::Fresh
        } else if age < VERY_STALE {
            Self::Stale
        } else {
            Self::VeryStale
        }
    }
}

impl Heartbeat {
    /// Returns the last heartbeat of a town. None for an unreadable file.
    pub fn load(layout: &TownLayout) -> Option<Self> {
        state_file::read_state(&layout.heartbeat()).ok().flatten()
    }

    /// Writes the next heartbeat with the content of `new`. Time and number are set here.
    pub fn write_next(town: &Town, new: Self) -> anyhow::Result<Self> {
        let last = Self::load(&town.layout).unwrap_or_default();
        let next = Self {
            timestamp: town.clock.now(),
            cycle: last.cycle.saturating_add(1),
            other: last.other,
            ..new
        };
        // A town that was moved during the pass must get no new folder at its earlier place.
        anyhow::ensure!(
            town.layout.root().is_dir(),
            "{} is no folder any more",
            town.layout.root().display()
        );
        state_file::write_state(&town.layout.heartbeat(), &next)?;
        Ok(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestTown;

    #[test]
    fn an_age_at_a_threshold_belongs_to_the_older_class() {
        for (minutes, freshness) in [
            (0, HeartbeatFreshness::Fresh),
            (4, HeartbeatFreshness::Fresh),
            (5, HeartbeatFreshness::Stale),
            (14, HeartbeatFreshness::Stale),
            (15, HeartbeatFreshness::VeryStale),
            (600, HeartbeatFreshness::VeryStale),
        ] {
            assert_eq!(
                HeartbeatFreshness::from_age(SignedDuration::from_mins(minutes)),
                freshness
            );
        }
    }

    #[test]
    fn each_heartbeat_counts_up_and_keeps_foreign_fields() {
        let place = TestTown::new();
        let path = place.town.layout.heartbeat();
        std::fs::write(&path, r#"{"cycle":7,"mood":"calm"}"#).unwrap();
        let beat = Heartbeat::write_next(&place.town, Heartbeat::default()).unwrap();
        assert_eq!(beat.cycle, 8);
        assert_eq!(
            Heartbeat::load(&place.town.layout).unwrap().other["mood"],
            "calm"
        );
        std::fs::write(&path, "{").unwrap();
        let beat = Heartbeat::write_next(&place.town, Heartbeat::default()).unwrap();
        assert_eq!(beat.cycle, 1);
    }
}
