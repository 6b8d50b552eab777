//! Rules P1 to P7: the polecats. The first rule that applies to a polecat decides.
//!
//! - P1: a process holds its slot: no action.
//! - P2: the state of its session is unknown: no action. Unknown is not dead.
//! - P3: its sling is unfinished: continue it, until the breaker opens.
//! - P4: its bead is closed, was closed and reopened, or was assigned to someone else. If someone
//!   else did that, or its worker
//!   did and has had time for `gt done`: save its commits, end the session, clear the hook. Only
//!   the worker's own `gt done` submits work.
//! - P5: an interrupted `gt done`: finish it. If a retry cannot help, open the breaker.
//! - P6: it has work and no session: restart it, until the breaker opens. A worker that waits for
//!   the answer to its question is restarted when the answer comes.
//! - P7: it has no work but a session, or the screen of an ended session: end the session.

use bd::bead::attempt;
use bd::store::Snapshot;
use jiff::{SignedDuration, Timestamp};
use kit::ui::escape;

use super::decision::{Action, Decision, WorkerVerb};
use super::rule;
use super::thresholds::Thresholds;
use crate::flow::agent::checkpoint;
use crate::flow::agent::polecat::clear_stuck_mark;
use crate::flow::agent::session::start::RestartCause;
use crate::flow::agent::session::{self, end};
use crate::flow::place::sandbox;
use crate::flow::work::done::{self, SandboxLeftovers};
use crate::flow::work::sling;
use crate::host::LiveTown;
use crate::record::escalation;
use crate::record::polecat::{self, Polecat, PolecatIds, SlingInProgress, Slot, SlotState};
use crate::record::progress;
use crate::record::scheduler::find_work_obstacle;
use crate::record::town_view::TownView;
use crate::town::identity::{Address, SessionName};
use crate::town::lock;
use crate::town::name::Worker;
use crate::town::{Rig, RigLayout};

/// The facts about a polecat.
#[derive(Debug, Clone)]
pub struct PolecatFacts {
    pub worker: Worker,
    /// The reason for the polecat's state.
    pub why: String,
    pub hook: Option<String>,
    /// True if that bead is closed.
    pub hook_closed: bool,
    /// True if someone other than the worker closed, deleted, reassigned, or closed and reopened the
    /// bead.
    pub superseded: bool,
    pub closed_at: Option<Timestamp>,
    /// The work in its sandbox that is on no target. Read only if the bead is closed.
    pub left: SandboxLeftovers,
    /// True if its local record does not have the bead on its hook.
    pub record_lost: bool,
    /// True if a gt process holds its slot.
    pub busy: bool,
    /// True if its session runs. `None` if unknown.
    pub alive: Option<bool>,
    /// True if its session has ended and its last screen is still displayed.
    pub shown: bool,
    /// The flow that the polecat is in.
    pub slot: SlotState,
    /// The times at which its session was restarted, for this bead.
    pub respawns: Vec<Timestamp>,
    /// True if it has committed or changed a file since the last restart. Read only without a
    /// session.
    pub worked: bool,
    /// The times at which it was restarted because all sessions of the town were lost.
    pub lost: Vec<Timestamp>,
    /// The number of times it was stuck on this bead.
    pub stuck_times: u32,
    /// True if it waits for the answer to a question about its bead.
    pub asks: bool,
    /// True if the API refuses it. Then rule A1 restarts it.
    pub refused: bool,
    /// True if no session is started for its work: a budget is spent, or a setting is wrong.
    pub held_back: bool,
}

/// Reads the facts about the polecats of a rig.
pub(super) fn facts(view: &TownView, rig: &RigLayout, beads: &Snapshot) -> Vec<PolecatFacts> {
    view.polecats_of(rig.name())
        .iter()
        .map(|polecat| polecat_facts(view, rig, beads, polecat))
        .collect()
}

