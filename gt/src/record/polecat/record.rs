//! Stores a polecat's record: one entry per completed bead, kept across sessions and nukes.
//!
//! Each entry is a closed event bead of its own, so that no line grows with the number of entries.
//! Old entries go to the archive like all closed beads, and are still read from it. Earlier
//! versions kept all entries in the metadata of the identity bead; [`move_entries_to_lines`]
//! converts them.

use std::collections::BTreeMap;

use bd::bead::fields::{get_field, set_field};
use bd::bead::id::{self, IdSeed};
use bd::bead::internal::{OLD_RECORD_KEY, RECORD_EVENT, RECORD_LABEL};
use bd::bead::{Bead, Kind, Stamp};
use bd::change;
use bd::store::{BeadMark, BeadRef, Snapshot, TimeField, Tx};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::{PolecatIds, Slot};
use crate::record::pulse::SessionPulse;
use crate::town::TownLayout;
use crate::town::identity::{Address, SessionName};

/// The part of their ids between prefix and hash.
const ID_MARK: &str = "-rec";

/// The number of characters of that hash.
const HASH_LENGTH: usize = 8;

/// The field of an identity bead that names the bead with the last entry.
const LAST_FIELD: &str = "last_record";

/// The field of a merge request that names the bead with its entry.
const REQUEST_FIELD: &str = "record";

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
    /// Taken from a worker that had stalled, or that closed its bead without `gt done`.
    Abandoned,
}

impl WorkOutcome {
    /// Returns the outcome's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Submitted => "handed in",
            Self::NoChange => "no change",
            Self::Failed => "failed",
            Self::Abandoned => "abandoned",
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
    /// The type of the bead when the worker got it. Empty in entries of earlier versions.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// The user's labels of the bead when the worker got it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// The number of restarts of a session that had ended or made no progress.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub stalls: u32,
    /// The model that the agent program reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
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
    if let Some(worker) = get_field(&request.description, "agent_bead")
        && let Some(mut agent) = tx.get_live(&worker).cloned()
        && move_entries_to_lines(tx, &mut agent)? > 0
    {
        tx.put_updated(agent)?;
    }
    // The request may be an older copy, without the field.
    let named = tx
        .get(&request.id)
        .and_then(|request| get_field(&request.description, REQUEST_FIELD));
    let Some(mut line) = named.and_then(|line| tx.get_live(&line)).cloned() else {
        return Ok(());
    };
    let Some(mut entry) = parse_entry(&line) else {
        return Ok(());
    };
    // A worker may edit its own request, and could name the entry of another one there.
    if entry.request.as_ref() != Some(&request.id) {
        return Ok(());
    }
    let now = tx.now();
    note(&mut entry, &now);
    set_entry(&mut line, &entry)?;
    tx.put_updated(line)?;
    Ok(())
}

