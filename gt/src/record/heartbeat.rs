//! The heartbeat of the town, `deacon/heartbeat.json`: when it was last looked after, by gtd or by the deacon's session.
//! It is a file for tools and for the watch over the deacon; nothing is decided by it in mechanical mode.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::state_file;
use crate::town::Town;

/// From when on a heartbeat is stale, and very stale.
const STALE: SignedDuration = SignedDuration::from_mins(5);
const VERY_STALE: SignedDuration = SignedDuration::from_mins(15);

/// A heartbeat.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Heartbeat {
    /// When.
    pub timestamp: Timestamp,
    /// The number of this heartbeat.
    pub cycle: u64,
    /// What was done last.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub last_action: String,
    /// How many agents run or have nothing to do.
    pub healthy_agents: u64,
    /// How many workers are stalled or zombies.
    pub unhealthy_agents: u64,
    /// How many actions were taken since the heartbeat before.
    pub actions: u64,
    /// Fields that this program does not know.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// How old a heartbeat is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HeartbeatFreshness {
    /// Less than 5 minutes.
    Fresh,
    /// Less than 15 minutes.
    Stale,
    /// Older, or there is none.
    VeryStale,
}

impl HeartbeatFreshness {
    /// Of a heartbeat of that age. A threshold belongs to the older class.
    pub fn from_age(age: SignedDuration) -> Self {
        if age < STALE {
            Self::Fresh
        } else if age < VERY_STALE {
            Self::Stale
        } else {
            Self::VeryStale
        }
    }
}

impl Heartbeat {
    /// The last heartbeat of a town. One that cannot be read is none.
    pub fn load(town: &Town) -> Option<Self> {
        state_file::read_state(&town.layout.heartbeat())
            .ok()
            .flatten()
    }

    /// Writes the next heartbeat: `new` says what changed, the time and the number are set here.
    pub fn write_next(town: &Town, new: Self) -> anyhow::Result<Self> {
        let last = Self::load(town).unwrap_or_default();
        let next = Self {
            timestamp: town.clock.now(),
            cycle: last.cycle.saturating_add(1),
            other: last.other,
            ..new
        };
        state_file::write_state(&town.layout.heartbeat(), &next)?;
        Ok(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestTown;

    #[test]
    fn a_threshold_belongs_to_the_older_class() {
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
    fn each_heartbeat_counts_and_keeps_fields_of_others() {
        let place = TestTown::new();
        let path = place.town.layout.heartbeat();
        std::fs::write(&path, r#"{"cycle":7,"mood":"calm"}"#).unwrap();
        let beat = Heartbeat::write_next(&place.town, Heartbeat::default()).unwrap();
        assert_eq!(beat.cycle, 8);
        assert_eq!(Heartbeat::load(&place.town).unwrap().other["mood"], "calm");
        std::fs::write(&path, "{").unwrap();
        let beat = Heartbeat::write_next(&place.town, Heartbeat::default()).unwrap();
        assert_eq!(beat.cycle, 1);
    }
}