fn polecat_facts(
    view: &TownView,
    rig: &RigLayout,
    beads: &Snapshot,
    polecat: &Polecat,
) -> PolecatFacts {
    let slot = &polecat.slot;
    let on_hook = polecat.hook.as_deref().and_then(|id| beads.get(id));
    let closed = on_hook.filter(|bead| !bead.is_open());
    let closed_at = closed.and_then(|bead| bead.closed_at.as_ref());
    let session = polecat.session.as_ref();
    let respawns = parse_times(&slot.respawns);
    let is_alive = session.is_some_and(|live| live.dead.is_none());
    let worked = polecat.hook.is_some()
        && !is_alive
        && respawns.last().is_some_and(|last| {
            progress::is_changed_since(&rig.sandbox(&polecat.name), *last, view.now)
        });
    PolecatFacts {
        worker: Worker::new(rig.name(), polecat.name.as_str()),
        why: polecat.why.clone(),
        hook_closed: closed.is_some(),
        record_lost: polecat.hook.as_ref().is_some_and(|hook| *hook != slot.bead),
        superseded: match beads.get(&slot.bead) {
            None => !slot.bead.is_empty(),
            Some(bead) => {
                let is_on_hook = on_hook.is_some_and(|on_hook| on_hook.id == bead.id);
                let is_reassigned = polecat.hook.is_none()
                    && slot.is_unfinished()
                    && bead.is_open()
                    && !polecat.is_address(&bead.assignee);
                is_reassigned
                    || is_on_hook
                        && (attempt::read_attempt(bead) != slot.attempt || bead.is_tombstone())
            }
        },
        closed_at: closed_at.map(bd::bead::Stamp::instant),
        left: closed.map_or(SandboxLeftovers::Nothing, |_| {
            done::find_sandbox_leftovers(rig, &polecat.name, slot)
        }),
        busy: polecat.busy,
        alive: view.sessions.as_ref().map(|_| is_alive),
        shown: session.is_some_and(|live| live.dead.is_some()),
        slot: slot.state.clone(),
        respawns,
        worked,
        lost: slot.lost.clone(),
        stuck_times: slot.stuck_times,
        asks: polecat.asks.is_some(),
        refused: polecat.refusal.is_some(),
        held_back: polecat
            .hook
            .as_ref()
            .is_some_and(|bead| find_work_obstacle(view, rig.name(), bead).is_some()),
        hook: polecat.hook.clone(),
    }
}

/// Applies the rules to the polecats of a rig.
pub(super) fn decide(
    facts: &[PolecatFacts],
    now: Timestamp,
    thresholds: &Thresholds,
) -> Vec<Decision> {
    facts
        .iter()
        .filter_map(|polecat| apply_rules(polecat, now, thresholds))
        .collect()
}

/// Returns the time until a grace period for `gt done`, a wait before a restart, or the wait of a
/// stuck worker ends.
pub(super) fn due(
    facts: &[PolecatFacts],
    now: Timestamp,
    thresholds: &Thresholds,
) -> Option<SignedDuration> {
    facts
        .iter()
        .filter(|polecat| !polecat.busy)
        .filter_map(|one| {
            if has_time_for_done(one, now, thresholds) {
                return Some(thresholds.after_close - now.duration_since(one.closed_at?));
            }
            if let Some(until) = find_half_open_time(one, now, thresholds) {
                return Some(until.duration_since(now));
            }
            let waits = one.alive == Some(false) && one.hook.is_some() && !one.refused && !one.asks;
            waits.then(|| {
                find_restart_time(&one.respawns, &one.lost, now, thresholds)?
                    .duration_since(now)
                    .into()
            })?
        })
        .filter(SignedDuration::is_positive)
        .min()
}

fn apply_rules(
    polecat: &PolecatFacts,
    now: Timestamp,
    thresholds: &Thresholds,
) -> Option<Decision> {
    let decide_verb = |rule, verb| {
        Some(Decision {
            rule,
            saw: polecat.why.clone(),
            action: Action::Worker {
                verb,
                worker: polecat.worker.clone(),
            },
        })
    };
    if polecat.busy {
        return None;
    }
    let alive = polecat.alive?;
    if polecat.superseded {
        return apply_closed_rule(polecat, now, thresholds);
    }
    if polecat.hook.is_none() {
        return (alive || polecat.shown)
            .then(|| decide_verb(rule::P7_END_IDLE_SESSION, WorkerVerb::EndSession))
            .flatten();
    }
    // An item for the user, because the state of the work is unknown.
    if polecat.record_lost {
        return None;
    }
    if polecat.hook_closed {
        return apply_closed_rule(polecat, now, thresholds);
    }
    // A breaker that is turned off stops nothing: its worker is retried.
    match &polecat.slot {
        SlotState::Slinging(sling)
            if sling.failures >= thresholds.sling_failures
                && thresholds.is_on(rule::P3_BREAKER) =>
        {
            return decide_verb(rule::P3_BREAKER, WorkerVerb::OpenBreaker);
        }
        SlotState::Slinging(_) => {
            return decide_verb(rule::P3_RESUME_SLING, WorkerVerb::ResumeSling);
        }
        SlotState::Stuck { .. } => {
            let is_due = find_half_open_time(polecat, now, thresholds).is_some_and(|at| at <= now);
            return is_due
                .then(|| decide_verb(rule::P6_HALF_OPEN, WorkerVerb::HalfOpen))
                .flatten();
        }
        _ if alive => return None,
        // The answer starts it again, with the answer in its context.
        state if polecat.asks && state.needs_worker() => return None,
        SlotState::Finishing { .. }
            if polecat.slot.is_unrecoverable() && thresholds.is_on(rule::P5_BREAKER) =>
        {
            return decide_verb(rule::P5_BREAKER, WorkerVerb::OpenBreaker);
        }
        SlotState::Finishing { .. } => {
            return decide_verb(rule::P5_FINISH_DONE, WorkerVerb::FinishDone);
        }
        SlotState::Idle | SlotState::Working => {}
    }
    // An outage is not the worker's fault: the breaker stays closed, and rule A1 restarts the
    // worker.
    if polecat.refused {
        return None;
    }
    if has_too_many_restarts(polecat, now, thresholds) {
        return decide_verb(rule::P6_BREAKER, WorkerVerb::OpenBreaker);
    }
    if find_restart_time(&polecat.respawns, &polecat.lost, now, thresholds)
        .is_some_and(|at| at > now)
    {
        return None;
    }
    decide_verb(rule::P6_RESPAWN_STALLED, WorkerVerb::Respawn)
}

