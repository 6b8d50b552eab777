//! The landing of a convoy that has branches of its own: one commit in each rig, in two phases.
//!
//! What must always hold: nothing is pushed before every rig is prepared; a push expects the target where it
//! was prepared for; "landed" is only written after the target was fetched and found to hold the commit; what
//! has landed in one rig is never taken back because another rig refuses.
//!
//! 1. Is every bead done, is nothing on its way to the branches, and do they hold all that was merged to them?
//! 2. Prepare, rig by rig: one commit with all of the branch, without discovery documents, on the target as it
//!    is now; the rig's gates on it (`prepare`). Each is written into the convoy. Then 1 once more.
//! 3. Push, rig by rig: the door for documents, the push, the fetch, the proof; each is written down (`push`).
//!    A target that moved meanwhile: from 2 on for what has not landed.
//! 4. 1 once more; it is written down that the convoy is closing; the branches go; the convoy closes and its subscribers
//!    hear of it.
//!
//! What stands in the way becomes a task that the convoy tracks (`task`): once that is closed, the landing is
//! tried again by itself. Killed anywhere, the next try finds what is done and goes on.

mod prepare;
mod push;
mod task;

use bd::bead::Bead;
use bd::git::Git;
use bd::store::Store;
use serde::Serialize;
use serde_json::json;

use crate::flow::convoy::integration::{self, ConvoyBranch, Integration, LandingStep};
use crate::flow::convoy::{
    self, BeadStanding, ConvoyError, ConvoyProgress, LandedConvoy, ProgressBoard, TrackedBead,
};
use crate::flow::mq::job::{MergeJob, queue_repository};
use crate::host::LiveTown;
use crate::record::{self, merge_request, merge_task};
use crate::town::RigLayout;
use crate::town::beads::TownStores;
use crate::town::config::RigSettings;
use crate::town::event::{Event, LandingStop, event};
use crate::town::lock::Lock;

/// So often a landing is prepared again because a target has moved.
const ROUNDS: usize = 3;

/// How a landing came out.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum LandingOutcome {
    /// Everything is on its targets, and the convoy is closed.
    Landed(LandedConvoy),
    /// It waits.
    Waits(WaitingLanding),
}

/// A landing that is not at its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WaitingLanding {
    /// The convoy.
    pub convoy: String,
    /// How many rigs have landed.
    pub landed: usize,
    /// Of how many.
    pub of: usize,
    /// Where it stopped.
    pub rig: String,
    /// Why.
    pub reason: String,
    /// The task made of that; none where trying again later is all that can be done.
    pub task: Option<String>,
}

/// Why a convoy is not ready to land.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum NotReadyError {
    /// It has open work.
    #[error("{convoy} cannot land yet: {} (`gt convoy status {convoy}` says what can be done)", open.join(", "))]
    Open {
        /// The convoy.
        convoy: String,
        /// What is open, and how it stands.
        open: Vec<String>,
    },
    /// A critical escalation blocks it.
    #[error(
        "{convoy} cannot land: the escalation {escalation} blocks it (`gt escalate show {escalation}`)"
    )]
    Escalated {
        /// The convoy.
        convoy: String,
        /// The escalation.
        escalation: String,
    },
    /// Something is on its way to one of its branches.
    #[error("{convoy} cannot land yet: {} go to {branch} (`gt mq list {rig}`)", requests.join(", "))]
    OnTheWay {
        /// The convoy.
        convoy: String,
        /// The rig.
        rig: String,
        /// The branch.
        branch: String,
        /// The merge requests.
        requests: Vec<String>,
    },
}

/// Why a landing stops.
enum LandingInterruption {
    /// A target has moved since it was prepared for.
    Moved,
    /// The world outside; trying again later may help.
    Later { rig: String, reason: String },
    /// Someone has to do something.
    Blocked {
        rig: String,
        what: task::LandingBlocker,
    },
}

