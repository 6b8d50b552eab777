//! Applies the actions of the patrol to the simulated town: models the flows of `gt` as far as they
//! change beads, slots and sessions.

use gt::flow::townwide::dog::chore::Chore;
use gt::patrol::{Action, ActionReport, Decision, WorkerVerb};
use gt::record::polecat::{
    DoneRecord, DoneStep, NudgeCount, SlingInProgress, SlingStep, SlotState,
};
use gt::record::progress::ProgressSign;
use gt::town::name::Worker;
use jiff::SignedDuration;

use super::ChaosKind;
use super::agents::{self, AgentPlan, draw_plan};
use super::town::{BeadPlace, SimSession, SimTown};
use super::{queue, user};

/// The result of an action: its description, or the reason of the failure. `None` if nothing was
/// left to do.
type ActionOutcome = Result<Option<String>, String>;

/// Acts on a decision.
pub(super) fn act(town: &mut SimTown, decision: Decision) -> ActionReport {
    let result = perform_action(town, &decision.action);
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

fn perform_action(town: &mut SimTown, action: &Action) -> ActionOutcome {
    let number = |town: &SimTown, worker: &Worker| {
        let found = town.find_worker(worker);
        found.ok_or_else(|| format!("there is no worker {worker}"))
    };
    let rig_number = |town: &SimTown, rig: &str| {
        let found = town.rigs.iter().position(|name| name == rig);
        found.ok_or_else(|| format!("there is no rig {rig}"))
    };
    if let Some(rig) = action.rig_at_work()
        && !matches!(action, Action::RunQueue { .. })
        && town.is_held(rig_number(town, rig)?)
    {
        return Err(format!("{rig} is held"));
    }
    match action {
        Action::SlingQueued { bead, .. } => sling_bead(town, bead),
        Action::Worker { verb, worker } => act_on_worker(town, *verb, number(town, worker)?),
        Action::QueueRepair { bead, .. } => Ok(queue_repair(town, bead)),
        Action::StopRig { rig } => Ok(stop_rig(town, rig_number(town, rig)?)),
        Action::RunQueue { rig, .. } => {
            let rig = rig_number(town, rig)?;
            queue::run_queue(town, rig)
        }
        Action::DoChore { chore } => Ok(Some(do_chore(town, *chore))),
        Action::Land { convoy } => land_convoy(town, convoy),
        Action::AskPerson => Ok(report_items(town)),
        other => Err(format!("not simulated: {other:?}")),
    }
}

fn act_on_worker(town: &mut SimTown, verb: WorkerVerb, number: usize) -> ActionOutcome {
    match verb {
        WorkerVerb::ResumeSling => resume_sling(town, number),
        WorkerVerb::FinishDone => finish_done(town, number),
        WorkerVerb::Respawn => Ok(respawn_session(town, number, false)),
        WorkerVerb::RestartRefused => Ok(respawn_session(town, number, true)),
        WorkerVerb::RestartQuiet => Ok(restart_quiet(town, number)),
        WorkerVerb::NudgeQuiet => Ok(nudge_worker(town, number, false)),
        WorkerVerb::ResumeRefused => Ok(nudge_worker(town, number, true)),
        WorkerVerb::OpenBreaker => Ok(open_breaker(town, number)),
        WorkerVerb::HalfOpen => {
            unstick_worker(town, number);
            Ok(Some("tried again".to_owned()))
        }
        WorkerVerb::EndSession => {
            town.workers[number].session = SimSession::None;
            Ok(Some("session ended".to_owned()))
        }
        WorkerVerb::Release => Ok(release_worker(town, number)),
        WorkerVerb::PushUnfinished => Err(format!("not simulated: {verb:?}")),
    }
}

/// Starts a session for the bead on a worker's hook.
fn start_session(town: &mut SimTown, number: usize) {
    let mood = draw_plan(town);
    town.sessions += 1;
    let (now, host) = (town.now, town.host);
    let worker = &mut town.workers[number];
    worker.nudges = NudgeCount::default();
    worker.refusal = None;
    worker.host = host;
    worker.session = SimSession::Alive {
        mood,
        progress: now,
        sign: ProgressSign::Start,
    };
}

pub(super) fn sling_bead(town: &mut SimTown, id: &str) -> ActionOutcome {
    let Some(bead) = town.beads.iter().position(|bead| bead.id == id) else {
        return Err(format!("there is no bead {id}"));
    };
    if town.beads[bead].place != BeadPlace::Queued {
        return Ok(None);
    }
    let rig = town.beads[bead].rig;
    if town.room().slots == 0 || town.is_held(rig) {
        return Ok(None);
    }
    let idle = |worker: &super::town::SimWorker| worker.rig == rig && worker.bead.is_none();
    let Some(number) = town.workers.iter().position(idle) else {
        return Err("no worker is free".to_owned());
    };
    // The remains of its last session are ended first.
    town.workers[number].session = SimSession::None;
    town.workers[number].bead = Some(bead);
    town.beads[bead].place = BeadPlace::Hooked;
    town.beads[bead].base = town.targets[rig].landed.len();
    town.workers[number].slot = SlotState::Slinging(SlingInProgress::default());
    if town.is_struck(ChaosKind::Daemon, 30) {
        return Err("killed after the claim".to_owned());
    }
    resume_sling(town, number)
}

fn resume_sling(town: &mut SimTown, number: usize) -> ActionOutcome {
    let SlotState::Slinging(sling) = &mut town.workers[number].slot else {
        return Ok(None);
    };
    sling.step = SlingStep::Tracked;
    if town.is_struck(ChaosKind::Crash, 12) {
        if let SlotState::Slinging(sling) = &mut town.workers[number].slot {
            sling.failures += 1;
        }
        return Err("the session could not be started".to_owned());
    }
    town.workers[number].slot = SlotState::Working;
    start_session(town, number);
    Ok(Some("slung".to_owned()))
}

fn finish_done(town: &mut SimTown, number: usize) -> ActionOutcome {
    let SlotState::Finishing { record } = &town.workers[number].slot else {
        return Ok(None);
    };
    if record.failed.as_ref().is_some_and(|failed| !failed.retry) {
        return Err("the work cannot be proven".to_owned());
    }
    if town.is_remote_down() {
        return Err("the remote refuses".to_owned());
    }
    agents::submit_work(town, number);
    town.workers[number].session = SimSession::None;
    Ok(Some("handed in".to_owned()))
}

fn respawn_session(town: &mut SimTown, number: usize, is_refused: bool) -> Option<String> {
    let now = town.now;
    let worker = &mut town.workers[number];
    if worker.bead.is_none() || matches!(worker.session, SimSession::Alive { .. }) {
        return None;
    }
    let is_lost = matches!(worker.session, SimSession::None) && worker.host != town.host;
    if is_refused {
        worker.refused.push(now);
    } else if is_lost {
        worker.lost.push(now);
    } else {
        worker.respawns.push(now);
    }
    start_session(town, number);
    Some("restarted".to_owned())
}

fn restart_quiet(town: &mut SimTown, number: usize) -> Option<String> {
    if !matches!(town.workers[number].session, SimSession::Alive { .. }) {
        return None;
    }
    let now = town.now;
    town.workers[number].respawns.push(now);
    start_session(town, number);
    Some("restarted, as it made no progress".to_owned())
}

fn nudge_worker(town: &mut SimTown, number: usize, resumes: bool) -> Option<String> {
    let (now, refuses) = (town.now, town.is_api_down());
    let helps = town.rng.usize(..10) < 7;
    let finished = now + SignedDuration::from_mins(town.rng.i64(1..20));
    let worker = &mut town.workers[number];
    let SimSession::Alive { mood, .. } = &mut worker.session else {
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
            *mood = AgentPlan::Works(finished);
        }
        return Some("told to go on".to_owned());
    }
    if matches!(mood, AgentPlan::Asks) && helps {
        *mood = AgentPlan::Works(finished);
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
    worker.session = SimSession::None;
    Some("stuck".to_owned())
}

/// Does the same as `gt polecat retry`.
pub(super) fn unstick_worker(town: &mut SimTown, number: usize) {
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
            Some(failed) if failed.step == DoneStep::Proof => SlotState::Working,
            _ => SlotState::Finishing {
                record: DoneRecord::default(),
            },
        },
        other => other,
    };
}

