//! Queues a bead that cannot be slung yet.

use bd::bead::{Bead, Kind, Status};

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

/// Queues a blocked bead for a rig.
pub fn enqueue_bead(
    rig: &Rig,
    request: &SlingRequest,
    bead: &Bead,
    waits_for: Vec<String>,
) -> anyhow::Result<SlingReport> {
    anyhow::ensure!(
        bead.status == Status::Open,
        "{} is {}: only open work can be slung",
        bead.id,
        bead.status
    );
    let store = rig.store()?;
    let id = queue_record_id(&rig.prefix(), &bead.id);
    rig.transact(&store, |tx| {
        let now = tx.now();
        let before = tx
            .get(&id)
            .and_then(|bead| parse_queued_sling(bead.metadata.as_ref()?.get()));
        let waiting = QueuedSling {
            version: 1,
            work_bead_id: bead.id.clone(),
            target_rig: rig.name().to_owned(),
            options: SlingOptions {
                // The bead is queued because it was not forced.
                force: false,
                ..request.options.clone()
            },
            // A bead that is queued again keeps its place.
            enqueued_at: before.map_or_else(|| now.to_string(), |before| before.enqueued_at),
            failed: None,
        };
        tx.put(Bead {
            id: id.clone(),
            title: format!("{} waits to be slung to {}", bead.id, rig.name()),
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
        Ok(())
    })?;
    let convoy = ensure_bead_convoy(rig.town(), bead, request.options.no_convoy)?;
    rig.town()
        .record_event(&event!(SlingWaits, bead: bead.id, target: rig.name(), waits_for: waits_for));
    Ok(SlingReport {
        bead: bead.id.clone(),
        title: bead.title.clone(),
        target: rig.name().to_owned(),
        convoy,
        branch: None,
        session: None,
        sandbox: None,
        rescued: None,
        waits_for,
        needs_person: None,
        start_failed: None,
    })
}
