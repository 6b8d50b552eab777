//! Queues beads that were slung to a rig while something blocks them: local records (wisps with the
//! label `gt:sling-context`) until the patrol finds them unblocked and slings them.

use bd::bead::Bead;
use bd::store::{BeadMark, Snapshot, Tx};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::town::Rig;

pub(crate) const LABEL: &str = "gt:sling-context";

/// The options of a sling.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SlingOptions {
    /// The agent runtime, if not the configured one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// True to choose the agent runtime by the records of finished work.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub best: bool,
    /// The account of the session, if not the default one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// The other machine on which the worker runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Instructions in addition to the bead's own text.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub args: String,
    /// True to create no convoy for a bead that has none.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub no_convoy: bool,
    /// True to give the worker no molecule.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub no_molecule: bool,
    /// True to take the bead from its holder, and to sling a blocked bead.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub force: bool,
    /// True to make the named worker even if its name is close to that of another one.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub create: bool,
}

/// A bead that waits to be slung.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueuedSling {
    pub version: u32,
    pub work_bead_id: String,
    /// The rig that the bead goes to.
    pub target_rig: String,
    #[serde(flatten)]
    pub options: SlingOptions,
    /// The time of queueing, RFC 3339.
    pub enqueued_at: String,
    /// The position among the beads that were queued together.
    #[serde(default, skip_serializing_if = "is_first")]
    pub order: usize,
    /// The last failed try to sling the bead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<FailedSling>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_first(order: &usize) -> bool {
    *order == 0
}

/// A failed try to sling a queued bead.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedSling {
    pub at: String,
    /// The time of the first failed try, RFC 3339.
    #[serde(default)]
    pub since: String,
    pub why: String,
}

impl QueuedSling {
    /// Describes the state in a few words, with times in RFC 3339.
    pub fn describe_queued(&self) -> String {
        self.describe_with(|time| format!("since {time}"), |time| format!("at {time}"))
    }

    /// Describes the state with relative times.
    pub fn describe_at(&self, now: Timestamp) -> String {
        let format_time = |time: &str| match time.parse() {
            Ok(then) => kit::ui::time::format_ago(now, then),
            Err(_) => time.to_owned(),
        };
        self.describe_with(format_time, format_time)
    }

    fn describe_with(&self, since: impl Fn(&str) -> String, at: impl Fn(&str) -> String) -> String {
        let mut text = format!(
            "queued for rig {} {}",
            self.target_rig,
            since(&self.enqueued_at)
        );
        if let Some(failed) = &self.failed {
            let at = at(&failed.at);
            let why = &failed.why;
            text.push_str(&format!("; the last try failed {at}: {why}"));
        }
        text
    }
}

/// Returns the queued beads of a rig, oldest first.
pub fn list_queued_slings(beads: &Snapshot) -> Vec<QueuedSling> {
    let mut found: Vec<QueuedSling> = beads
        .select_marked(&[BeadMark::Label(LABEL)], |_| true)
        .filter_map(|bead| parse_queued_sling(bead.metadata.as_ref()?.get()))
        .collect();
    found.sort_by_cached_key(|queued| {
        let id = queued.work_bead_id.clone();
        (queued.enqueued_at.clone(), queued.order, id)
    });
    found
}

/// Returns the key by which queued beads are sorted. One step of priority is worth a day in the
/// queue, so that no bead waits forever.
pub(crate) fn turn_of(queued: &QueuedSling, bead: Option<&Bead>) -> (Timestamp, usize, String) {
    let priority = bead.map_or(0, |bead| bead.priority.clamp(0, 4));
    // A record without a readable time has waited longest.
    let enqueued: Timestamp = queued.enqueued_at.parse().unwrap_or(Timestamp::UNIX_EPOCH);
    let turn = enqueued.saturating_add(SignedDuration::from_hours(24 * priority));
    let id = queued.work_bead_id.clone();
    (turn.unwrap_or(enqueued), queued.order, id)
}

/// Records a failed try on a queued bead, which stays queued.
pub fn record_queue_failure(rig: &Rig, bead: &str, why: &str) -> anyhow::Result<()> {
    let store = rig.store()?;
    let id = queue_record_id(&rig.prefix(), bead);
    rig.transact(&store, |tx| {
        let now = tx.now();
        let Some(mut record) = tx.get(&id).cloned() else {
            return Ok(());
        };
        let kept = record.metadata.as_ref();
        let Some(mut queued) = kept.and_then(|raw| parse_queued_sling(raw.get())) else {
            return Ok(());
        };
        let before = queued.failed.take().map(|failed| failed.since);
        queued.failed = Some(FailedSling {
            at: now.to_string(),
            since: before
                .filter(|since| !since.is_empty())
                .unwrap_or_else(|| now.to_string()),
            why: why.to_owned(),
        });
        record.metadata = Some(serde_json::value::to_raw_value(&queued)?);
        record.updated_at = now;
        tx.put(record)?;
        Ok(())
    })
}

pub(crate) fn parse_queued_sling(record: &str) -> Option<QueuedSling> {
    serde_json::from_str(record).ok()
}

/// Removes a bead from the queue.
pub fn remove_queued_sling(rig: &Rig, bead: &str) -> anyhow::Result<()> {
    let store = rig.store()?;
    rig.transact(&store, |tx| remove_queued_in(tx, &rig.prefix(), bead))
}

/// Removes a bead from the queue, in the transaction that gives it to a worker or withdraws it.
pub(crate) fn remove_queued_in(tx: &mut Tx, prefix: &str, bead: &str) -> anyhow::Result<()> {
    let id = queue_record_id(prefix, bead);
    if tx.get(&id).is_some() {
        tx.erase_wisp(&id)?;
    }
    Ok(())
}

pub(crate) fn queue_record_id(prefix: &str, bead: &str) -> String {
    format!("{prefix}-wisp-sling-{bead}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queued_sling_is_stored_in_the_form_of_earlier_versions() {
        let text = r#"{"version":1,"work_bead_id":"w-1","target_rig":"web","agent":"codex","args":"fast","no_convoy":true,"no_molecule":true,"enqueued_at":"t"}"#;
        let queued = parse_queued_sling(text).unwrap();
        assert_eq!(serde_json::to_string(&queued).unwrap(), text);
        assert_eq!(queued.options.agent.as_deref(), Some("codex"));
        let text = r#"{"version":1,"work_bead_id":"w-1","target_rig":"web","enqueued_at":"t"}"#;
        let queued = parse_queued_sling(text).unwrap();
        assert_eq!(serde_json::to_string(&queued).unwrap(), text);
        assert_eq!(queued.options, SlingOptions::default());
    }

    #[test]
    fn a_step_of_priority_is_worth_a_day_in_the_queue() {
        let queued = |id: &str, at: &str| QueuedSling {
            version: 1,
            work_bead_id: id.to_owned(),
            target_rig: "web".to_owned(),
            options: SlingOptions::default(),
            enqueued_at: at.to_owned(),
            order: 0,
            failed: None,
        };
        let bead = |priority| Bead {
            priority,
            ..Bead::default()
        };
        let urgent = turn_of(&queued("a", "2026-01-03T01:00:00Z"), Some(&bead(0)));
        let normal = turn_of(&queued("b", "2026-01-01T00:00:00Z"), Some(&bead(2)));
        assert!(normal < urgent, "the normal one has waited two days");
        let later = turn_of(&queued("c", "2026-01-01T02:00:00Z"), Some(&bead(2)));
        assert!(urgent < later);
    }
}
