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
    /// The run that has begun and is not recorded yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unfinished: Option<UnfinishedRun>,
    /// True if the last run was cut off, so that the next one repeats it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub repeats: bool,
}

/// The state before a run, for a run that is cut off with its process.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct UnfinishedRun {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub events: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub startup: Option<Timestamp>,
    /// True if it repeats a run that was cut off.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub repeats: bool,
}

impl PluginState {
    /// Begins a run.
    pub fn begin(&mut self, started: Timestamp) {
        self.unfinished = Some(UnfinishedRun {
            started: self.started,
            events: self.events,
            startup: self.startup,
            repeats: self.repeats,
        });
        self.started = Some(started);
    }

    /// Ends a run that is recorded.
    pub fn finish(&mut self) {
        self.unfinished = None;
        self.repeats = false;
    }

    /// Returns the state after the process of a run ended before the run: the run is due again,
    /// with its events. A run that is cut off twice counts, because it may be the cause.
    #[must_use]
    pub fn after_cut_off(&self) -> Self {
        let mut state = self.clone();
        if let Some(before) = state.unfinished.take() {
            state.repeats = !before.repeats;
            if state.repeats {
                state.started = before.started;
                state.events = before.events;
                state.startup = before.startup;
            }
        }
        state
    }
}

impl PluginMemory {
    /// Reads the memory.
    pub fn load(layout: &TownLayout) -> Self {
        state_file::read_expendable_state(&layout.plugin_memory())
    }

    /// Changes the memory under its lock.
    pub fn change<R>(
        layout: &TownLayout,
        change: impl FnOnce(&mut Self) -> R,
    ) -> anyhow::Result<R> {
        state_file::change_state(layout, &layout.plugin_memory(), change)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_is_cut_off_is_repeated_once() {
        let at = |second| Timestamp::from_second(second).ok();
        let mut state = PluginState {
            started: at(1),
            events: Some(10),
            ..PluginState::default()
        };
        let run = |state: &mut PluginState, second| {
            state.begin(Timestamp::from_second(second).unwrap());
            state.events = Some(20);
        };
        run(&mut state, 5);
        let again = state.after_cut_off();
        assert_eq!((again.started, again.events), (at(1), Some(10)));
        let mut again = again;
        run(&mut again, 6);
        let counted = again.after_cut_off();
        assert_eq!((counted.started, counted.events), (at(6), Some(20)));
        run(&mut again, 7);
        again.finish();
        assert_eq!(again.after_cut_off().started, at(7));
    }
}
