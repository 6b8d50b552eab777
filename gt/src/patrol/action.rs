//! The actions: the only writes of a patrol. Each looks first whether it is still needed, is safe to
//! repeat, and is recorded with its rule, what the rule saw, and how it went.

use bd::bead::{Bead, Status};
use bd::ui::escape;
use serde::Serialize;
use serde_json::json;

use super::rule::{Decision, Do};
use crate::flow::landing;
use crate::flow::landing::Landing;
use crate::flow::sandbox;
use crate::flow::session;
use crate::flow::session::end;
use crate::flow::{convoy, done, mq, sling, sync};
use crate::host::LiveTown;
use crate::patrol::attention;
use crate::record::polecat::{self, Ids, Slinging, Slot};
use crate::record::queued_sling;
use crate::town::RigLayout;
use crate::town::identity::SessionName;
use crate::town::lock::{Lock, LockError};

/// A decision and how acting on it went.
#[derive(Debug, Clone, Serialize)]
pub struct Acted {
    /// The decision.
    #[serde(flatten)]
    pub decision: Decision,
    /// What came of it, in a few words.
    pub outcome: String,
    /// Whether it failed; the next pass decides anew.
    pub failed: bool,
    /// Whether it changed anything, so that another pass may find more to do.
    pub changed: bool,
    /// Whether someone else was at it just then, so that it should be looked at again soon.
    pub busy: bool,
}

/// Acts on a decision.
pub fn act(town: &LiveTown, decision: Decision) -> Acted {
    let result = perform(town, &decision);
    let busy = result.as_ref().is_err_and(is_busy);
    let (outcome, failed, changed) = match result {
        Ok(Some(outcome)) => (outcome, false, true),
        Ok(None) => ("nothing left to do".to_owned(), false, false),
        // Someone else is at it; that is not a failure.
        Err(error) if busy => (format!("{error:#}"), false, false),
        Err(error) => (format!("{error:#}"), true, false),
    };
    if changed || failed {
        town.tell(
            "patrol",
            json!({
                "rule": decision.rule, "saw": decision.saw, "do": decision.todo,
                "outcome": outcome, "failed": failed,
            }),
        );
    }
    Acted {
        decision,
        outcome,
        failed,
        changed,
        busy,
    }
}

fn is_busy(error: &anyhow::Error) -> bool {
    error
        .chain()
        .any(|cause| matches!(cause.downcast_ref(), Some(LockError::Held { .. })))
}

/// Does it; `None` where nothing was left to do.
fn perform(town: &LiveTown, decision: &Decision) -> anyhow::Result<Option<String>> {
    match &decision.todo {
        Do::ResumeSling { rig, polecat } => {
            let layout = town.rig(rig)?;
            let slung = sling::resume(town, &layout, polecat).inspect_err(|error| {
                if !is_busy(error) {
                    count_failure(town, &layout, polecat, &format!("{error:#}"));
                }
            })?;
            Ok(slung.map(|slung| format!("{} goes on in {}", slung.bead, slung.target)))
        }
        Do::FinishDone { rig, polecat } => {
            let rig = town.rig(rig)?;
            let lock = Lock::try_take(&rig.slot_lock(polecat))?;
            let worker = done::worker(town, rig, polecat, lock)?;
            let finished = done::resume(town, &worker)?;
            Ok(finished.map(|done| format!("{} is handed in", done.bead)))
        }
        Do::Respawn { rig, polecat } => {
            let session =
                session::start::again(town, &town.rig(rig)?, polecat, session::start::Why::Ended)?;
            Ok(session.map(|session| format!("session {session} started anew")))
        }
        Do::OpenBreaker { rig, polecat } => open_breaker(town, rig, polecat),
        Do::EndSession { rig, polecat } => end_session(town, rig, polecat),
        Do::Release { rig, polecat } => {
            let rig = town.rig(rig)?;
            sling::release_closed(town, &rig, polecat)
        }
        Do::SlingWaiting { rig, bead } => sling_waiting(town, rig, bead),
        Do::QueueRepair { rig, bead } => queue_repair(town, rig, bead),
        Do::RunQueue { rig } => run_queue(town, rig),
        Do::Land { convoy } => land(town, convoy),
        Do::FinishConvoy { request } => {
            let Some(made) = convoy::review::resume(town, request)? else {
                return Ok(None);
            };
            let slung = sling::go_on(town, made.then)?;
            let slung = slung.map_or(String::new(), |slung| {
                format!(", {} slung to {}", slung.bead, slung.target)
            });
            Ok(Some(format!("{} is made{slung}", made.convoy)))
        }
        Do::AskPerson => ask_person(town),
        Do::ShareBeads { rig } => sync::share(town, rig.as_deref()),
    }
}

