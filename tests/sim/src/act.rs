//! What the actions of the patrol do to the simulated town: the flows of `gt`, as far as beads, slots and sessions show it.

use gt::patrol::{Action, ActionReport, Decision};
use gt::record::polecat::{DoneRecord, NudgeCount, SlingInProgress, SlingStep, SlotState};
use gt::record::progress::ProgressSign;
use gt::town::name::Worker;
use jiff::SignedDuration;

use super::Chaos;
use super::agents::{self, Mood, draw_mood};
use super::town::{Place, Session, SimTown};

/// What came of an action: what it did, or why it failed. `None` if nothing was left to do.
type Outcome = Result<Option<String>, String>;

/// Acts on a decision.
pub(super) fn act(town: &mut SimTown, decision: Decision) -> ActionReport {
    let result = perform(town, &decision.action);
    let (outcome, failed, changed) = match result {
        Ok(Some(outcome)) => (outcome, false, true),
        Ok(None) => ("nothing left to do".to_owned(), false, false),
        Err(reason) => (reason, true, false),
    };
    ActionReport {
        decision,
        outcome,
        failed,
        changed,
        busy: false,
    }
}

fn perform(town: &mut SimTown, action: &Action) -> Outcome {
    let number = |town: &SimTown, worker: &Worker| {
        let found = town.worker(worker);
        found.ok_or_else(|| format!("there is no worker {worker}"))
    };
    match action {
        Action::SlingQueued { bead, .. } => sling(town, bead),
        Action::ResumeSling(worker) => resume_sling(town, number(town, worker)?),
        Action::FinishDone(worker) => finish_done(town, number(town, worker)?),
        Action::Respawn(worker) => Ok(respawn(town, number(town, worker)?, false)),
        Action::RestartRefused(worker) => Ok(respawn(town, number(town, worker)?, true)),
        Action::RestartQuiet(worker) => Ok(restart_quiet(town, number(town, worker)?)),
        Action::NudgeQuiet(worker) => Ok(nudge(town, number(town, worker)?, false)),
        Action::ResumeRefused(worker) => Ok(nudge(town, number(town, worker)?, true)),
        Action::OpenBreaker(worker) => Ok(open_breaker(town, number(town, worker)?)),
        Action::HalfOpen(worker) => {
            let number = number(town, worker)?;
            unstick(town, number);
            Ok(Some("tried again".to_owned()))
        }
        Action::EndSession(worker) => {
            let number = number(town, worker)?;
            town.workers[number].session = Session::None;
            Ok(Some("session ended".to_owned()))
        }
        Action::RunQueue { rig } => run_queue(town, rig),
        Action::Land { convoy } => land(town, convoy),
        Action::AskPerson => Ok(ask_person(town)),
        other => Err(format!("not simulated: {other:?}")),
    }
}

/// Begins a session for the bead on a worker's hook.
fn start(town: &mut SimTown, number: usize) {
    let mood = draw_mood(town);
    town.sessions += 1;
    let (now, host) = (town.now, town.host);
    let worker = &mut town.workers[number];
    worker.nudges = NudgeCount::default();
    worker.refusal = None;
    worker.host = host;
    worker.session = Session::Alive {
        mood,
        progress: now,
        sign: ProgressSign::Start,
    };
}

fn sling(town: &mut SimTown, id: &str) -> Outcome {
    let Some(bead) = town.beads.iter().position(|bead| bead.id == id) else {
        return Err(format!("there is no bead {id}"));
    };
    if town.beads[bead].place != Place::Queued {
        return Ok(None);
    }
    let rig = town.beads[bead].rig;
    let idle = |worker: &super::town::SimWorker| worker.rig == rig && worker.bead.is_none();
    let Some(number) = town.workers.iter().position(idle) else {
        return Err("no worker is free".to_owned());
    };
    // What its last session left is ended first.
    town.workers[number].session = Session::None;
    town.workers[number].bead = Some(bead);
    town.beads[bead].place = Place::Hooked;
    town.workers[number].slot = SlotState::Slinging(SlingInProgress::default());
    if town.is_struck(Chaos::Daemon, 30) {
        return Err("killed after the claim".to_owned());
    }
    resume_sling(town, number)
}

fn resume_sling(town: &mut SimTown, number: usize) -> Outcome {
    let SlotState::Slinging(sling) = &mut town.workers[number].slot else {
        return Ok(None);
    };
    sling.step = SlingStep::Tracked;
    if town.is_struck(Chaos::Crash, 12) {
        if let SlotState::Slinging(sling) = &mut town.workers[number].slot {
            sling.failures += 1;
        }
        return Err("the session could not be started".to_owned());
    }
    town.workers[number].slot = SlotState::Working;
    start(town, number);
    Ok(Some("slung".to_owned()))
}

fn finish_done(town: &mut SimTown, number: usize) -> Outcome {
    let SlotState::Finishing { record } = &town.workers[number].slot else {
        return Ok(None);
    };
    if record.failed.as_ref().is_some_and(|failed| !failed.retry) {
        return Err("the work cannot be proven".to_owned());
    }
    if town.remote_refuses() {
        return Err("the remote refuses".to_owned());
    }
    agents::hand_in(town, number);
    town.workers[number].session = Session::None;
    Ok(Some("handed in".to_owned()))
}

