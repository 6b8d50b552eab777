//! Stores the last run of each chore, `deacon/chores.json`.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::state_file;
use crate::town::{Town, TownLayout};

/// Returns the last run of each chore, by name.
pub fn load_last_runs(layout: &TownLayout) -> BTreeMap<String, Timestamp> {
    state_file::read_expendable_state(&layout.chores())
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
