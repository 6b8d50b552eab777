//! Checks the invariants of the simulated town with the check for real towns.

use gt::patrol::invariant::{self, ActionCount, TownState, WorkPlace, WorkState, WorkerState};
use gt::record::polecat::SlotState;

use super::town::{BeadPlace, SimSession, SimTown, SimWorker};

/// Checks everything and records the violations.
pub(super) fn check_town(town: &mut SimTown) {
    for fault in invariant::find_violations(&town_state(town)) {
        town.record_fault(&fault.what);
    }
}

fn town_state(town: &SimTown) -> TownState {
    let work = town.beads.iter().enumerate().map(|(number, bead)| {
        let holders = town
            .workers
            .iter()
            .filter(|worker| worker.bead == Some(number));
        WorkState {
            id: bead.id.clone(),
            place: match bead.place {
                BeadPlace::Queued => WorkPlace::Free,
                BeadPlace::Hooked => WorkPlace::Hooked,
                BeadPlace::Merging(_) => WorkPlace::HandedIn,
                BeadPlace::Closed => WorkPlace::Closed,
            },
            holders: holders.count(),
            merges: bead.merges,
            missing: None,
            is_landed: bead.is_landed,
        }
    });
    let worker = |worker: &SimWorker| WorkerState {
        name: town.worker_name(worker).to_string(),
        bead: worker.bead.map(|bead| town.beads[bead].id.clone()),
        is_idle: matches!(worker.slot, SlotState::Idle),
        is_stuck: worker.slot.stuck_reason().is_some(),
        quiet: match &worker.session {
            SimSession::Alive { progress, .. } => Some(town.now.duration_since(*progress)),
            _ => None,
        },
    };
    let landings = town.landings.iter();
    let acts = town.counts.iter();
    TownState {
        work: work.collect(),
        workers: town.workers.iter().map(worker).collect(),
        landings: landings
            .map(|(convoy, times)| (convoy.to_string(), *times))
            .collect(),
        acts: acts
            .map(|((rule, subject), times)| ActionCount {
                rule: rule.clone(),
                subject: subject.clone(),
                times: *times,
            })
            .collect(),
    }
}
