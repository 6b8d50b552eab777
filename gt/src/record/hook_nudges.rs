//! Records the agents that were reminded of the bead on their hook, `.runtime/hook-nudges.json`. If
//! the file is lost, they are reminded once more.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::state_file;
use crate::town::identity::Address;
use crate::town::{Town, TownLayout};

/// A reminder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookNudge {
    pub bead: String,
    pub at: Timestamp,
}

/// Returns all reminders, by agent address.
pub fn load_hook_nudges(layout: &TownLayout) -> BTreeMap<String, HookNudge> {
    state_file::read_expendable_state(&layout.hook_nudges())
}

/// Records a reminder.
pub fn record_hook_nudge(town: &Town, agent: &Address, bead: &str) -> anyhow::Result<()> {
    state_file::change_state(
        &town.layout,
        &town.layout.hook_nudges(),
        |all: &mut BTreeMap<String, HookNudge>| {
            let bead = bead.to_owned();
            let at = town.clock.now();
            all.insert(agent.to_string(), HookNudge { bead, at });
        },
    )
}
