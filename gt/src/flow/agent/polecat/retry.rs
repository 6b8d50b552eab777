//! Makes the patrol retry a worker that is stuck or lost its sandbox.

use std::time::Duration;

use crate::flow::agent::session::end;
use crate::host::LiveTown;
use crate::record::polecat::{
    self, DoneStep, PolecatIds, SlingInProgress, Slot, SlotState, read_polecat_records,
};
use crate::town::Rig;

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("{worker} is not stuck: there is nothing to try again (`gt polecat status {worker}`)")]
pub struct NotStuck {
    pub worker: String,
}

/// Removes the stuck mark of a worker, so that the next patrol retries the failed step. A `gt done`
/// that could not push continues there. One that could not prove its work must be repeated by the
/// agent. The session of a worker without its sandbox ends, and its next start restores the
/// sandbox. Returns the reason why the worker was stuck.
pub fn retry_polecat(town: &LiveTown, rig: &Rig, name: &str) -> anyhow::Result<String> {
    // Read before the slot is taken, because a worker whose slot is held is at work.
    let sessions = town.host.list()?;
    let beads = rig.store()?.snapshot()?;
    let worker = polecat::find_polecat(rig, &beads, Some(&sessions), name)?;
    let _slot = rig.take_slot(name, Duration::from_secs(10))?;
    match &worker.session {
        Some(live) if worker.has_lost_sandbox() => {
            end::end_polecat_session(town, &live.name, &worker.slot)?;
            Ok("its sandbox was removed".to_owned())
        }
        _ => clear_stuck_mark(rig, name),
    }
}

/// Returns the names of the workers of a rig that are stuck or lost their sandboxes.
pub fn list_stuck_polecats(rig: &Rig) -> anyhow::Result<Vec<String>> {
    let beads = rig.store()?.snapshot()?;
    Ok(read_polecat_records(rig, &beads)
        .iter()
        .map(|records| records.with_sessions(None))
        .filter(|polecat| polecat.sandbox_gone || polecat.slot.state.stuck_reason().is_some())
        .map(|polecat| polecat.name)
        .collect())
}

/// Records that a worker has got an answer about its bead: forgets its restarts, and its stuck mark
/// or failed `gt done` if only the worker can go on. Waits so long for a process that holds its
/// slot.
pub fn record_answer(rig: &Rig, name: &str, bead: &str, wait: Duration) -> anyhow::Result<()> {
    let _slot = rig.take_slot(name, wait)?;
    let ids = PolecatIds::for_polecat(rig, name);
    let store = rig.store()?;
    rig.transact(&store, |tx| {
        let mut slot = Slot::load(tx, &ids.slot);
        if slot.bead.is_empty() || *slot.bead != *bead {
            return Ok(());
        }
        slot.answered = Some(tx.now().instant());
        slot.respawns.clear();
        if slot.state.needs_worker() {
            slot.state = SlotState::Working;
        }
        slot.save(tx, &ids.slot)
    })
}

/// Removes the stuck mark of a worker. The caller holds its slot.
pub fn clear_stuck_mark(rig: &Rig, name: &str) -> anyhow::Result<String> {
    let ids = PolecatIds::for_polecat(rig, name);
    let store = rig.store()?;
    rig.transact(&store, |tx| {
        let mut slot = Slot::load(tx, &ids.slot);
        let worker = format!("{}/{name}", rig.name());
        let SlotState::Stuck { reason, before, .. } = slot.state else {
            return Err(NotStuck { worker }.into());
        };
        slot.respawns.clear();
        slot.refused.clear();
        slot.lost.clear();
        slot.state = match *before {
            SlotState::Slinging(sling) => SlotState::Slinging(SlingInProgress {
                failures: 0,
                failure: String::new(),
                ..sling
            }),
            SlotState::Finishing { mut record } => match record.failed.take() {
                Some(failed) if failed.step == DoneStep::Proof => SlotState::Working,
                _ => SlotState::Finishing { record },
            },
            other => other,
        };
        slot.save(tx, &ids.slot)?;
        Ok(reason)
    })
}