/// Returns true if a worker was restarted so often that its breaker opens: within the window, or
/// since its last commit or changed file.
fn has_too_many_restarts(polecat: &PolecatFacts, now: Timestamp, thresholds: &Thresholds) -> bool {
    let recent = recent_times(&polecat.respawns, now, thresholds).count();
    let all = polecat.respawns.iter().filter(|at| **at <= now).count();
    let restarts = if polecat.worked { recent } else { all };
    restarts >= thresholds.restarts && thresholds.is_on(rule::P6_BREAKER)
}

/// Parses times and skips invalid ones.
pub(super) fn parse_times(texts: &[String]) -> Vec<Timestamp> {
    texts.iter().filter_map(|text| text.parse().ok()).collect()
}

/// The longest wait before a repeated restart.
const LONGEST_RESTART_WAIT: SignedDuration = SignedDuration::from_secs(300);
/// The longest wait before a stuck worker is retried.
const LONGEST_HALF_OPEN: SignedDuration = SignedDuration::from_hours(8);

fn recent_times<'a>(
    times: &'a [Timestamp],
    now: Timestamp,
    thresholds: &Thresholds,
) -> impl Iterator<Item = Timestamp> + 'a {
    let window = thresholds.restart_window;
    // A time in the future was written under a wrong clock, so it does not count.
    times
        .iter()
        .copied()
        .filter(move |at| *at <= now && now.duration_since(*at) < window)
}

/// Returns the time until which a restart waits after earlier ones: those of ended sessions, and
/// those of sessions that were lost with all others.
pub(super) fn find_restart_time(
    respawns: &[Timestamp],
    lost: &[Timestamp],
    now: Timestamp,
    thresholds: &Thresholds,
) -> Option<Timestamp> {
    let mut restarts: Vec<Timestamp> = recent_times(respawns, now, thresholds).collect();
    restarts.extend(recent_times(lost, now, thresholds));
    let last = restarts.iter().max()?;
    let wait = doubled_wait(
        thresholds.restart_wait,
        restarts.len() - 1,
        LONGEST_RESTART_WAIT,
    );
    last.checked_add(wait).ok()
}

/// Returns the time at which a stuck worker is retried. None for a worker whose sessions failed,
/// because a user must act, if a retry cannot succeed, or if an earlier version marked it as stuck.
fn find_half_open_time(
    polecat: &PolecatFacts,
    now: Timestamp,
    thresholds: &Thresholds,
) -> Option<Timestamp> {
    polecat.hook.as_ref()?;
    half_open_time(&polecat.slot, polecat.stuck_times, now, thresholds)
}

pub(super) fn half_open_time(
    slot: &SlotState,
    stuck_times: u32,
    now: Timestamp,
    thresholds: &Thresholds,
) -> Option<Timestamp> {
    let SlotState::Stuck {
        since: Some(since), ..
    } = slot
    else {
        return None;
    };
    if !slot.is_retried() {
        return None;
    }
    if *since > now {
        return Some(now);
    }
    let times = usize::try_from(stuck_times.saturating_sub(1)).unwrap_or(usize::MAX);
    let wait = doubled_wait(thresholds.half_open, times, LONGEST_HALF_OPEN);
    since.checked_add(wait).ok()
}