/// Records that a request is merged, as submitted or after a repair.
pub fn record_merged(tx: &mut Tx, request: &Bead, is_repaired: bool) -> anyhow::Result<()> {
    record_result(tx, request, |entry, now| {
        let is_as_it_was = !is_repaired && entry.gate_failures == 0;
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

/// Appends an entry for work that ends without a `gt done`, if the worker had stalled in it or
/// `is_own_doing`. Work that is taken from a worker that makes progress says nothing about the
/// worker. The model is the one that the last session named. The caller writes the identity bead.
pub fn record_abandoned(
    tx: &mut Tx,
    layout: &TownLayout,
    agent: &mut Bead,
    slot: &Slot,
    is_own_doing: bool,
) -> anyhow::Result<()> {
    let has_begun = !slot.base.is_empty() && slot.is_unfinished();
    if !has_begun || !(is_own_doing || slot.has_stalled()) {
        return Ok(());
    }
    let now = tx.now();
    let since = Stamp::parse(&slot.since).instant();
    let assignment = &slot.assignment;
    let ids = PolecatIds::from_identity_bead(agent);
    let session = ids.and_then(|ids| SessionName::for_agent(&ids.address));
    let model =
        session.and_then(|session| SessionPulse::load(layout, session.as_str(), &slot.token).model);
    let program = match assignment.program.as_str() {
        "" => slot.agent.clone(),
        program => Some(program.to_owned()),
    };
    let entry = WorkCompletion {
        bead: slot.bead.to_string(),
        outcome: WorkOutcome::Abandoned,
        at: now.to_string(),
        seconds: now.instant().duration_since(since).as_secs(),
        sessions: slot.session_count(),
        agent: program.unwrap_or_else(|| UNKNOWN_MODEL.to_owned()),
        kind: assignment.kind.clone(),
        labels: assignment.labels.clone(),
        stalls: slot.stall_count(),
        model,
        request: None,
        result: None,
        gate_failures: 0,
        merged_after: None,
    };
    append_completion(tx, agent, &entry)
}

/// Appends an entry to the record of an identity bead, which the caller writes.
pub fn append_completion(
    tx: &mut Tx,
    agent: &mut Bead,
    entry: &WorkCompletion,
) -> anyhow::Result<()> {
    move_entries_to_lines(tx, agent)?;
    put_line(tx, agent, entry)
}

/// Moves the entries that an earlier version wrote into the metadata of an identity bead to lines
/// of their own. Returns their number. The caller writes the identity bead.
pub fn move_entries_to_lines(tx: &mut Tx, agent: &mut Bead) -> anyhow::Result<usize> {
    let entries = read_old_entries(agent);
    for entry in &entries {
        put_line(tx, agent, entry)?;
    }
    if !entries.is_empty() {
        agent.remove_metadata(OLD_RECORD_KEY);
    }
    Ok(entries.len())
}

/// Writes the bead of an entry, and names it in the identity bead and in the entry's request.
fn put_line(tx: &mut Tx, agent: &mut Bead, entry: &WorkCompletion) -> anyhow::Result<()> {
    let at = Stamp::parse(&entry.at);
    let mut line = Bead {
        title: format!("Finished {}: {}", entry.bead, entry.outcome.name()),
        issue_type: Kind::Event,
        labels: vec![RECORD_LABEL.to_owned()],
        event_kind: RECORD_EVENT.to_owned(),
        actor: worker_of_identity(agent),
        target: entry.bead.clone(),
        created_at: at.clone(),
        created_by: worker_of_identity(agent),
        updated_at: tx.now(),
        ..Bead::default()
    };
    line.id = choose_line_id(tx, agent, &line)?;
    change::mark_closed(&mut line, entry.outcome.name(), &at);
    set_entry(&mut line, entry)?;
    agent.description = set_field(&agent.description, LAST_FIELD, Some(&line.id));
    let request = entry.request.as_deref().and_then(|id| tx.get_live(id));
    if let Some(mut request) = request.cloned() {
        request.description = set_field(&request.description, REQUEST_FIELD, Some(&line.id));
        tx.put_updated(request)?;
    }
    if tx.get(&line.id).is_none() {
        tx.put(line)?;
    }
    Ok(())
}

/// Returns the id of an entry's bead. The same entry has the same id in each clone.
fn choose_line_id(tx: &Tx, agent: &Bead, line: &Bead) -> anyhow::Result<String> {
    let ids = PolecatIds::from_identity_bead(agent);
    let prefix = match &ids {
        Some(ids) => ids.prefix.as_str(),
        None => id::prefix_of(&agent.id).unwrap_or(""),
    };
    let seed = IdSeed {
        title: &line.title,
        description: "",
        creator: &line.created_by,
        nanos: line.created_at.instant().as_nanosecond(),
    };
    id::generate_id(&format!("{prefix}{ID_MARK}"), seed, HASH_LENGTH, |id| {
        tx.get(id).is_some_and(|other| {
            (&other.actor, &other.target, &other.created_at)
                != (&line.actor, &line.target, &line.created_at)
        })
    })
    .ok_or_else(|| anyhow::anyhow!("no id is free for the record of {}", line.actor))
}

/// Returns the name of a worker in its entries: the address, or the id of an identity bead that
/// shows none.
fn worker_of_identity(agent: &Bead) -> String {
    PolecatIds::from_identity_bead(agent)
        .map_or_else(|| agent.id.clone(), |ids| ids.address.to_string())
}

fn set_entry(line: &mut Bead, entry: &WorkCompletion) -> serde_json::Result<()> {
    line.metadata = Some(serde_json::value::to_raw_value(entry)?);
    Ok(())
}

/// Reads the entry of a bead. None for a bead without the label, which a worker may have written.
fn parse_entry(line: &Bead) -> Option<WorkCompletion> {
    let is_line =
        line.has_label(RECORD_LABEL) && line.event_kind == RECORD_EVENT && !line.is_tombstone();
    serde_json::from_str(line.metadata.as_ref().filter(|_| is_line)?.get()).ok()
}

/// Returns the entries that an earlier version wrote into the metadata of an identity bead. Any
/// other bead, and one that a worker has created, has none.
pub fn read_old_entries(agent: &Bead) -> Vec<WorkCompletion> {
    let is_of_town = PolecatIds::from_identity_bead(agent).is_some()
        && !matches!(agent.created_by.parse(), Ok(Address::Polecat(..)));
    let entries = is_of_town.then(|| agent.metadata_value(OLD_RECORD_KEY));
    entries.flatten().unwrap_or_default()
}

/// Reads the record of an identity bead, oldest entry first.
pub fn read_record(beads: &Snapshot, agent: &Bead) -> Vec<WorkCompletion> {
    let lines = read_lines(beads).remove(&worker_of_identity(agent));
    merge_old_entries(agent, lines)
}

/// Reads the last entry of the record of an identity bead.
pub fn read_last_completion(beads: &Snapshot, agent: &Bead) -> Option<WorkCompletion> {
    let Some(id) = get_field(&agent.description, LAST_FIELD) else {
        return read_old_entries(agent).pop();
    };
    match beads.get_live(&id) {
        Some(line) => parse_entry(line),
        None => parse_entry(&beads.archive().get(&id)?),
    }
}

/// Returns the entry of a merge request. None if its worker has no record of it.
pub fn completion_of_request(beads: &Snapshot, request: &Bead) -> Option<WorkCompletion> {
    let id = get_field(&request.description, REQUEST_FIELD)?;
    match beads.get_live(&id) {
        Some(line) => parse_entry(line),
        None => parse_entry(&beads.archive().get(&id)?),
    }
}

/// Adds the entries that an earlier version wrote into the metadata of an identity bead, oldest
/// entry first.
fn merge_old_entries(agent: &Bead, lines: Option<Vec<WorkCompletion>>) -> Vec<WorkCompletion> {
    let lines = lines.unwrap_or_default();
    let mut entries = read_old_entries(agent);
    // A merge of clones can bring back entries that have their lines already.
    entries.retain(|old| {
        !lines
            .iter()
            .any(|line| (&line.bead, &line.at) == (&old.bead, &old.at))
    });
    entries.extend(lines);
    entries.sort_by_cached_key(|entry| Stamp::parse(&entry.at).instant());
    entries
}

/// Reads the entries of all workers by worker, also those in the archive.
fn read_lines(beads: &Snapshot) -> BTreeMap<String, Vec<WorkCompletion>> {
    let archive = beads.archive();
    let archived: Vec<Bead> = archive
        .ids_from("")
        .filter(|id| id.contains(ID_MARK) && beads.bead_ref(id).is_none())
        .filter_map(|id| archive.get(id))
        .collect();
    let lines = beads.select_marked(&[BeadMark::Label(RECORD_LABEL)], |_| true);
    let mut workers: BTreeMap<String, Vec<WorkCompletion>> = BTreeMap::new();
    for line in lines.chain(&archived) {
        if let Some(entry) = parse_entry(line) {
            workers.entry(line.actor.clone()).or_default().push(entry);
        }
    }
    workers
}

/// An entry of a record with its worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerCompletion {
    /// The address of the worker.
    pub worker: String,
    pub done: WorkCompletion,
}

/// Reads the entries of all workers since a time, oldest first. Reads only the lines of that time,
/// and of the archive only the years since then. The type of a bead whose entry has none, because
/// an earlier version wrote it, is that of the bead now.
pub fn read_completions_since(
    beads: &Snapshot,
    since: Timestamp,
) -> anyhow::Result<Vec<WorkerCompletion>> {
    let year = since.to_zoned(TimeZone::UTC).year();
    let archive = beads.read_archive_since(year)?;
    let archived: Vec<Bead> = archive
        .ids_from("")
        .filter(|id| id.contains(ID_MARK) && beads.bead_ref(id).is_none())
        .filter_map(|id| archive.get(id))
        .collect();
    // A pending change has no time yet.
    let is_recent = |line: &BeadRef<'_>| line.time(TimeField::Closed).is_none_or(|at| at >= since);
    let lines = beads.select_marked(&[BeadMark::Label(RECORD_LABEL)], is_recent);
    let mut entries: Vec<WorkerCompletion> = lines
        .chain(&archived)
        .filter_map(|line| {
            Some(WorkerCompletion {
                worker: line.actor.clone(),
                done: parse_entry(line)?,
            })
        })
        .collect();
    for agent in beads.select_marked(&[BeadMark::Label("gt:agent")], |_| true) {
        let worker = worker_of_identity(agent);
        entries.extend(
            read_old_entries(agent)
                .into_iter()
                .map(|done| WorkerCompletion {
                    worker: worker.clone(),
                    done,
                }),
        );
    }
    entries.sort_by_cached_key(|entry| {
        let at = Stamp::parse(&entry.done.at).instant();
        (at, entry.done.bead.clone())
    });
    // A merge of clones can bring back entries that have their lines already.
    entries.dedup_by(|next, kept| {
        (&next.done.bead, &next.done.at) == (&kept.done.bead, &kept.done.at)
    });
    entries.retain(|entry| Stamp::parse(&entry.done.at).instant() >= since);
    for entry in &mut entries {
        if entry.done.kind.is_empty() {
            let live = beads.get_live(&entry.done.bead).cloned();
            let bead = live.or_else(|| archive.get(&entry.done.bead));
            entry.done.kind = bead.map_or_else(String::new, |bead| super::kind_of_work(&bead));
        }
    }
    Ok(entries)
}

/// The name of a model that no agent program reported.
pub const UNKNOWN_MODEL: &str = "unknown";

impl WorkCompletion {
    /// Returns true unless the work was submitted and has no result yet.
    pub fn is_finished(&self) -> bool {
        self.outcome != WorkOutcome::Submitted || self.result.is_some()
    }

    /// Returns the time of the merge. None for work that is not merged.
    pub fn merged_at(&self) -> Option<Timestamp> {
        let handed_in = Stamp::parse(&self.at).instant();
        let waited = self
            .merged_after
            .unwrap_or(self.seconds)
            .saturating_sub(self.seconds);
        match self.result? {
            MergeResult::Merged | MergeResult::Reworked => handed_in
                .checked_add(SignedDuration::from_secs(waited))
                .ok(),
            MergeResult::AlreadyThere | MergeResult::Failed => None,
        }
    }

    /// Returns the model, or `unknown`.
    pub fn model_name(&self) -> &str {
        self.model.as_deref().unwrap_or(UNKNOWN_MODEL)
    }
}

/// Returns the records of all polecats of a rig, also of those that are gone.
pub fn read_all_records(beads: &Snapshot) -> Vec<WorkCompletion> {
    read_records_by_identity(beads)
        .into_iter()
        .flat_map(|(_, record)| record)
        .collect()
}

/// Returns the records of all polecats of a rig that have one, each with the title of the identity
/// bead, or with the address of a worker whose identity bead is gone.
pub fn read_records_by_identity(beads: &Snapshot) -> Vec<(String, Vec<WorkCompletion>)> {
    let mut lines = read_lines(beads);
    let agents = beads.select_marked(&[BeadMark::Label("gt:agent")], |_| true);
    let mut records: Vec<(String, Vec<WorkCompletion>)> = agents
        .filter(|bead| !bead.is_tombstone())
        .map(|bead| {
            let own = lines.remove(&worker_of_identity(bead));
            let record = merge_old_entries(bead, own);
            (bead.title.clone(), record)
        })
        .collect();
    records.extend(lines);
    records.retain(|(_, entries)| !entries.is_empty());
    records
}

#[cfg(test)]
mod tests {
    use bd::store::Author;

    use super::*;
    use crate::record::polecat::{RecordSummary, summarize_records};
    use crate::testing::TestTown;
    use crate::town::Rig;

    fn entry(outcome: WorkOutcome, result: Option<MergeResult>, seconds: i64) -> WorkCompletion {
        WorkCompletion {
            bead: "web-1".to_owned(),
            outcome,
            at: "2026-01-01T00:00:00Z".to_owned(),
            seconds,
            sessions: 1,
            agent: "codex".to_owned(),
            kind: String::new(),
            labels: Vec::new(),
            stalls: 0,
            model: None,
            request: None,
            result,
            gate_failures: 0,
            merged_after: None,
        }
    }

    #[test]
    fn a_summary_counts_results_and_leaves_out_what_waits_for_its_merge() {
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
        assert_eq!(
            groups,
            BTreeMap::from([(UNKNOWN_MODEL.to_owned(), expected)])
        );
    }

    #[test]
    fn only_work_of_a_stalled_worker_or_closed_by_it_is_abandoned() {
        let place = TestTown::new();
        place.add_rig("web", None).unwrap();
        let rig = place.town.find_rig("web").unwrap();
        let store = rig.store().unwrap();
        let ids = PolecatIds::for_polecat(&rig, "alpha");
        let slot = |respawns: usize| Slot {
            bead: "we-1".to_owned().into(),
            base: "c0ffee".to_owned(),
            since: "2026-01-01T00:00:00Z".to_owned(),
            respawns: vec!["2026-01-01T00:00:00Z".to_owned(); respawns],
            assignment: super::super::Assignment {
                kind: "bug".to_owned(),
                program: "codex".to_owned(),
                ..super::super::Assignment::default()
            },
            state: super::super::SlotState::Working,
            ..Slot::default()
        };
        let take_away = |slot: &Slot, is_own_doing| {
            let taken = rig.transact(&store, |tx| {
                let mut agent = super::super::reserve_identity(tx, "web", "alpha", &ids.agent)?;
                record_abandoned(tx, &rig.town().layout, &mut agent, slot, is_own_doing)?;
                Ok(tx.put(agent)?)
            });
            taken.unwrap();
            read_all_records(&store.snapshot().unwrap())
        };
        assert_eq!(take_away(&slot(0), false), []);
        let not_begun = Slot {
            base: String::new(),
            ..slot(1)
        };
        assert_eq!(take_away(&not_begun, true), []);
        let record = take_away(&slot(2), false);
        let facts = (&*record[0].kind, &*record[0].agent, record[0].stalls);
        assert_eq!(facts, ("bug", "codex", 2));
        assert_eq!(record[0].outcome, WorkOutcome::Abandoned);
        assert_eq!(RecordSummary::new(&record).finished, 1);
    }

    #[test]
    fn a_request_sets_the_result_of_its_own_entry_only() {
        let place = TestTown::new();
        place.add_rig("web", None).unwrap();
        let rig = place.town.find_rig("web").unwrap();
        let store = rig.store().unwrap();
        let ids = PolecatIds::for_polecat(&rig, "alpha");
        let own = WorkCompletion {
            request: Some("we-mr-1".to_owned()),
            ..entry(WorkOutcome::Submitted, None, 10)
        };
        let request = |id: &str, line: &str| Bead {
            id: id.to_owned(),
            title: "Merge".to_owned(),
            description: format!("agent_bead: {}\nrecord: {line}", ids.agent),
            created_at: Stamp::parse("2026-01-01T00:00:00Z"),
            updated_at: Stamp::parse("2026-01-01T00:00:00Z"),
            ..Bead::default()
        };
        let written = rig.transact(&store, |tx| {
            let mut agent = super::super::reserve_identity(tx, "web", "alpha", &ids.agent)?;
            append_completion(tx, &mut agent, &own)?;
            let line = get_field(&agent.description, LAST_FIELD).unwrap();
            tx.put(agent)?;
            // The worker of another request has edited it.
            let forged = request("we-mr-2", &line);
            tx.put(forged.clone())?;
            record_result(tx, &forged, |entry, _| {
                entry.result = Some(MergeResult::Failed);
            })
        });
        written.unwrap();
        let record = read_all_records(&store.snapshot().unwrap());
        assert_eq!(record, [own]);
    }

    /// The sizes of a store whose workers finish beads.
    struct StoreGrowth {
        bytes: usize,
        /// The length of the longest line of a bead.
        longest_line: usize,
        /// The length of the longest line of history.
        longest_event: usize,
    }

    /// Finishes `count` more beads of each worker.
    fn finish_beads(rig: &Rig, workers: &[&str], start: usize, count: usize) -> StoreGrowth {
        let store = rig.store().unwrap();
        for number in start..start + count {
            for worker in workers {
                let finished = rig.transact(&store, |tx| {
                    let ids = PolecatIds::for_polecat(rig, worker);
                    let mut agent = super::super::reserve_identity(tx, "web", worker, &ids.agent)?;
                    let entry = WorkCompletion {
                        at: format!("2026-01-01T00:00:00.{number:09}Z"),
                        ..entry(WorkOutcome::NoChange, None, 10)
                    };
                    append_completion(tx, &mut agent, &entry)?;
                    agent.updated_at = tx.now();
                    Ok(tx.put(agent)?)
                });
                finished.unwrap();
            }
        }
        store.fold(&rig.town().clock).unwrap();
        let read = |name| std::fs::read_to_string(store.dir().join(name)).unwrap();
        let issues = read("issues.jsonl");
        let events = read("events.local.jsonl");
        let longest = |text: &str| text.lines().map(str::len).max().unwrap();
        StoreGrowth {
            bytes: issues.len() + events.len(),
            longest_line: longest(&issues),
            longest_event: longest(&events),
        }
    }

    /// Asserts that each of two times `count` beads per worker costs the same.
    fn assert_linear_growth(workers: &[&str], count: usize) {
        let place = TestTown::new();
        place.add_rig("web", None).unwrap();
        let rig = place.town.find_rig("web").unwrap();
        let start = finish_beads(&rig, workers, 0, 10);
        let middle = finish_beads(&rig, workers, 10, count);
        let end = finish_beads(&rig, workers, 10 + count, count);
        let (first, second) = (middle.bytes - start.bytes, end.bytes - middle.bytes);
        assert!(second < first + first / 10, "{first}, then {second} bytes");
        assert!(end.longest_line < start.longest_line + 20);
        assert!(end.longest_event < start.longest_event + 20);
        let beads = rig.store().unwrap().snapshot().unwrap();
        let ids = PolecatIds::for_polecat(&rig, workers[0]);
        let record = read_record(&beads, beads.get(&ids.agent).unwrap());
        assert_eq!(record.len(), 10 + 2 * count);
        let last = read_last_completion(&beads, beads.get(&ids.agent).unwrap());
        assert_eq!(last.as_ref(), record.last());
        assert_eq!(read_all_records(&beads).len(), workers.len() * record.len());
    }

    #[test]
    fn the_bytes_of_a_record_grow_by_the_same_amount_with_each_finished_bead() {
        assert_linear_growth(&["alpha", "beta"], 20);
    }

    #[test]
    #[ignore = "takes minutes; make nightly runs it"]
    fn the_bytes_of_eight_workers_grow_by_the_same_amount_over_3000_finished_beads() {
        let workers = ["a", "b", "c", "d", "e", "f", "g", "h"];
        assert_linear_growth(&workers, 183);
    }

    #[test]
    fn entries_in_the_metadata_of_an_identity_bead_become_lines_and_stay_in_the_record() {
        let place = TestTown::new();
        place.add_rig("web", None).unwrap();
        let rig = place.town.find_rig("web").unwrap();
        let ids = PolecatIds::for_polecat(&rig, "alpha");
        let (store, request) = (rig.store().unwrap(), "we-mr-1");
        let old = WorkCompletion {
            request: Some(request.to_owned()),
            ..entry(WorkOutcome::Submitted, None, 10)
        };
        let written = rig.transact(&store, |tx| {
            let mut agent = super::super::reserve_identity(tx, "web", "alpha", &ids.agent)?;
            agent.set_metadata(OLD_RECORD_KEY, [&old])?;
            tx.put(agent)?;
            Ok(tx.put(Bead {
                id: request.to_owned(),
                title: "Merge".to_owned(),
                description: format!("agent_bead: {}", ids.agent),
                created_at: tx.now(),
                updated_at: tx.now(),
                ..Bead::default()
            })?)
        });
        written.unwrap();
        let read = || {
            let beads = store.snapshot().unwrap();
            let agent = beads.get(&ids.agent).unwrap();
            let last = read_last_completion(&beads, agent).unwrap();
            let record = read_record(&beads, agent);
            assert_eq!(record.last(), Some(&last));
            (record, agent.metadata_object().contains_key(OLD_RECORD_KEY))
        };
        assert_eq!(read(), (vec![old.clone()], true));
        let merged = rig.transact(&store, |tx| {
            let request = tx.get(request).cloned().unwrap();
            record_merged(tx, &request, false)
        });
        merged.unwrap();
        let (record, is_old) = read();
        assert_eq!(record.len(), 1);
        assert_eq!(record[0].result, Some(MergeResult::Merged));
        assert!(!is_old);
        // Once archived, the entries still count.
        let later = "2027-01-01T00:00:00Z".parse().unwrap();
        store
            .compact(&Author::default(), &rig.town().clock, later)
            .unwrap();
        let beads = store.snapshot().unwrap();
        assert!(beads.live().all(|bead| !bead.has_label(RECORD_LABEL)));
        assert_eq!(read_all_records(&beads), record);
    }

    #[test]
    fn nothing_that_a_worker_can_write_counts_as_a_record() {
        let place = TestTown::new();
        place.add_rig("web", None).unwrap();
        let rig = place.town.find_rig("web").unwrap();
        let (store, worker) = (rig.store().unwrap(), "web/polecats/alpha");
        let forged = vec![entry(WorkOutcome::Submitted, Some(MergeResult::Merged), 10); 30];
        let written = rig.transact(&store, |tx| {
            let ids = PolecatIds::for_polecat(&rig, "zed");
            let mut identity = super::super::reserve_identity(tx, "web", "zed", &ids.agent)?;
            identity.set_metadata(OLD_RECORD_KEY, &forged)?;
            identity.created_by = worker.to_owned();
            let mut note = identity.clone();
            note.id = "we-note".to_owned();
            note.created_by = "dana".to_owned();
            tx.put(identity)?;
            tx.put(note)?;
            let mut agent = super::super::reserve_identity(tx, "web", "alpha", &ids.agent)?;
            append_completion(tx, &mut agent, &forged[0])?;
            let id = get_field(&agent.description, LAST_FIELD).unwrap();
            let mut line = tx.get(&id).cloned().unwrap();
            line.labels.clear();
            Ok(tx.put(line)?)
        });
        written.unwrap();
        let read = || {
            let beads = store.snapshot().unwrap();
            let since = "2025-01-01T00:00:00Z".parse().unwrap();
            assert_eq!(read_completions_since(&beads, since).unwrap(), []);
            assert_eq!(read_all_records(&beads), []);
        };
        read();
        let later = "2027-01-01T00:00:00Z".parse().unwrap();
        let clock = &rig.town().clock;
        let moved = store.compact(&Author::default(), clock, later).unwrap();
        assert_eq!(moved.len(), 1);
        read();
    }
}