/// Lands a convoy. Where only the world outside is in the way, that is a failure to come back to.
fn land(town: &LiveTown, convoy: &str) -> anyhow::Result<Option<String>> {
    match landing::land(town, convoy)? {
        None => Ok(None),
        Some(Landing::Landed(landed)) => Ok(Some(format!("{} landed", landed.id))),
        Some(Landing::Waits(waits)) => {
            let stands = format!("landing {} of {}", waits.landed, waits.of);
            match &waits.task {
                Some(task) => Ok(Some(format!("{stands}: {} (task {task})", waits.reason))),
                None => Err(anyhow::anyhow!("{stands}: {}: {}", waits.rig, waits.reason)),
            }
        }
    }
}

/// Runs the queue. When nothing but the outside world stood in the way, that is a failure to come back to.
fn run_queue(town: &LiveTown, rig: &str) -> anyhow::Result<Option<String>> {
    let merged = mq::run(town, &town.rig(rig)?)?;
    let later = |one: &mq::Merged| match &one.outcome {
        mq::MergeOutcome::Later { reason } => Some(reason.clone()),
        _ => None,
    };
    let reasons: Vec<String> = merged.iter().filter_map(later).collect();
    match (merged.len(), reasons.first()) {
        (0, _) => Ok(None),
        (all, Some(reason)) if reasons.len() == all => Err(anyhow::anyhow!("{reason}")),
        (all, _) => Ok(Some(format!("{all} merge requests handled"))),
    }
}

fn end_session(town: &LiveTown, rig: &str, name: &str) -> anyhow::Result<Option<String>> {
    let layout = town.rig(rig)?;
    let _slot = Lock::try_take(&layout.slot_lock(name))?;
    let ids = Ids::of(&town.prefix(rig), rig, name);
    let beads = town.rig_store(&layout)?.snapshot()?;
    // What its identity names may be another's by now: the bead must name it, too.
    if polecat::hook_of(&beads, &ids).is_some() {
        return Ok(None);
    }
    let Some(session) = SessionName::of(&ids.address) else {
        return Ok(None);
    };
    if town.host.find(session.as_str())?.is_none() {
        return Ok(None);
    }
    let slot = Slot::load(&beads, &ids.slot);
    sandbox::snapshot(town, &layout, name, &slot)?;
    session::end::polecat(town, session.as_str(), &slot)?;
    Ok(Some(format!("session {session} ended")))
}

/// Records that going on with a sling failed, for the breaker.
fn count_failure(town: &LiveTown, rig: &RigLayout, name: &str, reason: &str) {
    let ids = Ids::of(&town.prefix(rig.name()), rig.name(), name);
    let counted = town.rig_store(rig).and_then(|store| {
        town.transact(&store, |tx| {
            let mut slot = Slot::load(tx, &ids.slot);
            if let Some(sling) = slot.state.slinging_mut() {
                sling.failures += 1;
                reason.clone_into(&mut sling.failure);
            }
            slot.save(tx, &ids.slot)
        })
    });
    // The failure itself is what is told; one that is not counted is tried once more.
    counted.ok();
}