/// Returns a wait that doubles each time, up to a limit.
pub(super) fn doubled_wait(
    first: SignedDuration,
    times: usize,
    longest: SignedDuration,
) -> SignedDuration {
    let factor = 1_i32 << times.min(20);
    first
        .checked_mul(factor)
        .map_or(longest, |wait| wait.min(longest))
}

/// Returns true if the worker closed its bead itself and may still commit and run `gt done`.
fn has_time_for_done(polecat: &PolecatFacts, now: Timestamp, thresholds: &Thresholds) -> bool {
    !polecat.superseded
        && polecat.alive == Some(true)
        && polecat
            .closed_at
            .is_some_and(|at| now.duration_since(at) < thresholds.after_close)
}

/// Applies P4 to a worker whose bead is closed.
fn apply_closed_rule(
    polecat: &PolecatFacts,
    now: Timestamp,
    thresholds: &Thresholds,
) -> Option<Decision> {
    if has_time_for_done(polecat, now, thresholds) {
        return None;
    }
    let began_done = polecat.slot.done_record().is_some() && !polecat.slot.is_unrecoverable();
    if !polecat.superseded && polecat.alive == Some(false) && began_done {
        return Some(Decision {
            rule: rule::P5_FINISH_DONE,
            saw: polecat.why.clone(),
            action: Action::Worker {
                verb: WorkerVerb::FinishDone,
                worker: polecat.worker.clone(),
            },
        });
    }
    let with = match polecat.left {
        SandboxLeftovers::Commits => ", with commits that were not handed in",
        SandboxLeftovers::Files => ", with files that are not committed",
        SandboxLeftovers::Nothing => "",
    };
    Some(Decision {
        rule: rule::P4_RELEASE_CLOSED,
        saw: format!("{}{with}", polecat.why),
        action: Action::Worker {
            verb: WorkerVerb::Release,
            worker: polecat.worker.clone(),
        },
    })
}

/// Continues a sling at its first undone step.
pub(super) fn resume_sling_action(
    town: &LiveTown,
    rig: &Rig,
    name: &str,
) -> anyhow::Result<Option<String>> {
    let slung = sling::resume_sling(town, rig, name).inspect_err(|error| {
        if !lock::is_lock_held_error(error) {
            record_sling_failure(rig, name, &format!("{error:#}"));
        }
    })?;
    Ok(slung.map(|slung| format!("{} goes on in {}", slung.bead, slung.target)))
}

/// Finishes a `gt done` from its record.
pub(super) fn finish_done(rig: Rig<'_>, name: &str) -> anyhow::Result<Option<String>> {
    let lock = rig.try_take_slot(name)?;
    let worker = done::find_worker(rig, name, lock)?;
    let finished = done::resume_done(&worker)?;
    Ok(finished.map(|done| format!("{} is handed in", done.bead)))
}

/// Restarts a session in its sandbox.
pub(super) fn restart_worker(
    town: &LiveTown,
    rig: &Rig,
    name: &str,
    why: RestartCause<'_>,
) -> anyhow::Result<Option<String>> {
    if why == RestartCause::Ended && has_open_question(town, rig, name)? {
        return Ok(None);
    }
    write_worker_checkpoint(rig, name);
    let session = session::start::restart_session(town, rig, name, why)?;
    Ok(session.map(|session| format!("session {session} restarted")))
}

/// Returns true if a worker has asked since the facts were read.
fn has_open_question(town: &LiveTown, rig: &Rig, name: &str) -> anyhow::Result<bool> {
    let ids = PolecatIds::for_polecat(rig, name);
    let slot = Slot::load(&rig.store()?.snapshot()?, &ids.slot);
    let beads = town.open_town_store()?.snapshot()?;
    Ok(escalation::find_awaited_question(&beads, &ids.address, &slot.bead).is_some())
}

/// Writes a checkpoint for a session that could not write one, for example after SIGKILL. The next
/// session gets it.
pub(super) fn write_worker_checkpoint(rig: &Rig, name: &str) {
    let town = rig.town();
    let agent = Address::Polecat(rig.name().to_owned(), name.to_owned());
    let last = checkpoint::read_checkpoint(town, &agent).ok().flatten();
    let session = last.as_ref().map_or("", |last| &last.session_id);
    // Errors are ignored, because its commits and files exist without it.
    checkpoint::record_checkpoint(town, &agent, session, None).ok();
}

