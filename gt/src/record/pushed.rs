//! Records the unfinished work of a polecat that the remote has. One small local file per polecat.
//! If it is lost, the work is pushed once more.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::state_file;
use crate::town::RigLayout;

/// The last push of a polecat's unfinished work.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PushRecord {
    pub branch: String,
    /// The last pushed commit. Empty for none.
    pub tip: String,
    /// The time of the last push or try.
    pub at: Option<Timestamp>,
    /// The time of the worker's last commit at that push.
    pub committed: Option<Timestamp>,
    /// The reason of the remote's refusal of the last push.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// The time of the first of the refusals in a row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused_since: Option<Timestamp>,
}

impl PushRecord {
    pub fn load(rig: &RigLayout, name: &str) -> Self {
        state_file::read_expendable_state(&rig.push_record(name))
    }

    pub fn save(&self, rig: &RigLayout, name: &str) -> anyhow::Result<()> {
        state_file::write_state(&rig.push_record(name), self)
    }
}
