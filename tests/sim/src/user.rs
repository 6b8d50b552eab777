//! Models the user of the town: pauses and limits, parked rigs, the emergency stop, rejected
//! requests, slings by hand and `gt compact`.

use jiff::{SignedDuration, Timestamp};

use super::ChaosKind;
use super::town::{BeadPlace, SimSession, SimTown};

/// The age at which closed beads go to the archive, as `patrol.archive_age`.
const ARCHIVE_AGE: SignedDuration = SignedDuration::from_hours(6);

/// The holds that the user has put on a town, each with its end.
#[derive(Debug, Clone, Default)]
pub(super) struct SimHolds {
    /// The scheduler is paused.
    pub scheduler: Option<Timestamp>,
    /// The whole town is paused.
    pub town: Option<Timestamp>,
    /// The town is stopped.
    pub stop: Option<Timestamp>,
    /// The parked rigs.
    pub rigs: Vec<Option<Timestamp>>,
    /// The rigs with a paused queue.
    pub queues: Vec<Option<Timestamp>>,
}

/// Ends the holds whose time is over, and lets the user act.
pub(super) fn step(town: &mut SimTown) {
    let now = town.now;
    let holds = &mut town.holds;
    let single = [&mut holds.scheduler, &mut holds.town, &mut holds.stop];
    let rigs = holds.rigs.iter_mut().chain(&mut holds.queues);
    for hold in single.into_iter().chain(rigs) {
        *hold = hold.filter(|until| *until > now);
    }
    // A rejected bead, and a task that no worker could repair, are slung by hand.
    for bead in 0..town.beads.len() {
        if town.beads[bead].place == BeadPlace::Open
            && !town.is_repair(bead)
            && town.rng.u8(..8) == 0
        {
            town.beads[bead].place = BeadPlace::Queued;
        }
    }
    interfere(town);
}

/// Lets the user do one thing at any moment, also while an action of the patrol runs.
pub(super) fn interfere(town: &mut SimTown) {
    if !town.is_struck(ChaosKind::User, 60) {
        return;
    }
    let until = town.now + SignedDuration::from_mins(town.rng.i64(1..90));
    let rig = town.rng.usize(..town.rigs.len());
    let deed = match town.rng.u8(..9) {
        0 => {
            town.holds.scheduler = Some(until);
            "paused the scheduler".to_owned()
        }
        1 => {
            town.holds.town = Some(until);
            "paused the town".to_owned()
        }
        2 => {
            town.holds.stop = Some(until);
            end_sessions(town, None);
            "stopped the town".to_owned()
        }
        3 => {
            town.holds.rigs[rig] = Some(until);
            end_sessions(town, Some(rig));
            format!("parked r{rig}")
        }
        4 => {
            town.holds.queues[rig] = Some(until);
            format!("paused the queue of r{rig}")
        }
        5 => {
            let most = town.workers.len();
            town.limit = if town.rng.bool() {
                usize::MAX
            } else {
                town.rng.usize(1..=most)
            };
            format!("set the limit to {}", town.limit)
        }
        6 => {
            let open: Vec<usize> = (0..town.requests.len())
                .filter(|it| town.requests[*it].is_open)
                .collect();
            let Some(request) = town.rng.choice(open) else {
                return;
            };
            reject_request(town, request);
            format!("rejected request {request}")
        }
        7 => {
            let queued = (0..town.beads.len()).filter(|it| town.is_unblocked(*it));
            let Some(bead) = town.rng.choice(queued.collect::<Vec<_>>()) else {
                return;
            };
            let id = town.beads[bead].id.clone();
            let result = super::act::sling_bead(town, &id);
            format!("slung {id}: {result:?}")
        }
        _ => format!("archived {}", compact(town)),
    };
    town.log_line(&format!("the user {deed}"));
}

fn end_sessions(town: &mut SimTown, rig: Option<usize>) {
    let workers = town.workers.iter_mut();
    for worker in workers.filter(|worker| rig.is_none_or(|rig| worker.rig == rig)) {
        worker.session = SimSession::None;
        worker.refusal = None;
    }
}

/// Rejects an open request: its bead is open again at a new attempt. Fails if its bead is not at
/// the request's attempt any more.
pub(super) fn reject_request(town: &mut SimTown, request: usize) {
    let (bead, attempt) = (town.requests[request].bead, town.requests[request].attempt);
    if town.beads[bead].place == BeadPlace::Merging && town.beads[bead].attempt == attempt {
        town.reopen_bead(bead, BeadPlace::Open);
        // The next worker of a rejected task is a person's choice.
        town.beads[bead].repairs = u32::MAX;
    }
}

/// Moves beads that were closed long ago to the archive, unless a remaining bead depends on them.
/// Returns their number.
pub(super) fn compact(town: &mut SimTown) -> usize {
    let now = town.now;
    let is_old = |at: Timestamp| now.duration_since(at) > ARCHIVE_AGE;
    let mut going: Vec<usize> = (0..town.beads.len())
        .filter(|it| !town.beads[*it].is_archived && town.beads[*it].closed_at.is_some_and(is_old))
        .collect();
    loop {
        let stays = |bead: &usize| {
            let mut others = town.beads.iter().enumerate();
            others.any(|(number, other)| {
                !other.is_archived && !going.contains(&number) && other.blockers.contains(bead)
            })
        };
        let kept: Vec<usize> = going.iter().copied().filter(|bead| !stays(bead)).collect();
        if kept.len() == going.len() {
            break;
        }
        going = kept;
    }
    for bead in &going {
        town.beads[*bead].is_archived = true;
    }
    going.len()
}