/// Ends a session without work.
pub(super) fn end_idle_session(
    town: &LiveTown,
    rig: &Rig,
    name: &str,
) -> anyhow::Result<Option<String>> {
    let _slot = rig.try_take_slot(name)?;
    let ids = PolecatIds::for_polecat(rig, name);
    let beads = rig.store()?.snapshot()?;
    // The hook in its identity may be outdated, so the bead must name the worker too.
    if polecat::polecat_hook_of(&beads, &ids).is_some() {
        return Ok(None);
    }
    let Some(session) = SessionName::for_agent(&ids.address) else {
        return Ok(None);
    };
    if town.host.find_session(session.as_str())?.is_none() {
        return Ok(None);
    }
    let slot = Slot::load(&beads, &ids.slot);
    sandbox::save_snapshot(rig, name, &slot)?;
    end::end_polecat_session(town, session.as_str(), &slot)?;
    Ok(Some(format!("session {session} ended")))
}

/// Records a failed try of a sling, for the breaker.
fn record_sling_failure(rig: &Rig, name: &str, reason: &str) {
    let ids = PolecatIds::for_polecat(rig, name);
    let counted = rig.store().and_then(|store| {
        rig.transact(&store, |tx| {
            let mut slot = Slot::load(tx, &ids.slot);
            if let Some(sling) = slot.state.sling_in_progress_mut() {
                sling.failures += 1;
                reason.clone_into(&mut sling.failure);
            }
            slot.save(tx, &ids.slot)
        })
    });
    // The sling's own failure is reported. An uncounted failure only adds one retry.
    counted.ok();
}

/// Marks the worker as stuck, so that rule O1 reports it.
pub(super) fn open_breaker(
    town: &LiveTown,
    rig: &Rig,
    name: &str,
) -> anyhow::Result<Option<String>> {
    let _slot = rig.try_take_slot(name)?;
    let ids = PolecatIds::for_polecat(rig, name);
    let store = rig.store()?;
    let beads = store.snapshot()?;
    let mut slot = Slot::load(&beads, &ids.slot);
    if slot.reload_held(&beads, &ids).is_err() || slot.state.stuck_reason().is_some() {
        return Ok(None);
    }
    let session = SessionName::for_agent(&ids.address)
        .map_or(Ok(None), |name| town.host.find_session(name.as_str()))?;
    let ended = session.as_ref().and_then(|live| match live.dead {
        Some(_) => end::end_of_dead_session(town, live, &slot),
        // The session runs without progress.
        None => Some(end::end_of_quiet_session(
            town,
            live,
            &slot,
            "it made no progress",
        )),
    });
    if let Some(ended) = ended {
        end::record_session_end(rig, &ids, &mut slot, &ended)?;
    }
    let reason = describe_stuck(&slot);
    slot.state = slot.state.into_stuck(reason, town.clock.now());
    slot.stuck_times = slot.stuck_times.saturating_add(1);
    town.transact(&store, |tx| {
        slot.reload_held(tx, &ids)?;
        slot.save(tx, &ids.slot)
    })?;
    // The record has its last screen by now.
    if let Some(ended) = session {
        sandbox::save_snapshot(rig, name, &slot)?;
        end::end_polecat_session(town, &ended.name, &slot)?;
    }
    Ok(Some("not started again".to_owned()))
}

/// Retries a worker that was stuck for a while.
pub(super) fn retry_stuck(rig: &Rig, name: &str) -> anyhow::Result<Option<String>> {
    let _slot = rig.try_take_slot(name)?;
    let reason = clear_stuck_mark(rig, name)?;
    Ok(reason.map(|reason| format!("tried again; it was stuck because {reason}")))
}

/// Describes why a worker is not restarted, from the counts in its record.
fn describe_stuck(slot: &Slot) -> String {
    let bead = &slot.bead;
    if let Some(failed) = slot.state.failed_done() {
        let reason = escape::escape_line(&failed.reason);
        return format!("its gt done of {bead} failed at {}: {reason}", failed.step);
    }
    match slot.state.sling_in_progress() {
        None | Some(SlingInProgress { failures: 0, .. }) => {
            let how = slot.ended.as_ref().map_or_else(String::new, |ended| {
                format!(", the last time {}", ended.describe())
            });
            let times = kit::ui::counted(slot.respawns.len(), "time");
            format!("its session ended {times} on {bead}{how}")
        }
        Some(sling) => format!(
            "its sling of {bead} failed {}: {}",
            kit::ui::counted(sling.failures, "time"),
            sling.failure
        ),
    }
}

#[cfg(test)]
pub(crate) mod tests;
