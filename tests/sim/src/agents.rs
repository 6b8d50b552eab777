//! Models the behaviour of agents, and the troubles around them.

use gt::record::polecat::{DoneRecord, DoneStep, FailedStep, SlotState};
use gt::record::progress::ProgressSign;
use gt::record::pulse::ApiRefusal;
use jiff::{SignedDuration, Timestamp};

use super::ChaosKind;
use super::town::{BeadPlace, SimSession, SimTown};
use super::{forge, queue, user};

/// The future behaviour of an agent.
#[derive(Debug, Clone)]
pub(super) enum AgentPlan {
    /// Works, and finishes at this time.
    Works(Timestamp),
    /// Works, and ends at this time without finishing.
    Ends(Timestamp),
    /// The agent does nothing.
    Hangs,
    /// Asks a question as text and waits at its prompt.
    Asks,
    /// A dialog of its program is open.
    Dialog,
    /// Has submitted its work and does not end.
    Stays,
}

impl AgentPlan {
    /// Returns the time at which the plan ends.
    pub(super) fn ends_at(&self) -> Option<Timestamp> {
        match self {
            Self::Works(at) | Self::Ends(at) => Some(*at),
            _ => None,
        }
    }
}

/// Draws the plan of a new session's agent.
pub(super) fn draw_plan(town: &mut SimTown) -> AgentPlan {
    let minutes = |town: &mut SimTown, most: i64| {
        town.now + SignedDuration::from_secs(town.rng.i64(5..most * 60))
    };
    if town.is_struck(ChaosKind::Crash, 6) {
        let at = minutes(town, 5);
        return AgentPlan::Ends(at);
    }
    if town.is_struck(ChaosKind::Hang, 8) {
        return AgentPlan::Hangs;
    }
    if town.is_struck(ChaosKind::Question, 8) {
        return AgentPlan::Asks;
    }
    if town.is_struck(ChaosKind::Question, 20) {
        return AgentPlan::Dialog;
    }
    let at = minutes(town, 40);
    AgentPlan::Works(at)
}

/// Runs everything that is due: agents make progress, finish and end, troubles come and go, the
/// user acts.
pub(super) fn step_world(town: &mut SimTown) {
    step_troubles(town);
    for number in 0..town.workers.len() {
        step_agent(town, number);
    }
    step_user(town);
    user::step(town);
    forge::step(town);
}

fn step_agent(town: &mut SimTown, number: usize) {
    let now = town.now;
    let refuses = town.is_api_down();
    let worker = &mut town.workers[number];
    let SimSession::Alive {
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
        AgentPlan::Works(at) => (*at <= now, false),
        AgentPlan::Ends(at) => (false, *at <= now),
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
            town.workers[number].session = SimSession::Dead;
        }
        return;
    }
    // A working agent uses tools all the time.
    if *progress < now {
        (*progress, *sign) = (now, ProgressSign::Tool);
    }
    if is_finished {
        finish_work(town, number);
    } else if is_ended {
        town.workers[number].session = SimSession::Dead;
    }
}

/// Runs `gt done` for a worker.
fn finish_work(town: &mut SimTown, number: usize) {
    let dies = town.is_struck(ChaosKind::Kill, 12);
    let is_refused = town.is_struck(ChaosKind::Crash, 25);
    let cannot_push = town.is_remote_down();
    if dies || is_refused || cannot_push {
        let failed = (!dies).then(|| FailedStep {
            step: if is_refused {
                DoneStep::Proof
            } else {
                DoneStep::Push
            },
            reason: String::new(),
            retry: !is_refused,
        });
        let worker = &mut town.workers[number];
        worker.slot = SlotState::Finishing {
            record: DoneRecord {
                since: town.now.to_string(),
                failed: failed.map(Box::new),
                ..DoneRecord::default()
            },
        };
        worker.session = SimSession::None;
        return;
    }
    submit_work(town, number);
    if town.is_struck(ChaosKind::Hang, 10)
        && let SimSession::Alive { mood, .. } = &mut town.workers[number].session
    {
        *mood = AgentPlan::Stays;
        return;
    }
    town.workers[number].session = SimSession::None;
}

/// Submits the work of a worker to the merge queue and clears the hook. Work on a bead that was
/// closed in the meantime is not submitted.
pub(super) fn submit_work(town: &mut SimTown, number: usize) {
    let Some(bead) = town.workers[number].bead else {
        town.record_fault("a worker without work handed some in");
        return;
    };
    clear_hook(town, number);
    if town.beads[bead].place == BeadPlace::Hooked {
        queue::submit(town, bead);
    }
}

/// Takes the bead off a worker's hook.
pub(super) fn clear_hook(town: &mut SimTown, number: usize) {
    let worker = &mut town.workers[number];
    worker.bead = None;
    worker.slot = SlotState::Idle;
    worker.respawns.clear();
    worker.lost.clear();
    worker.refused.clear();
    worker.stuck_times = 0;
    worker.refusal = None;
}

fn step_troubles(town: &mut SimTown) {
    let hours = |town: &mut SimTown| SignedDuration::from_mins(town.rng.i64(1..180));
    if town.api_down.is_none() && town.is_struck(ChaosKind::Outage, 150) {
        town.api_down = Some(town.now + hours(town));
        town.log_line("the API refuses");
    }
    if town.remote_down.is_none() && town.is_struck(ChaosKind::Remote, 150) {
        town.remote_down = Some(town.now + hours(town));
        town.log_line("the remote refuses");
    }
    town.api_down = town.api_down.filter(|until| *until > town.now);
    town.remote_down = town.remote_down.filter(|until| *until > town.now);
    if town.is_struck(ChaosKind::Clock, 300) {
        let jump = hours(town);
        town.now += jump;
        town.log_line("the clock jumped");
    }
    if town.is_struck(ChaosKind::Kill, 120) {
        town.host += 1;
        town.log_line("all sessions were lost");
        for worker in &mut town.workers {
            worker.session = SimSession::None;
            worker.refusal = None;
        }
    }
    if town.is_struck(ChaosKind::Kill, 40) {
        let number = town.rng.usize(..town.workers.len());
        let worker = &mut town.workers[number];
        if matches!(worker.session, SimSession::Alive { .. }) {
            worker.session = SimSession::Dead;
            worker.refusal = None;
        }
    }
}

/// Makes the user retry reported workers after some hours, if they are still stuck.
fn step_user(town: &mut SimTown) {
    let due = town.reported.iter().filter(|(_, at)| **at <= town.now);
    let due: Vec<String> = due.map(|(key, _)| key.clone()).collect();
    for number in 0..town.workers.len() {
        let worker = &town.workers[number];
        let key = format!("stuck:{}:{}", town.worker_name(worker), worker.stuck_times);
        if due.contains(&key) && worker.slot.stuck_reason().is_some() {
            super::act::unstick_worker(town, number);
            town.log_line(&format!("a person acted on {key}"));
        }
    }
}
