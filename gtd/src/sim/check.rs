//! What must hold at every moment of a town.

use gt::record::polecat::SlotState;
use jiff::SignedDuration;

use super::town::{Place, Session, SimTown};

/// So often a rule may act on one subject in a run. What acts more often goes round in a circle.
const MOST: usize = 400;

/// So long a session may outlive its work, with clocks that jump.
const LEFT: SignedDuration = SignedDuration::from_hours(12);

/// Checks everything, and records what does not hold.
pub(super) fn check(town: &mut SimTown) {
    let mut faults = Vec::new();
    for (number, bead) in town.beads.iter().enumerate() {
        let holders = town.workers.iter().filter(|one| one.bead == Some(number));
        let holders = holders.count();
        let (id, place) = (&bead.id, bead.place);
        match (place, holders) {
            (Place::Hooked, 1) | (Place::Queued | Place::Merging(_) | Place::Closed, 0) => {}
            (Place::Hooked, 0) => faults.push(format!("{id} is on no hook, and hooked")),
            (Place::Hooked, _) => faults.push(format!("{id} has {holders} workers")),
            _ => faults.push(format!("{id} is {place:?}, and {holders} workers have it")),
        }
        if bead.merges > 1 {
            faults.push(format!("{id} was merged {} times", bead.merges));
        }
        if bead.is_landed && place != Place::Closed {
            faults.push(format!("{id} has landed, and is {place:?}"));
        }
    }
    for worker in &town.workers {
        let name = town.name_of(worker);
        let is_idle = matches!(worker.slot, SlotState::Idle);
        if is_idle != worker.bead.is_none() {
            faults.push(format!(
                "{name} is {:?} with {:?}",
                worker.slot, worker.bead
            ));
        }
        if let (Session::Alive { progress, .. }, true) = (&worker.session, is_idle)
            && town.now.duration_since(*progress) > LEFT
        {
            faults.push(format!("{name} has no work, and its session runs on"));
        }
        if let (Session::Alive { host, .. }, true) =
            (&worker.session, worker.slot.stuck().is_some())
        {
            faults.push(format!("{name} is stuck, and its session runs on {host}"));
        }
    }
    for (convoy, times) in &town.landings {
        if *times > 1 {
            faults.push(format!("convoy {convoy} landed {times} times"));
        }
    }
    let turning = town.counts.iter().filter(|(_, count)| **count > MOST);
    faults.extend(
        turning.map(|((rule, subject), count)| format!("{rule} acted {count} times on {subject}")),
    );
    for fault in faults {
        town.fault(&fault);
    }
}