/// A rig of the convoy, held against its merge queue.
struct LandingRig {
    rig: RigLayout,
    store: Store,
    settings: RigSettings,
    _queue: Lock,
}

/// Looks at every open convoy and lands those whose tracked work is all done. A convoy that tracks nothing never
/// lands. One whose landing stops keeps no other from landing: that it stopped is in the events.
pub fn land_ready_convoys(town: &LiveTown) -> anyhow::Result<Vec<LandedConvoy>> {
    let stores = town.read_stores()?;
    let board = ProgressBoard::from_stores(&stores);
    let ready: Vec<String> = record::convoy::list_convoys(&stores.town, false)
        .into_iter()
        .map(|convoy| board.progress(convoy))
        .filter(ConvoyProgress::is_done)
        .map(|progress| progress.id)
        .collect();
    let mut landed = Vec::new();
    for id in ready {
        match land_convoy(town, &id) {
            Ok(Some(LandingOutcome::Landed(one))) => landed.push(one),
            Ok(_) => {}
            Err(error) => {
                let reason = format!("{error:#}");
                town.record_event(&Event::LandingStopped(LandingStop {
                    convoy: id.clone(),
                    reason,
                    ..LandingStop::default()
                }));
            }
        }
    }
    Ok(landed)
}

/// Lands a convoy whose tracked work is all done: at once, or from branches of its own. `None` where someone else
/// was quicker, or where it tracks something new.
pub fn land_convoy(town: &LiveTown, id: &str) -> anyhow::Result<Option<LandingOutcome>> {
    let stores = town.read_stores()?;
    let known = |bead: &&Bead| record::convoy::is_convoy(bead) && !bead.is_tombstone();
    let Some(convoy) = stores.town.get(id).filter(known) else {
        return Err(ConvoyError::Unknown { id: id.to_owned() }.into());
    };
    if !convoy.is_open() {
        return Ok(None);
    }
    if integration::read_integration(convoy).is_some_and(|own| !own.rigs.is_empty()) {
        return land_branches(town, id).map(Some);
    }
    find_done_beads(town, id)?;
    convoy::close_epic(town, convoy)?;
    // Read again right before it closes: a bead may have been reopened.
    let judged = find_done_beads(town, id)?;
    let judged: Vec<&str> = judged.iter().map(String::as_str).collect();
    Ok(convoy::close_if_done(town, id, &judged)?.map(LandingOutcome::Landed))
}

/// The tracked beads of a convoy, as the stores are now, if all are done.
fn find_done_beads(town: &LiveTown, id: &str) -> anyhow::Result<Vec<String>> {
    let stores = town.read_stores()?;
    let convoy = stores.town.get(id).cloned().unwrap_or_default();
    let progress = ProgressBoard::from_stores(&stores).progress(&convoy);
    refuse_escalated(&progress)?;
    if !progress.is_done() {
        let not_done = |bead: &&TrackedBead| bead.standing != BeadStanding::Done;
        let how = |bead: &TrackedBead| format!("{} is {}", bead.id, bead.standing.name());
        let mut open: Vec<String> = progress.tracked.iter().filter(not_done).map(how).collect();
        if open.is_empty() {
            open.push("it tracks nothing".to_owned());
        }
        let convoy = id.to_owned();
        return Err(NotReadyError::Open { convoy, open }.into());
    }
    Ok(progress.tracked.into_iter().map(|bead| bead.id).collect())
}

/// Refuses a convoy that a critical escalation blocks.
fn refuse_escalated(progress: &ConvoyProgress) -> Result<(), NotReadyError> {
    match progress.blocked_by.first() {
        None => Ok(()),
        Some(blocker) => Err(NotReadyError::Escalated {
            convoy: progress.id.clone(),
            escalation: blocker.id.clone(),
        }),
    }
}

