//! Reads and writes how much an agent is disturbed: the levels of `gt notify` and `gt dnd`.

use std::collections::BTreeMap;

use bd::bead::fields::get_field;
use serde::{Deserialize, Serialize};

use super::state_file;
use crate::town::identity::Address;
use crate::town::{Town, TownLayout};

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

/// The levels by address.
type Levels = BTreeMap<String, NotificationLevel>;

/// Returns the level of an agent: the one that was set here, else the one on its agent bead, where
/// older programs keep it. Normal if neither can be read, so that nudges still arrive.
pub fn load_level(town: &Town, agent: &Address) -> NotificationLevel {
    let levels: Levels = state_file::read_expendable_state(&town.layout.notification_levels());
    let level = levels.get(&agent.to_string()).copied();
    level
        .or_else(|| read_bead_level(town, agent))
        .unwrap_or_default()
}

/// Returns the level on the agent's bead.
fn read_bead_level(town: &Town, agent: &Address) -> Option<NotificationLevel> {
    let (store, prefix) = match agent.rig() {
        Some(name) => {
            let rig = town.find_rig(name).ok()?;
            (rig.store().ok()?, rig.prefix())
        }
        None => (town.open_town_store().ok()?, "hq".to_owned()),
    };
    let beads = store.snapshot().ok()?;
    let bead = beads.get_live(&agent.bead_id(&prefix))?;
    NotificationLevel::parse(&get_field(&bead.description, "notification_level")?)
}

/// Sets the level of an agent.
pub fn save_level(
    layout: &TownLayout,
    agent: &Address,
    level: NotificationLevel,
) -> anyhow::Result<()> {
    let path = layout.notification_levels();
    state_file::change_state(layout, &path, |levels: &mut Levels| {
        levels.insert(agent.to_string(), level);
    })
}
