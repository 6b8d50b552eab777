//! A polecat's record: one entry a completed bead, kept on its identity bead across sessions and nukes.

use bd::bead::{Bead, Stamp};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

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
    let mut metadata: Map<String, Value> = bead
        .metadata
        .as_ref()
        .and_then(|raw| serde_json::from_str(raw.get()).ok())
        .unwrap_or_default();
    let record = metadata
        .entry("record")
        .or_insert_with(|| Value::Array(Vec::new()));
    if let Value::Array(entries) = record {
        entries.push(serde_json::to_value(entry)?);
    }
    bead.metadata = Some(serde_json::value::to_raw_value(&metadata)?);
    bead.updated_at = now.clone();
    Ok(())
}

/// Reads the record of an identity bead, oldest entry first.
pub fn read(bead: &Bead) -> Vec<Completion> {
    let metadata: Option<Map<String, Value>> = bead
        .metadata
        .as_ref()
        .and_then(|raw| serde_json::from_str(raw.get()).ok());
    metadata
        .and_then(|mut metadata| metadata.remove("record"))
        .and_then(|record| serde_json::from_value(record).ok())
        .unwrap_or_default()
}