/// Lands a convoy with branches of its own, or goes on with its landing: the steps above.
fn land_branches(town: &LiveTown, id: &str) -> anyhow::Result<LandingOutcome> {
    let _landing = Lock::try_take(&town.layout.landing_lock(id))?;
    let convoy = load_convoy(town, id)?;
    let own = integration::read_integration(&convoy).unwrap_or_default();
    if !own.closing {
        let yards = lock_rigs(town, &own)?;
        for round in 1.. {
            let judged = check_ready(town, id, &yards)?;
            match prepare_and_push(town, id, &yards, &judged)? {
                // Once more: the pushes took time, and beads may have been reopened in it.
                Ok(())
                    if check_ready(town, id, &yards)? == judged
                        && begin_closing(town, id, &judged)? =>
                {
                    break;
                }
                Ok(()) | Err(LandingInterruption::Moved) if round < ROUNDS => {}
                Ok(()) | Err(LandingInterruption::Moved) => {
                    let reason = "its target or its beads change faster than it can land";
                    let rig = own.rigs.keys().next().cloned().unwrap_or_default();
                    return record_waiting(town, id, &rig, reason, None);
                }
                Err(LandingInterruption::Later { rig, reason }) => {
                    return record_waiting(town, id, &rig, &reason, None);
                }
                Err(LandingInterruption::Blocked { rig, what }) => {
                    let job_rig = town.find_rig(&rig)?;
                    let (reason, task) = task::create_blocker_task(town, &job_rig, id, &what)?;
                    return record_waiting(town, id, &rig, &reason, Some(task));
                }
            }
        }
    }
    clean_up(town, id)?;
    match convoy::close_landed(town, id)? {
        Some(landed) => Ok(LandingOutcome::Landed(landed)),
        None => anyhow::bail!("{id} was closed by someone else meanwhile"),
    }
}

/// Prepares all, then pushes all if what was judged still holds.
fn prepare_and_push(
    town: &LiveTown,
    id: &str,
    yards: &[LandingRig],
    judged: &[String],
) -> anyhow::Result<Result<(), LandingInterruption>> {
    let convoy = load_convoy(town, id)?;
    let prepared = match prepare_all(town, &convoy, yards)? {
        Ok(prepared) => prepared,
        Err(stop) => return Ok(Err(stop)),
    };
    // The gates took their time: a bead may have been reopened, or work handed in.
    if check_ready(town, id, yards)? != judged {
        return Ok(Err(LandingInterruption::Moved));
    }
    let commits = prepared.iter().map(|(_, step)| step.candidate.clone());
    town.record_event(&event!(LandingPrepared, convoy: id, commits: commits.collect::<Vec<_>>()));
    for (job, step) in &prepared {
        if step.landed {
            continue;
        }
        if let Err(stop) = push::push_landing(job, id, step)? {
            return Ok(Err(stop));
        }
    }
    Ok(Ok(()))
}

/// Looks at all targets before any gate runs, as one that can only be waited for would make each try run the
/// gates of the others; then prepares rig by rig, and writes each down at once.
fn prepare_all<'a>(
    town: &'a LiveTown,
    convoy: &Bead,
    yards: &'a [LandingRig],
) -> anyhow::Result<Result<Vec<(MergeJob<'a>, LandingStep)>, LandingInterruption>> {
    let own = integration::read_integration(convoy).unwrap_or_default();
    let mut looked = Vec::new();
    for yard in yards {
        let Some(branch) = own.rigs.get(yard.rig.name()) else {
            continue;
        };
        let job = build_job(town, convoy, yard, branch)?;
        match prepare::check_target(&job) {
            Ok(onto) => looked.push((job, branch, onto)),
            Err(stop) => return Ok(Err(stop)),
        }
    }
    let mut prepared = Vec::new();
    for (job, branch, onto) in looked {
        let step = match prepare::prepare_rig(&job, convoy, branch, onto)? {
            Ok(step) => step,
            Err(stop) => return Ok(Err(stop)),
        };
        integration::change_integration(town, &convoy.id, |own| {
            if let Some(branch) = own.rigs.get_mut(job.rig.name()) {
                branch.landing = Some(step.clone());
            }
        })?;
        prepared.push((job, step));
    }
    Ok(Ok(prepared))
}

