//! Stores the state of the gates of plugins, `.runtime/plugins.json`. The file may be lost: the
//! records of runs have the last run of each plugin.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::record::state_file;
use crate::town::TownLayout;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PluginMemory {
    /// The state of each plugin, by its key.
    pub plugins: BTreeMap<String, PluginState>,
    /// The last day that was reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reported: Option<Date>,
}

/// The state of one plugin.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PluginState {
    /// The start of the last run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started: Option<Timestamp>,
    /// The last evaluation of the condition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checked: Option<Timestamp>,
    /// The position in the file of events up to which they are handled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub events: Option<u64>,
    /// The last start of gtd that is handled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub startup: Option<Timestamp>,
}

impl PluginMemory {
    /// Reads the memory. Empty for an unreadable file.
    pub fn load(layout: &TownLayout) -> Self {
        let stored = state_file::read_state(&layout.plugin_memory());
        stored.ok().flatten().unwrap_or_default()
    }

    /// Changes the memory under its lock.
    pub fn change<R>(
        layout: &TownLayout,
        change: impl FnOnce(&mut Self) -> R,
    ) -> anyhow::Result<R> {
        state_file::change_state(layout, &layout.plugin_memory(), change)
    }
}