/// Marks the worker as stuck: the rule that asks a person names it then.
fn open_breaker(town: &LiveTown, rig: &str, name: &str) -> anyhow::Result<Option<String>> {
    let layout = town.rig(rig)?;
    let _slot = Lock::try_take(&layout.slot_lock(name))?;
    let ids = Ids::of(&town.prefix(rig), rig, name);
    let store = town.rig_store(&layout)?;
    let beads = store.snapshot()?;
    let mut slot = Slot::load(&beads, &ids.slot);
    if slot.still_held(&beads, &ids).is_err() || slot.state.stuck().is_some() {
        return Ok(None);
    }
    let session = SessionName::of(&ids.address);
    let session = session.map_or(Ok(None), |name| town.host.find(name.as_str()))?;
    let session = session.filter(|live| live.dead.is_some());
    let ended = session
        .as_ref()
        .and_then(|live| end::of_dead_session(town, live, &slot));
    if let Some(ended) = ended {
        session::end::keep(town, &layout, &ids, &mut slot, &ended)?;
    }
    let reason = why_stuck(&slot);
    slot.state = slot.state.into_stuck(reason);
    town.transact(&store, |tx| {
        slot.still_held(tx, &ids)?;
        slot.save(tx, &ids.slot)
    })?;
    // What it showed is kept by now.
    if let Some(ended) = session {
        town.host.kill(&ended.name)?;
    }
    Ok(Some("not started again".to_owned()))
}

/// Why a worker is not started again, from what its record counted.
fn why_stuck(slot: &Slot) -> String {
    let bead = &slot.bead;
    if let Some(failed) = slot.state.failed_done() {
        let reason = escape::line(&failed.reason);
        return format!("its gt done of {bead} failed at {}: {reason}", failed.step);
    }
    match slot.state.slinging() {
        None | Some(Slinging { failures: 0, .. }) => {
            let how = slot.ended.as_ref().map_or_else(String::new, |ended| {
                format!(", the last time {}", ended.how())
            });
            let times = slot.respawns.len();
            format!("its session ended {times} times on {bead}{how}")
        }
        Some(sling) => format!(
            "its sling of {bead} failed {} times: {}",
            sling.failures, sling.failure
        ),
    }
}

/// Looks once more what needs a person: other acts of this pass may have moved it.
fn ask_person(town: &LiveTown) -> anyhow::Result<Option<String>> {
    let facts = super::facts(town)?;
    if facts.messages.is_empty() {
        return Ok(None);
    }
    attention::deliver(town, &facts.messages)?;
    let (new, over) = (facts.messages.new.len(), facts.messages.over.len());
    Ok(Some(format!("{new} reported, {over} closed")))
}

/// Queues a task of the merge queue for a worker of the rig.
fn queue_repair(town: &LiveTown, rig: &str, task: &str) -> anyhow::Result<Option<String>> {
    let found = town.find_bead(task)?;
    if !mq::is_automatic(&found.store.snapshot()?, &found.bead) {
        return Ok(None);
    }
    let request = sling::Request {
        bead: task.to_owned(),
        target: rig.to_owned(),
        ..sling::Request::default()
    };
    let waits_for = vec!["a free worker".to_owned()];
    sling::enqueue(town, &town.rig(rig)?, &request, &found.bead, waits_for)?;
    Ok(Some(format!("{task} is queued for a worker")))
}

/// Slings a bead that stands in line. The claim takes it out; if that fails, it stays there.
fn sling_waiting(town: &LiveTown, rig: &str, bead: &str) -> anyhow::Result<Option<String>> {
    let layout = town.rig(rig)?;
    let beads = town.rig_store(&layout)?.snapshot()?;
    let Some(waiting) = queued_sling::waiting(&beads)
        .into_iter()
        .find(|w| w.work_bead_id == bead)
    else {
        return Ok(None);
    };
    let is_open = |bead: &Bead| bead.status == Status::Open;
    if !beads.get(bead).is_some_and(is_open) {
        queued_sling::take_waiting(town, &layout, bead)?;
        return Ok(Some(format!(
            "{bead} left the line: it is not open any more"
        )));
    }
    let request = sling::Request {
        bead: bead.to_owned(),
        target: rig.to_owned(),
        agent: waiting.agent,
        args: waiting.args,
        no_convoy: waiting.no_convoy,
        ..sling::Request::default()
    };
    let slung = sling::sling(town, &request).inspect_err(|error| {
        if !is_busy(error) {
            // It stays in line; that it could not be slung is told in any case.
            queued_sling::note_failure(town, &layout, bead, &format!("{error:#}")).ok();
        }
    })?;
    Ok(Some(format!("{bead} went to {}", slung.target)))
}
