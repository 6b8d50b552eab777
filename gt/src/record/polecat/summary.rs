//! Counts the results of finished work.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{MergeResult, WorkCompletion, WorkOutcome};

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
        let mut summary = Self::default();
        let mut seconds = Vec::new();
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

/// Groups entries by a property.
pub fn summarize_records<'a>(
    entries: impl IntoIterator<Item = &'a WorkCompletion>,
    key: impl Fn(&'a WorkCompletion) -> &'a str,
) -> BTreeMap<String, RecordSummary> {
    let mut groups: BTreeMap<String, Vec<&WorkCompletion>> = BTreeMap::new();
    for entry in entries {
        groups.entry(key(entry).to_owned()).or_default().push(entry);
    }
    groups
        .into_iter()
        .map(|(key, entries)| (key, RecordSummary::new(entries)))
        .collect()
}