fn respawn(town: &mut SimTown, number: usize, is_refused: bool) -> Option<String> {
    let now = town.now;
    let worker = &mut town.workers[number];
    if worker.bead.is_none() || matches!(worker.session, Session::Alive { .. }) {
        return None;
    }
    let is_lost = matches!(worker.session, Session::None) && worker.host != town.host;
    if is_refused {
        worker.refused.push(now);
    } else if is_lost {
        worker.lost.push(now);
    } else {
        worker.respawns.push(now);
    }
    start(town, number);
    Some("restarted".to_owned())
}

fn restart_quiet(town: &mut SimTown, number: usize) -> Option<String> {
    if !matches!(town.workers[number].session, Session::Alive { .. }) {
        return None;
    }
    let now = town.now;
    town.workers[number].respawns.push(now);
    start(town, number);
    Some("restarted, as it made no progress".to_owned())
}

fn nudge(town: &mut SimTown, number: usize, resumes: bool) -> Option<String> {
    let (now, refuses) = (town.now, town.api_refuses());
    let helps = town.rng.usize(..10) < 7;
    let finished = now + SignedDuration::from_mins(town.rng.i64(1..20));
    let worker = &mut town.workers[number];
    let Session::Alive { mood, .. } = &mut worker.session else {
        return None;
    };
    worker.nudges.count += 1;
    worker.nudges.last = Some(now);
    if resumes {
        let Some(refusal) = &mut worker.refusal else {
            return None;
        };
        if refuses {
            refusal.times += 1;
            refusal.at = now + SignedDuration::from_secs(1);
        } else {
            worker.refusal = None;
            *mood = Mood::Works(finished);
        }
        return Some("told to go on".to_owned());
    }
    if matches!(mood, Mood::Asks) && helps {
        *mood = Mood::Works(finished);
    }
    Some("nudged".to_owned())
}

fn open_breaker(town: &mut SimTown, number: usize) -> Option<String> {
    let now = town.now;
    let worker = &mut town.workers[number];
    if worker.slot.stuck_reason().is_some() || worker.bead.is_none() {
        return None;
    }
    let slot = std::mem::take(&mut worker.slot);
    worker.slot = slot.into_stuck(String::new(), now);
    worker.stuck_times += 1;
    worker.session = Session::None;
    Some("stuck".to_owned())
}

/// As `gt polecat retry` does.
pub(super) fn unstick(town: &mut SimTown, number: usize) {
    let worker = &mut town.workers[number];
    let SlotState::Stuck { before, .. } = std::mem::take(&mut worker.slot) else {
        return;
    };
    worker.respawns.clear();
    worker.lost.clear();
    worker.refused.clear();
    worker.slot = match *before {
        SlotState::Slinging(_) => SlotState::Slinging(SlingInProgress::default()),
        SlotState::Finishing { record } => match record.failed {
            Some(failed) if failed.step == "proof" => SlotState::Working,
            _ => SlotState::Finishing {
                record: DoneRecord::default(),
            },
        },
        other => other,
    };
}

fn run_queue(town: &mut SimTown, rig: &str) -> Outcome {
    let now = town.now;
    let is_ready =
        |bead: &super::town::SimBead| matches!(bead.place, Place::Merging(at) if at <= now);
    let rigs = &town.rigs;
    let ready = town
        .beads
        .iter()
        .position(|bead| is_ready(bead) && rigs[bead.rig] == rig);
    let Some(bead) = ready else { return Ok(None) };
    if town.remote_refuses() {
        town.beads[bead].place = Place::Merging(now + SignedDuration::from_mins(2));
        return Err("the remote refuses".to_owned());
    }
    town.beads[bead].place = Place::Closed;
    town.beads[bead].merges += 1;
    Ok(Some(format!("{} is merged", town.beads[bead].id)))
}

fn land(town: &mut SimTown, convoy: &str) -> Outcome {
    let number = convoy.trim_start_matches('c').parse::<usize>();
    let number = number.map_err(|error| error.to_string())?;
    if !town.is_landable(number) {
        return Ok(None);
    }
    for bead in &mut town.beads {
        bead.is_landed |= bead.convoy == number;
    }
    *town.landings.entry(number).or_default() += 1;
    Ok(Some(format!("{convoy} has landed")))
}

fn ask_person(town: &mut SimTown) -> Option<String> {
    let matters = town.matters();
    let before = town.reported.len();
    town.reported.retain(|key, _| matters.contains(key));
    let over = before - town.reported.len();
    let mut new = 0;
    for key in matters {
        if !town.reported.contains_key(&key) {
            let acts = SignedDuration::from_mins(town.rng.i64(60..480));
            town.reported.insert(key, town.now + acts);
            new += 1;
        }
    }
    town.messages += new;
    (new + over > 0).then(|| format!("{new} reported, {over} closed"))
}
