//! When each chore was last done, `deacon/chores.json`.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::state_file;
use crate::town::Town;

/// When each chore was last done, by name. A file that cannot be read says nothing.
pub fn load_last_runs(town: &Town) -> BTreeMap<String, Timestamp> {
    let stored = state_file::read_state(&town.layout.chores());
    stored.ok().flatten().unwrap_or_default()
}

/// Notes that a chore is done now.
pub fn record_run(town: &Town, chore: &str) -> anyhow::Result<()> {
    state_file::change_state(
        town,
        &town.layout.chores(),
        |all: &mut BTreeMap<String, Timestamp>| {
            all.insert(chore.to_owned(), town.clock.now());
        },
    )
}
