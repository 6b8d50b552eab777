//! How simulated agents behave, and what goes wrong around them.

use gt::record::polecat::{DoneRecord, FailedStep, SlotState};
use gt::record::progress::ProgressSign;
use gt::record::pulse::ApiRefusal;
use jiff::{SignedDuration, Timestamp};

use super::Chaos;
use super::town::{Place, Session, SimTown};

/// What an agent is going to do.
#[derive(Debug, Clone)]
pub(super) enum Mood {
    /// It works, and is finished at this time.
    Works(Timestamp),
    /// It works, and ends at this time without having finished.
    Ends(Timestamp),
    /// It does nothing.
    Hangs,
    /// It asks in words and waits at its prompt.
    Asks,
    /// A dialog of its program is open.
    Dialog,
    /// It has handed its work in and does not end.
    Stays,
}

impl Mood {
    /// When it ends by itself.
    pub(super) fn next(&self) -> Option<Timestamp> {
        match self {
            Self::Works(at) | Self::Ends(at) => Some(*at),
            _ => None,
        }
    }
}

/// What a new session of an agent is going to do.
pub(super) fn draw_mood(town: &mut SimTown) -> Mood {
    let minutes = |town: &mut SimTown, most: i64| {
        town.now + SignedDuration::from_secs(town.rng.i64(5..most * 60))
    };
    if town.is_struck(Chaos::Crash, 6) {
        let at = minutes(town, 5);
        return Mood::Ends(at);
    }
    if town.is_struck(Chaos::Hang, 8) {
        return Mood::Hangs;
    }
    if town.is_struck(Chaos::Question, 8) {
        return Mood::Asks;
    }
    if town.is_struck(Chaos::Question, 20) {
        return Mood::Dialog;
    }
    let at = minutes(town, 40);
    Mood::Works(at)
}

/// Lets what is due by now happen: agents get on, finish, end; troubles come and go; a person acts.
pub(super) fn step(town: &mut SimTown) {
    troubles(town);
    for number in 0..town.workers.len() {
        agent(town, number);
    }
    person(town);
}

fn agent(town: &mut SimTown, number: usize) {
    let now = town.now;
    let refuses = town.api_refuses();
    let worker = &mut town.workers[number];
    let Session::Alive {
        mood,
        progress,
        sign,
        ..
    } = &mut worker.session
    else {
        return;
    };
    if worker.refusal.is_some() {
        return;
    }
    let (is_finished, is_ended) = match mood {
        Mood::Works(at) => (*at <= now, false),
        Mood::Ends(at) => (false, *at <= now),
        _ => return,
    };
    if refuses {
        let (at, is_end) = (now, is_ended || town.rng.bool());
        town.workers[number].refusal = Some(ApiRefusal {
            kind: "overloaded".to_owned(),
            since: at,
            at,
            times: 1,
            ..ApiRefusal::default()
        });
        if is_end {
            town.workers[number].session = Session::Dead;
        }
        return;
    }
    // Who works uses tools all the time.
    if *progress < now {
        (*progress, *sign) = (now, ProgressSign::Tool);
    }
    if is_finished {
        finish(town, number);
    } else if is_ended {
        town.workers[number].session = Session::Dead;
    }
}

/// A worker runs `gt done`.
fn finish(town: &mut SimTown, number: usize) {
    let dies = town.is_struck(Chaos::Kill, 12);
    let is_refused = town.is_struck(Chaos::Crash, 25);
    let cannot_push = town.remote_refuses();
    if dies || is_refused || cannot_push {
        let failed = (!dies).then(|| FailedStep {
            step: if is_refused { "proof" } else { "push" }.to_owned(),
            reason: String::new(),
            retry: !is_refused,
        });
        let worker = &mut town.workers[number];
        worker.slot = SlotState::Finishing {
            record: DoneRecord {
                since: town.now.to_string(),
                failed,
                ..DoneRecord::default()
            },
        };
        worker.session = Session::None;
        return;
    }
    hand_in(town, number);
    if town.is_struck(Chaos::Hang, 10)
        && let Session::Alive { mood, .. } = &mut town.workers[number].session
    {
        *mood = Mood::Stays;
        return;
    }
    town.workers[number].session = Session::None;
}

/// The work of a worker goes to the merge queue, and its hook is clear.
pub(super) fn hand_in(town: &mut SimTown, number: usize) {
    let worker = &mut town.workers[number];
    let Some(bead) = worker.bead.take() else {
        town.fault("a worker without work handed some in");
        return;
    };
    worker.slot = SlotState::Idle;
    worker.respawns.clear();
    worker.lost.clear();
    worker.refused.clear();
    worker.stuck_times = 0;
    worker.refusal = None;
    town.beads[bead].place = Place::Merging(town.now);
}

fn troubles(town: &mut SimTown) {
    let hours = |town: &mut SimTown| SignedDuration::from_mins(town.rng.i64(1..180));
    if town.api_down.is_none() && town.is_struck(Chaos::Outage, 150) {
        town.api_down = Some(town.now + hours(town));
        town.say("the API refuses");
    }
    if town.remote_down.is_none() && town.is_struck(Chaos::Remote, 150) {
        town.remote_down = Some(town.now + hours(town));
        town.say("the remote refuses");
    }
    town.api_down = town.api_down.filter(|until| *until > town.now);
    town.remote_down = town.remote_down.filter(|until| *until > town.now);
    if town.is_struck(Chaos::Clock, 300) {
        let jump = hours(town);
        town.now += jump;
        town.say("the clock jumped");
    }
    if town.is_struck(Chaos::Kill, 120) {
        town.host += 1;
        town.say("all sessions were lost");
        for worker in &mut town.workers {
            worker.session = Session::None;
            worker.refusal = None;
        }
    }
    if town.is_struck(Chaos::Kill, 40) {
        let number = town.rng.usize(..town.workers.len());
        let worker = &mut town.workers[number];
        if matches!(worker.session, Session::Alive { .. }) {
            worker.session = Session::Dead;
            worker.refusal = None;
        }
    }
}

/// A person who was told of a stuck worker tries again with it after some hours, as far as it is stuck still.
fn person(town: &mut SimTown) {
    let due = town.reported.iter().filter(|(_, at)| **at <= town.now);
    let due: Vec<String> = due.map(|(key, _)| key.clone()).collect();
    for number in 0..town.workers.len() {
        let worker = &town.workers[number];
        let key = format!("stuck:{}:{}", town.name_of(worker), worker.stuck_times);
        if due.contains(&key) && worker.slot.stuck_reason().is_some() {
            super::act::unstick(town, number);
            town.say(&format!("a person acted on {key}"));
        }
    }
}
