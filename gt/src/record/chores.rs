//! Stores the last run of each chore, `deacon/chores.json`.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::state_file;
use crate::town::{Town, TownLayout};

/// Returns the last run of each chore, by name. Empty for an unreadable file.
pub fn load_last_runs(layout: &TownLayout) -> BTreeMap<String, Timestamp> {
    let stored = state_file::read_state(&layout.chores());
    stored.ok().flatten().unwrap_or_default()
}

/// Records that a chore ran now.
pub fn record_run(town: &Town, chore: &str) -> anyhow::Result<()> {
    state_file::change_state(
        &town.layout,
        &town.layout.chores(),
        |all: &mut BTreeMap<String, Timestamp>| {
            all.insert(chore.to_owned(), town.clock.now());
        },
    )
}
