//! Queues a bead that cannot be slung yet.

use std::collections::BTreeMap;

use anyhow::Context;
use bd::bead::{Bead, Kind, Status};
use bd::store::Tx;

use super::{SlingOptions, SlingReport, SlingRequest, ensure_bead_convoy};
use crate::record::queued_sling::{LABEL, QueuedSling, parse_queued_sling, queue_record_id};
use crate::town::beads::FoundBead;
use crate::town::event::event;
use crate::town::{Rig, Town};

/// Returns the ids that block a bead now.
pub(super) fn find_blockers(town: &Town, found: &FoundBead) -> anyhow::Result<Vec<String>> {
    let snapshot = found.store.snapshot()?;
    let id = &found.bead.id;
    let mut blockers: Vec<String> = bd::graph::find_blockers(&snapshot, id)
        .into_iter()
        .map(str::to_owned)
        .collect();
    if snapshot
        .bead_ref(id)
        .is_some_and(|bead| bead.has_external_edge())
    {
        blockers.extend(town.read_stores()?.external_blockers(&found.bead));
    }
    Ok(blockers)
}

/// A written record of the queue.
struct QueueEntry {
    /// True if the bead was queued before.
    was_queued: bool,
}

/// A bead that goes into the queue of a rig.
#[derive(Debug)]
pub(super) struct WaitingBead {
    rig: String,
    options: SlingOptions,
    bead: Bead,
    /// The blockers, or another reason to wait.
    waits_for: Vec<String>,
}

impl WaitingBead {
    /// Checks that the bead may be queued.
    pub(super) fn new(
        rig: &Rig,
        request: &SlingRequest,
        bead: &Bead,
        waits_for: Vec<String>,
    ) -> anyhow::Result<Self> {
        anyhow::ensure!(
            bead.status == Status::Open,
            "{} is {}: only open work can be slung",
            bead.id,
            bead.status
        );
        Ok(Self {
            rig: rig.name().to_owned(),
            options: request.options.clone(),
            bead: bead.clone(),
            waits_for,
        })
    }

    pub(super) fn enqueue(self, town: &Town) -> anyhow::Result<SlingReport> {
        let id = self.bead.id.clone();
        let mut reports = enqueue_beads(town, vec![self])?;
        reports
            .pop()
            .with_context(|| format!("{id} is not open any more: it was not queued"))
    }

    /// Records that the bead waits, and adds it to a convoy.
    fn report(self, town: &Town, was_queued: bool) -> anyhow::Result<SlingReport> {
        let convoy = ensure_bead_convoy(town, &self.bead, self.options.no_convoy)?;
        if !was_queued {
            town.record_event(&event!(SlingWaits,
                bead: self.bead.id, target: self.rig, waits_for: self.waits_for,
            ));
        }
        Ok(SlingReport {
            bead: self.bead.id,
            title: self.bead.title,
            target: self.rig,
            convoy,
            branch: None,
            host: self.options.host,
            session: None,
            sandbox: None,
            hidden: Vec::new(),
            rescued: None,
            waits_for: self.waits_for,
            needs_person: None,
            start_failed: None,
            start_after: None,
            agent_choice: None,
        })
    }

    /// Writes the record of the queue. `None` if the bead is not open any more. A bead that is queued
    /// again keeps its place and its last failure.
    fn put_record(
        &self,
        tx: &mut Tx,
        prefix: &str,
        order: usize,
    ) -> anyhow::Result<Option<QueueEntry>> {
        if tx
            .get(&self.bead.id)
            .is_none_or(|bead| bead.status != Status::Open)
        {
            return Ok(None);
        }
        let now = tx.now();
        let id = queue_record_id(prefix, &self.bead.id);
        let before = tx
            .get(&id)
            .and_then(|bead| parse_queued_sling(bead.metadata.as_ref()?.get()));
        let entry = QueueEntry {
            was_queued: before.is_some(),
        };
        let waiting = QueuedSling {
            version: 1,
            work_bead_id: self.bead.id.clone(),
            target_rig: self.rig.clone(),
            options: SlingOptions {
                // The bead is queued because it was not forced.
                force: false,
                ..self.options.clone()
            },
            order: before.as_ref().map_or(order, |before| before.order),
            enqueued_at: before
                .as_ref()
                .map_or_else(|| now.to_string(), |before| before.enqueued_at.clone()),
            failed: before.and_then(|before| before.failed),
        };
        tx.put(Bead {
            id,
            title: format!("{} waits to be slung to {}", self.bead.id, self.rig),
            // Closed from the start, because a queue entry is no work and must not appear in lists
            // of work.
            status: Status::Closed,
            closed_at: Some(now.clone()),
            issue_type: Kind::Slot,
            ephemeral: true,
            labels: vec![LABEL.to_owned()],
            metadata: Some(serde_json::value::to_raw_value(&waiting)?),
            created_at: now.clone(),
            updated_at: now,
            created_by: tx.actor().to_owned(),
            ..Bead::default()
        })?;
        Ok(Some(entry))
    }
}

/// Queues beads, those of a rig in one transaction. Skips those that are not open any more.
pub(super) fn enqueue_beads(
    town: &Town,
    waiting: Vec<WaitingBead>,
) -> anyhow::Result<Vec<SlingReport>> {
    let mut by_rig: BTreeMap<&str, Vec<&WaitingBead>> = BTreeMap::new();
    for bead in &waiting {
        by_rig.entry(&bead.rig).or_default().push(bead);
    }
    let mut queued = BTreeMap::new();
    for (rig, beads) in by_rig {
        let rig = town.find_rig(rig)?;
        let store = rig.store()?;
        let prefix = rig.prefix();
        let ids = rig.transact(&store, |tx| {
            let mut ids = Vec::new();
            for (order, bead) in beads.iter().enumerate() {
                if let Some(entry) = bead.put_record(tx, &prefix, order)? {
                    ids.push((bead.bead.id.clone(), entry.was_queued));
                }
            }
            Ok(ids)
        })?;
        queued.extend(ids);
    }
    waiting
        .into_iter()
        .filter_map(|waiting| {
            let was_queued = *queued.get(&waiting.bead.id)?;
            Some(waiting.report(town, was_queued))
        })
        .collect()
}

/// Queues a bead for a rig.
pub fn enqueue_bead(
    rig: &Rig,
    request: &SlingRequest,
    bead: &Bead,
    waits_for: Vec<String>,
) -> anyhow::Result<SlingReport> {
    WaitingBead::new(rig, request, bead, waits_for)?.enqueue(rig.town())
}
