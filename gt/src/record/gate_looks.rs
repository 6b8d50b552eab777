//! Records when the forge was last queried about a gate, `.runtime/gate-looks.json`. If the file is
//! lost, each gate is queried once more.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use super::state_file;
use crate::town::{Town, TownLayout};

/// The age from which a record is removed: its gate is closed, or due in any case.
const RECORD_LIFETIME: SignedDuration = SignedDuration::from_hours(24);

/// Returns the times of the last queries by gate. Empty for an unreadable file.
pub fn load_gate_looks(layout: &TownLayout) -> BTreeMap<String, Timestamp> {
    let stored = state_file::read_state(&layout.gate_looks());
    stored.ok().flatten().unwrap_or_default()
}

/// Records a query.
pub fn record_gate_look(town: &Town, gate: &str) -> anyhow::Result<()> {
    let now = town.clock.now();
    state_file::change_state(
        &town.layout,
        &town.layout.gate_looks(),
        |looks: &mut BTreeMap<String, Timestamp>| {
            looks.retain(|_, at| now.duration_since(*at).abs() < RECORD_LIFETIME);
            looks.insert(gate.to_owned(), now);
        },
    )
}