fn load_convoy(town: &LiveTown, id: &str) -> anyhow::Result<Bead> {
    let convoys = town.open_town_store()?.snapshot()?;
    let found = convoys
        .get(id)
        .filter(|bead| record::convoy::is_convoy(bead));
    let found = found.filter(|bead| bead.is_open());
    found
        .cloned()
        .ok_or_else(|| anyhow::anyhow!("there is no open convoy `{id}`: not found"))
}

/// The rigs in which the convoy has a branch, each held against its merge queue.
fn lock_rigs(town: &LiveTown, own: &Integration) -> anyhow::Result<Vec<LandingRig>> {
    let mut yards = Vec::new();
    for name in own.rigs.keys() {
        let rig = town.find_rig(name)?;
        yards.push(LandingRig {
            _queue: Lock::try_take(&rig.queue_lock())?,
            store: town.open_rig_store(&rig)?,
            settings: RigSettings::load(town, &rig)?,
            rig,
        });
    }
    Ok(yards)
}

/// The convoy's landing in one rig in the form in which the queue's own steps take their work.
fn build_job<'a>(
    town: &'a LiveTown,
    convoy: &Bead,
    yard: &'a LandingRig,
    branch: &ConvoyBranch,
) -> anyhow::Result<MergeJob<'a>> {
    let git = queue_repository(&yard.rig);
    let receipt = merge_request::Receipt {
        branch: branch.branch.clone(),
        target: branch.target.clone(),
        worker: format!("{}/refinery", yard.rig.name()),
        ..merge_request::Receipt::default()
    };
    Ok(MergeJob {
        town,
        rig: &yard.rig,
        store: &yard.store,
        settings: &yard.settings,
        remote: git.remote_url("origin")?.is_some(),
        git,
        request: convoy.clone(),
        receipt,
    })
}

/// Whether all is done that is to land; the ids of what was judged.
fn check_ready(town: &LiveTown, id: &str, yards: &[LandingRig]) -> anyhow::Result<Vec<String>> {
    let stores = town.read_stores()?;
    let convoy = load_convoy(town, id)?;
    let progress = ProgressBoard::from_stores(&stores).progress(&convoy);
    refuse_escalated(&progress)?;
    let is_own = |id: &str| stores.get(id).is_some_and(merge_task::is_landing_task);
    let open: Vec<String> = progress
        .tracked
        .iter()
        .filter(|bead| bead.standing != BeadStanding::Done && !is_own(&bead.id))
        .map(|bead| format!("{} is {}", bead.id, bead.standing.name()))
        .collect();
    let convoy = id.to_owned();
    anyhow::ensure!(open.is_empty(), NotReadyError::Open { convoy, open });
    for yard in yards {
        refuse_open_requests(id, &stores, yard, progress.integration.as_ref())?;
    }
    Ok(progress.tracked.into_iter().map(|bead| bead.id).collect())
}

fn refuse_open_requests(
    id: &str,
    stores: &TownStores,
    yard: &LandingRig,
    own: Option<&Integration>,
) -> Result<(), NotReadyError> {
    let rig = yard.rig.name();
    let branch = own.and_then(|own| own.rigs.get(rig));
    let (Some(branch), Some(beads)) = (branch, stores.rigs.get(rig)) else {
        return Ok(());
    };
    let requests: Vec<String> = merge_request::open_requests(beads)
        .into_iter()
        .filter(|request| merge_request::receipt_of(request).target == branch.branch)
        .map(|request| request.id.clone())
        .collect();
    if requests.is_empty() {
        return Ok(());
    }
    Err(NotReadyError::OnTheWay {
        convoy: id.to_owned(),
        rig: rig.to_owned(),
        branch: branch.branch.clone(),
        requests,
    })
}

