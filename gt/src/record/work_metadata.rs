//! Reads the metadata that `gt done` keeps on a bead for later workers: summary, area, failed
//! attempts.

use bd::bead::Bead;
use jiff::Timestamp;
use serde::Deserialize;

use crate::record::attempt::{self, Attempt};

/// The metadata that `gt done` keeps on a bead for later workers.
#[derive(Default, Deserialize)]
pub struct WorkMetadata {
    #[serde(default)]
    summary: Option<serde_json::Value>,
    #[serde(default)]
    area: Option<serde_json::Value>,
    #[serde(default)]
    attempts: Option<serde_json::Value>,
}

impl WorkMetadata {
    pub fn from_bead(bead: &Bead) -> Self {
        let metadata = bead.metadata.as_ref();
        metadata
            .and_then(|raw| serde_json::from_str(raw.get()).ok())
            .unwrap_or_default()
    }

    /// Returns the summary that `gt done` stored. Empty without one.
    pub fn summary(&self) -> &str {
        let summary = self.summary.as_ref();
        summary.and_then(serde_json::Value::as_str).unwrap_or("")
    }

    /// Returns the folder of most of the changed files.
    pub fn area(&self) -> Option<&str> {
        let area = self.area.as_ref();
        area.and_then(serde_json::Value::as_str)
    }

    /// Returns the attempts that failed before a time, oldest first.
    pub(crate) fn failures(&self, until: Timestamp) -> Vec<Attempt> {
        let mut failed = attempt::failed_attempts(self.attempts.as_ref());
        failed.retain(|attempt| end_time_of(attempt) <= until);
        failed
    }
}

/// Returns the time at which an attempt failed, or the earliest time if it is unknown.
pub(crate) fn end_time_of(failed: &Attempt) -> Timestamp {
    failed.at.parse().unwrap_or(Timestamp::MIN)
}
