//! Which unfinished work of a polecat the remote has. One small local file per polecat; if it is lost, the work is pushed
//! once more.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::state_file;
use crate::town::RigLayout;

/// The last push of a polecat's unfinished work.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PushRecord {
    /// The branch.
    pub branch: String,
    /// The commit that the remote has from us; empty for none.
    pub tip: String,
    /// When that was done or tried last.
    pub at: Option<Timestamp>,
    /// When the worker had last committed then.
    pub committed: Option<Timestamp>,
    /// Why the remote refused the last push.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

impl PushRecord {
    /// Reads it.
    pub fn load(rig: &RigLayout, name: &str) -> Self {
        let found = state_file::read_state(&rig.push_record(name))
            .ok()
            .flatten();
        found.unwrap_or_default()
    }

    /// Writes it.
    pub fn save(&self, rig: &RigLayout, name: &str) -> anyhow::Result<()> {
        state_file::write_state(&rig.push_record(name), self)
    }
}
