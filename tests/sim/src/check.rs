//! Checks the invariants of the simulated town with the check for real towns.

use gt::patrol::invariant::{self, ActionCount, TownState, WorkPlace, WorkState, WorkerState};
use gt::record::polecat::SlotState;

use super::forge::SimPull;
use super::queue::is_stale;
use super::town::{BeadPlace, SimSession, SimTown, SimWorker};

/// Checks everything and records the violations.
pub(super) fn check_town(town: &mut SimTown) {
    for fault in invariant::find_violations(&town_state(town)) {
        town.record_fault(&fault.what);
    }
    let faults = [
        find_forgotten_requests(town),
        find_hidden_beads(town),
        find_double_pulls(town),
        find_sessions_in_stop(town),
    ];
    for fault in faults.into_iter().flatten() {
        town.record_fault(&fault);
    }
}

/// Checks that each bead in the queue has one open request of its attempt, so that none is
/// forgotten. The next run closes a task
/// whose request is closed or may not merge any more.
fn find_forgotten_requests(town: &SimTown) -> Vec<String> {
    let beads = town.beads.iter().enumerate();
    let merging = beads.filter(|(_, bead)| {
        let is_over = |request| is_stale(town, request) || !town.requests[request].is_open;
        let is_unneeded = bead.task_for.is_some_and(is_over);
        bead.place == BeadPlace::Merging && !is_unneeded
    });
    let counted = merging.map(|(number, bead)| {
        let requests = town.requests.iter().filter(|request| request.is_open);
        let own =
            requests.filter(|request| request.bead == number && request.attempt == bead.attempt);
        (bead, own.count())
    });
    counted
        .filter(|(_, count)| *count != 1)
        .map(|(bead, count)| format!("{} is in the queue with {count} requests", bead.id))
        .collect()
}

/// Checks that nothing in the archive is open, and that no other bead depends on it.
fn find_hidden_beads(town: &SimTown) -> Vec<String> {
    let archived = |number: usize| town.beads[number].is_archived;
    let numbers = (0..town.beads.len()).filter(|number| archived(*number));
    let hidden = numbers.filter(|number| {
        let mut others = town.beads.iter().filter(|bead| !bead.is_archived);
        let is_needed = others.any(|other| other.blockers.contains(number));
        is_needed || town.beads[*number].place != BeadPlace::Closed
    });
    hidden
        .map(|number| format!("{} is archived and still needed", town.beads[number].id))
        .collect()
}

/// Checks that no work has two open pull requests.
fn find_double_pulls(town: &SimTown) -> Vec<String> {
    let mut roots: Vec<usize> = Vec::new();
    let mut double = Vec::new();
    for root in town.pulls.iter().filter_map(SimPull::open_root) {
        if roots.contains(&root) {
            double.push(format!("{} has two pull requests", town.beads[root].id));
        }
        roots.push(root);
    }
    double
}

/// Checks that no session runs in a stopped town.
fn find_sessions_in_stop(town: &SimTown) -> Vec<String> {
    let is_alive = |worker: &&SimWorker| matches!(worker.session, SimSession::Alive { .. });
    let running = town.workers.iter().filter(is_alive);
    let running = running.filter(|_| town.holds.stop.is_some());
    running
        .map(|worker| format!("{} runs in a stopped town", town.worker_name(worker)))
        .collect()
}

/// Checks the end of a run: each bead was merged once.
pub(super) fn check_end(town: &mut SimTown) {
    let beads = town.beads.iter().filter(|bead| bead.task_for.is_none());
    let lost: Vec<String> = beads
        .filter(|bead| bead.merges != 1)
        .map(|bead| format!("{} was merged {} times", bead.id, bead.merges))
        .collect();
    for fault in lost {
        town.record_fault(&fault);
    }
}

fn town_state(town: &SimTown) -> TownState {
    let work = town.beads.iter().enumerate().map(|(number, bead)| {
        let holders = town.workers.iter();
        let holders = holders.filter(|worker| worker.bead == Some(number)).count();
        WorkState {
            id: bead.id.clone(),
            place: match bead.place {
                BeadPlace::Open | BeadPlace::Queued => WorkPlace::Free,
                BeadPlace::Hooked => WorkPlace::Hooked,
                BeadPlace::Merging => WorkPlace::HandedIn,
                // A task that was closed under its worker is about to be released.
                BeadPlace::Closed if holders > 0 => WorkPlace::Hooked,
                BeadPlace::Closed => WorkPlace::Closed,
            },
            holders,
            merges: bead.merges,
            missing: None,
            is_landed: bead.is_landed && holders == 0,
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
                times: times.len(),
            })
            .collect(),
    }
}
