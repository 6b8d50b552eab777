//! Records when the forge was last queried about a gate, and the reason why the gate cannot open,
//! `.runtime/gate-looks.json`. If the file is lost, each gate is queried once more.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::state_file;
use crate::town::{Town, TownLayout};

/// The age from which a record is removed: its gate is closed, or due in any case.
const RECORD_LIFETIME: SignedDuration = SignedDuration::from_hours(24);

/// A query of the forge about one gate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateLook {
    pub at: Timestamp,
    /// The reason why the gate does not open any more without help.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
}

/// Returns the last queries by gate. Empty for an unreadable file.
pub fn load_gate_looks(layout: &TownLayout) -> BTreeMap<String, GateLook> {
    let stored = state_file::read_state(&layout.gate_looks());
    stored.ok().flatten().unwrap_or_default()
}

/// Records a query with the answer of the forge. Without an answer, an earlier reason stays. Returns
/// true if the answer is new.
pub fn record_gate_look(
    town: &Town,
    gate: &str,
    answer: Option<GateAnswer>,
) -> anyhow::Result<bool> {
    let now = town.clock.now();
    let mut is_new = false;
    state_file::change_state(
        &town.layout,
        &town.layout.gate_looks(),
        |looks: &mut BTreeMap<String, GateLook>| {
            looks.retain(|_, look| now.duration_since(look.at).abs() < RECORD_LIFETIME);
            let before = looks.remove(gate).and_then(|look| look.failed);
            let failed = match answer {
                Some(GateAnswer::Failed(reason)) => Some(reason),
                Some(GateAnswer::MayOpen) => None,
                None => before.clone(),
            };
            is_new = failed != before;
            looks.insert(gate.to_owned(), GateLook { at: now, failed });
        },
    )?;
    Ok(is_new)
}

/// The answer of a forge about a gate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GateAnswer {
    MayOpen,
    /// The gate does not open any more, for this reason.
    Failed(String),
}
