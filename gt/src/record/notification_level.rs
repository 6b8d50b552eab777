//! Reads and writes how much an agent is disturbed: the levels of `gt notify` and `gt dnd`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::state_file;
use crate::town::TownLayout;
use crate::town::identity::Address;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NotificationLevel {
    /// Each message to the agent is typed into its session too.
    Verbose,
    #[default]
    Normal,
    /// Nothing is typed into its session. Nudges are kept as mail for its next turn.
    Muted,
}

impl NotificationLevel {
    pub const WORDS: [&str; 3] = ["verbose", "normal", "muted"];

    /// Returns the level of a word. None for an unknown word.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "verbose" => Some(Self::Verbose),
            "normal" => Some(Self::Normal),
            "muted" => Some(Self::Muted),
            _ => None,
        }
    }

    pub fn word(self) -> &'static str {
        match self {
            Self::Verbose => "verbose",
            Self::Normal => "normal",
            Self::Muted => "muted",
        }
    }
}

/// The levels by address. Agents with the normal level are not listed.
type Levels = BTreeMap<String, NotificationLevel>;

/// Returns the level of an agent. Normal if the file is damaged, so that nudges still arrive.
pub fn load_level(layout: &TownLayout, agent: &Address) -> NotificationLevel {
    let levels: Levels = state_file::read_state(&layout.notification_levels())
        .ok()
        .flatten()
        .unwrap_or_default();
    levels.get(&agent.to_string()).copied().unwrap_or_default()
}

/// Sets the level of an agent.
pub fn save_level(
    layout: &TownLayout,
    agent: &Address,
    level: NotificationLevel,
) -> anyhow::Result<()> {
    let path = layout.notification_levels();
    state_file::change_state(layout, &path, |levels: &mut Levels| {
        match level {
            NotificationLevel::Normal => levels.remove(&agent.to_string()),
            level => levels.insert(agent.to_string(), level),
        };
    })
}
