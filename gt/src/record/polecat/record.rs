//! A polecat's record: one entry a completed bead, kept on its identity bead across sessions and nukes.

use bd::bead::{Bead, Stamp};
use bd::store::Tx;
use serde::{Deserialize, Serialize};

/// How a piece of work ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkOutcome {
    /// Handed to the merge queue.
    Submitted,
    /// Finished without a change, for a stated reason.
    NoChange,
    /// Given up (`gt done --failed`).
    Failed,
}

impl WorkOutcome {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Submitted => "handed in",
            Self::NoChange => "no change",
            Self::Failed => "failed",
        }
    }
}

/// One entry of the record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkCompletion {
    /// The bead.
    pub bead: String,
    /// How it ended.
    pub outcome: WorkOutcome,
    /// When it ended, RFC 3339.
    pub at: String,
    /// From the claim to the end, in seconds.
    pub seconds: i64,
    /// How many sessions it took.
    pub sessions: usize,
    /// The agent runtime that did it.
    pub agent: String,
    /// The model, as its program reported it; empty where it did not.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub model: String,
    /// The merge request, if it was handed in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
    /// What became of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<MergeResult>,
    /// How often a gate failed on it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub gate_failures: u32,
    /// From the claim to the merge, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merged_after: Option<i64>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(value: &u32) -> bool {
    *value == 0
}

/// What became of work that was handed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MergeResult {
    /// Merged as it was handed in.
    Merged,
    /// Merged after someone mended it.
    Reworked,
    /// Withdrawn.
    Failed,
}

impl MergeResult {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Merged => "merged",
            Self::Reworked => "reworked",
            Self::Failed => "failed",
        }
    }
}

/// Notes what became of a request in the record of the worker that handed it in. A worker that is gone, or whose record does
/// not have the request, has nothing to note.
pub fn record_result(
    tx: &mut Tx,
    request: &Bead,
    note: impl FnOnce(&mut WorkCompletion, &Stamp),
) -> anyhow::Result<()> {
    let id = bd::bead::fields::get_field(&request.description, "agent_bead").unwrap_or_default();
    let Some(mut agent) = tx.get(&id).filter(|bead| !bead.is_tombstone()).cloned() else {
        return Ok(());
    };
    let now = tx.now();
    let mut entries = read_completions(&agent);
    let own = |entry: &&mut WorkCompletion| entry.request.as_deref() == Some(request.id.as_str());
    let Some(entry) = entries.iter_mut().rev().find(own) else {
        return Ok(());
    };
    note(entry, &now);
    agent.set_metadata("record", entries)?;
    agent.updated_at = now;
    tx.put(agent)?;
    Ok(())
}

/// Notes that a request is merged, as it was or after it was mended.
pub fn record_merged(tx: &mut Tx, request: &Bead, mended: bool) -> anyhow::Result<()> {
    record_result(tx, request, |entry, now| {
        let is_as_it_was = !mended && entry.gate_failures == 0;
        entry.result = Some(if is_as_it_was {
            MergeResult::Merged
        } else {
            MergeResult::Reworked
        });
        let handed_in = Stamp::parse(&entry.at).instant();
        entry.merged_after =
            Some(entry.seconds + now.instant().duration_since(handed_in).as_secs());
    })
}

/// Appends an entry to the record in the identity bead's metadata; other metadata stays.
pub fn append_completion(
    bead: &mut Bead,
    entry: &WorkCompletion,
    now: &Stamp,
) -> serde_json::Result<()> {
    let mut entries = read_completions(bead);
    entries.push(entry.clone());
    bead.set_metadata("record", entries)?;
    bead.updated_at = now.clone();
    Ok(())
}

/// Reads the record of an identity bead, oldest entry first.
pub fn read_completions(bead: &Bead) -> Vec<WorkCompletion> {
    let record = bead.metadata_object().remove("record");
    record
        .and_then(|record| serde_json::from_value(record).ok())
        .unwrap_or_default()
}
