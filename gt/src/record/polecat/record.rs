//! A polecat's record: one entry a completed bead, kept on its identity bead across sessions and nukes.

use bd::bead::{Bead, Stamp};
use serde::{Deserialize, Serialize};

/// How a piece of work ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Handed to the merge queue.
    Submitted,
    /// Finished without a change, for a stated reason.
    NoChange,
}

/// One entry of the record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Completion {
    /// The bead.
    pub bead: String,
    /// How it ended.
    pub outcome: Outcome,
    /// When it ended, RFC 3339.
    pub at: String,
    /// From the claim to the end, in seconds.
    pub seconds: i64,
    /// How many sessions it took.
    pub sessions: usize,
    /// The agent runtime that did it.
    pub agent: String,
}

/// Appends an entry to the record in the identity bead's metadata; other metadata stays.
pub fn complete(bead: &mut Bead, entry: &Completion, now: &Stamp) -> serde_json::Result<()> {
    let mut entries = read(bead);
    entries.push(entry.clone());
    bead.set_metadata("record", entries)?;
    bead.updated_at = now.clone();
    Ok(())
}

/// Reads the record of an identity bead, oldest entry first.
pub fn read(bead: &Bead) -> Vec<Completion> {
    let record = bead.metadata_object().remove("record");
    record
        .and_then(|record| serde_json::from_value(record).ok())
        .unwrap_or_default()
}
