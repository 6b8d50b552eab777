//! The last look at the deacon, `deacon/dogs/boot/.boot-status.json`.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::state_file;
use crate::town::Town;

/// The last look at the deacon.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct BootStatus {
    /// Whether a look goes on just now.
    pub running: bool,
    /// When it began, RFC 3339.
    pub started_at: String,
    /// When it ended, RFC 3339.
    pub completed_at: String,
    /// What was done: `start`, `nothing`, `nudge`, `wake`, `interrupt`, `restart` or `error`.
    pub last_action: String,
    /// To whom.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub target: String,
    /// Why.
    pub reason: String,
    /// Why it was not done.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub error: String,
    /// The last message to the deacon, so that it is not sent twice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked: Option<DeaconMessage>,
    /// Fields that this program does not know.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// A message to the deacon.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeaconMessage {
    /// `nudge`, `wake` or `interrupt`.
    pub action: String,
    /// When.
    pub at: Timestamp,
}

impl BootStatus {
    /// The last look. A file that cannot be read is none.
    pub fn load(town: &Town) -> Option<Self> {
        state_file::read_state(&town.layout.boot_status())
            .ok()
            .flatten()
    }

    /// Writes it.
    pub fn save(&self, town: &Town) -> anyhow::Result<()> {
        state_file::write_state(&town.layout.boot_status(), self)
    }
}