/// Writes down that every rig has landed; not, where the convoy tracks something else by now.
fn begin_closing(town: &LiveTown, id: &str, judged: &[String]) -> anyhow::Result<bool> {
    let store = town.open_town_store()?;
    town.transact(&store, |tx| {
        let Some(mut convoy) = tx.get(id).filter(|bead| bead.is_open()).cloned() else {
            return Ok(false);
        };
        let mut own = integration::read_integration(&convoy).unwrap_or_default();
        let landed =
            |branch: &ConvoyBranch| branch.landing.as_ref().is_some_and(|step| step.landed);
        if !record::convoy::tracked_ids(&convoy).eq(judged) || !own.rigs.values().all(landed) {
            return Ok(false);
        }
        own.closing = true;
        integration::set_integration(&mut convoy, &own)?;
        convoy.updated_at = tx.now();
        tx.put(convoy)?;
        Ok(true)
    })
}

/// Takes the branches away and closes the tasks that stood in the way. What cannot be taken away is told and
/// only in the way.
fn clean_up(town: &LiveTown, id: &str) -> anyhow::Result<()> {
    let bead = load_convoy(town, id)?;
    let own = integration::read_integration(&bead).unwrap_or_default();
    for (name, branch) in &own.rigs {
        let rig = town.find_rig(name)?;
        let git = queue_repository(&rig);
        let remote = git.remote_url("origin")?.is_some();
        let step = branch.landing.clone().unwrap_or_default();
        let kept = merged_ref(id, record::convoy::count_landings(&bead));
        if let Err(error) = remove_landed_branch(&git, remote, (id, &kept), branch, &step) {
            let reason = format!("{error:#}");
            town.record_event(&event!(IntegrationBranchLeft,
                convoy: id, rig: name, branch: branch.branch, reason: reason,
            ));
        }
        task::close_landing_tasks(town, &rig, id)?;
    }
    convoy::close_epic(town, &bead)
}

/// Where the commits of a convoy's branch stay reachable once it has landed; each landing has a ref of its own.
fn merged_ref(id: &str, landings: u64) -> String {
    match landings {
        0 => format!("refs/gt/merged/{id}"),
        more => format!("refs/gt/merged/{id}.{}", more + 1),
    }
}

/// The commits as they were on the branch stay reachable under `refs/gt/merged/`.
fn remove_landed_branch(
    git: &Git,
    remote: bool,
    (id, kept): (&str, &str),
    branch: &ConvoyBranch,
    step: &LandingStep,
) -> anyhow::Result<()> {
    if !step.tip.is_empty() && git.resolve(&step.tip)?.is_some() {
        let old = git.resolve(kept)?;
        git.update_ref(kept, &step.tip, old.as_deref())?;
    }
    let candidate = format!("refs/gt/landing/{id}");
    if let Some(commit) = git.resolve(&candidate)? {
        git.delete_ref(&candidate, &commit)?;
    }
    if integration::read_branch_tip(git, remote, &branch.branch)?.is_some() {
        integration::remove_branch(git, remote, &branch.branch, &step.tip)?;
    }
    Ok(())
}

/// Writes down what a landing waits for.
fn record_waiting(
    town: &LiveTown,
    id: &str,
    rig: &str,
    reason: &str,
    task: Option<String>,
) -> anyhow::Result<LandingOutcome> {
    let mut counts = (0, 0);
    integration::change_integration(town, id, |own| {
        if let Some(branch) = own.rigs.get_mut(rig) {
            reason.clone_into(&mut branch.trouble);
            branch.task = task.clone().unwrap_or_default();
        }
        counts = own.count_landed_rigs();
    })?;
    let waits = WaitingLanding {
        convoy: id.to_owned(),
        landed: counts.0,
        of: counts.1,
        rig: rig.to_owned(),
        reason: reason.to_owned(),
        task,
    };
    if let Ok(event) = serde_json::from_value(json!(waits)) {
        town.record_event(&Event::LandingStopped(event));
    }
    Ok(LandingOutcome::Waits(waits))
}