/// Queues a task of the merge queue for a worker.
fn queue_repair(town: &mut SimTown, id: &str) -> Option<String> {
    let bead = town.beads.iter().position(|bead| bead.id == id)?;
    if !town.is_repair(bead) {
        return None;
    }
    town.beads[bead].place = BeadPlace::Queued;
    Some("queued for a worker".to_owned())
}

/// Ends the sessions of a rig in which nothing may run.
fn stop_rig(town: &mut SimTown, rig: usize) -> Option<String> {
    let workers = town.workers.iter_mut().filter(|worker| worker.rig == rig);
    let mut count = 0;
    for worker in workers {
        if matches!(worker.session, SimSession::Alive { .. }) {
            worker.session = SimSession::None;
            worker.refusal = None;
            count += 1;
        }
    }
    (count > 0).then(|| format!("{count} sessions ended"))
}

/// Takes a bead that was closed under its worker off the hook.
fn release_worker(town: &mut SimTown, number: usize) -> Option<String> {
    let bead = town.workers[number].bead?;
    if town.beads[bead].place != BeadPlace::Closed {
        return None;
    }
    agents::clear_hook(town, number);
    town.workers[number].session = SimSession::None;
    Some("released".to_owned())
}

fn do_chore(town: &mut SimTown, chore: Chore) -> String {
    town.chores.insert(chore.name().to_owned(), town.now);
    format!("{} archived", user::compact(town))
}

fn land_convoy(town: &mut SimTown, convoy: &str) -> ActionOutcome {
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

fn report_items(town: &mut SimTown) -> Option<String> {
    let items = town.items();
    let before = town.reported.len();
    town.reported.retain(|key, _| items.contains(key));
    let over = before - town.reported.len();
    let mut new = 0;
    for key in items {
        if !town.reported.contains_key(&key) {
            let acts = SignedDuration::from_mins(town.rng.i64(60..480));
            town.reported.insert(key, town.now + acts);
            new += 1;
        }
    }
    town.messages += new;
    (new + over > 0).then(|| format!("{new} reported, {over} closed"))
}
