//! Stores the last check of the deacon, `deacon/dogs/boot/.boot-status.json`.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::state_file;
use crate::town::TownLayout;

/// The last check of the deacon.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct BootStatus {
    /// True while a check runs.
    pub running: bool,
    /// The start time, RFC 3339.
    pub started_at: String,
    /// The end time, RFC 3339.
    pub completed_at: String,
    /// The action: `start`, `nothing`, `nudge`, `wake`, `interrupt`, `restart` or `error`.
    pub last_action: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub target: String,
    pub reason: String,
    /// The reason why the action failed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub error: String,
    /// The last message to the deacon, kept so that it is not sent twice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked: Option<DeaconMessage>,
    /// Fields that this version does not know.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// A message to the deacon.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeaconMessage {
    pub action: String,
    pub at: Timestamp,
}

impl BootStatus {
    /// Returns the last check. None for an unreadable file.
    pub fn load(layout: &TownLayout) -> Option<Self> {
        state_file::read_state(&layout.boot_status()).ok().flatten()
    }

    pub fn save(&self, layout: &TownLayout) -> anyhow::Result<()> {
        state_file::write_state(&layout.boot_status(), self)
    }
}
