//! Stores a polecat's record: one entry per completed bead, kept on its identity bead across
//! sessions and nukes.

use std::collections::BTreeMap;

use bd::bead::{Bead, Stamp};
use bd::store::{BeadMark, Snapshot, Tx};
use serde::{Deserialize, Serialize};

/// The outcome of a piece of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkOutcome {
    /// Submitted to the merge queue.
    Submitted,
    /// Finished without a change, for a stated reason.
    NoChange,
    /// Given up (`gt done --failed`).
    Failed,
}

impl WorkOutcome {
    /// Returns the outcome's name.
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
    pub bead: String,
    pub outcome: WorkOutcome,
    /// The end time, RFC 3339.
    pub at: String,
    /// The seconds from the claim to the end.
    pub seconds: i64,
    /// The number of sessions.
    pub sessions: usize,
    /// The agent runtime.
    pub agent: String,
    /// The model that the agent program reported. Empty if it did not.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub model: String,
    /// The merge request, if the work was submitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
    /// The result of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<MergeResult>,
    /// The number of failed gates.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub gate_failures: u32,
    /// The seconds from the claim to the merge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merged_after: Option<i64>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(value: &u32) -> bool {
    *value == 0
}

/// The result of submitted work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MergeResult {
    /// Merged as submitted.
    Merged,
    /// Merged after someone repaired it.
    Reworked,
    /// Not merged, because the target had the change by the work of someone else.
    AlreadyThere,
    Failed,
}

impl MergeResult {
    /// Returns the result's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Merged => "merged",
            Self::Reworked => "reworked",
            Self::AlreadyThere => "already there",
            Self::Failed => "failed",
        }
    }
}

/// Records the result of a request in the record of its worker. Does nothing if the worker is gone
/// or its record does not have the request.
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
    let matches_request =
        |entry: &&mut WorkCompletion| entry.request.as_deref() == Some(request.id.as_str());
    let Some(entry) = entries.iter_mut().rev().find(matches_request) else {
        return Ok(());
    };
    note(entry, &now);
    agent.set_metadata("record", entries)?;
    agent.updated_at = now;
    tx.put(agent)?;
    Ok(())
}

/// Records that a request is merged, as submitted or after a repair.
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

/// Appends an entry to the record in the identity bead's metadata and keeps other metadata.
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

/// The name of a model that no agent program reported.
const UNKNOWN: &str = "unknown";

impl WorkCompletion {
    /// Returns the model, or `unknown`.
    pub fn model_name(&self) -> &str {
        match self.model.as_str() {
            "" => UNKNOWN,
            model => model,
        }
    }
}

/// The counts of some records.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RecordSummary {
    /// The number of entries whose work cannot have another result.
    pub finished: usize,
    pub merged: usize,
    /// The number of entries that were merged as submitted, without a failed gate.
    pub first_time_green: usize,
    /// The median time from the claim to the submission.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub median_seconds: Option<i64>,
}

impl RecordSummary {
    /// Returns the merged part of the finished entries in percent. None before the first one.
    pub fn success_percent(&self) -> Option<usize> {
        (self.merged * 100).checked_div(self.finished)
    }

    pub fn new<'a>(entries: impl IntoIterator<Item = &'a WorkCompletion>) -> Self {
        let (mut summary, mut seconds) = (Self::default(), Vec::new());
        for entry in entries {
            let is_open = entry.outcome == WorkOutcome::Submitted && entry.result.is_none();
            summary.finished += usize::from(!is_open);
            let (merged, green) = match entry.result {
                Some(MergeResult::Merged) => (true, true),
                Some(MergeResult::Reworked) => (true, false),
                Some(MergeResult::AlreadyThere | MergeResult::Failed) | None => (false, false),
            };
            summary.merged += usize::from(merged);
            summary.first_time_green += usize::from(green);
            seconds.push(entry.seconds);
        }
        seconds.sort_unstable();
        summary.median_seconds = seconds.get(seconds.len() / 2).copied();
        summary
    }
}

/// Returns the records of all polecats of a rig, also of those that are gone.
pub fn read_all_records(beads: &Snapshot) -> Vec<WorkCompletion> {
    let records = read_records_by_identity(beads).into_iter();
    records.flat_map(|(_, record)| record).collect()
}

/// Returns the records of all polecats of a rig that have one, each with the title of the identity
/// bead.
pub fn read_records_by_identity(beads: &Snapshot) -> Vec<(String, Vec<WorkCompletion>)> {
    let agents = beads.select_marked(&[BeadMark::Label("gt:agent")], |_| true);
    agents
        .filter(|bead| !bead.is_tombstone())
        .map(|bead| (bead.title.clone(), read_completions(bead)))
        .filter(|(_, record)| !record.is_empty())
        .collect()
}

/// Groups entries by a property.
pub fn summarize_records<'a>(
    entries: impl IntoIterator<Item = &'a WorkCompletion>,
    key: impl Fn(&'a WorkCompletion) -> &'a str,
) -> BTreeMap<String, RecordSummary> {
    let mut groups: BTreeMap<String, Vec<&WorkCompletion>> = BTreeMap::new();
    for entry in entries {
        groups.entry(key(entry).to_owned()).or_default().push(entry);
    }
    let summaries = groups.into_iter();
    summaries
        .map(|(key, entries)| (key, RecordSummary::new(entries)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_counts_results_and_leaves_out_what_waits_for_its_merge() {
        let entry = |outcome, result, seconds| WorkCompletion {
            bead: "web-1".to_owned(),
            outcome,
            at: "2026-01-01T00:00:00Z".to_owned(),
            seconds,
            sessions: 1,
            agent: "codex".to_owned(),
            model: String::new(),
            request: None,
            result,
            gate_failures: 0,
            merged_after: None,
        };
        let entries = [
            entry(WorkOutcome::Submitted, Some(MergeResult::Merged), 10),
            entry(WorkOutcome::Submitted, Some(MergeResult::Reworked), 20),
            entry(WorkOutcome::Submitted, Some(MergeResult::Failed), 30),
            entry(WorkOutcome::Submitted, None, 40),
            entry(WorkOutcome::NoChange, None, 50),
        ];
        let groups = summarize_records(&entries, WorkCompletion::model_name);
        let expected = RecordSummary {
            finished: 4,
            merged: 2,
            first_time_green: 1,
            median_seconds: Some(30),
        };
        assert_eq!(groups, BTreeMap::from([(UNKNOWN.to_owned(), expected)]));
    }
}
