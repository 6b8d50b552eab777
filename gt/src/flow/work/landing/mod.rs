//! Lands a convoy that has branches of its own: one commit per rig, in two phases.
//!
//! Nothing is pushed before every rig is prepared. A push expects the target at the commit for
//! which the landing was prepared. "Landed" is recorded only after the fetched target contains the
//! commit. A landing in one rig is never undone because another rig refuses.
//!
//! 1. Check that every bead is done, that no request for the branches is open, and that the
//!    branches contain everything that was merged to them.
//! 2. Prepare each rig: build one commit with the whole branch, without discovery documents, on the
//!    current target, and run the rig's gates on it (`prepare`). Record each in the convoy. Repeat
//!    1.
//! 3. Push each rig: check for documents, push, fetch, verify, record (`push`). If a target has
//!    moved in the meantime, repeat from 2 for the rigs that have not landed.
//! 4. Repeat 1, record that the convoy is closing, remove the branches, close the convoy and mail
//!    its subscribers.
//!
//! A blocker becomes a task that the convoy tracks (`task`). Once the task is closed, the landing
//! is retried automatically. After a crash, the next try continues from the recorded steps.

mod prepare;
mod push;
mod task;

use anyhow::Context;
use bd::bead::Bead;
use bd::git::Git;
use bd::store::Store;
use serde::Serialize;

use crate::flow::place::rig::check_remote;
use crate::flow::work::convoy::integration::{self, ConvoyBranch, Integration, LandingStep};
use crate::flow::work::convoy::{
    self, BeadStanding, ConvoyError, ConvoyProgress, LandedConvoy, ProgressBoard, TrackedBead,
};
use crate::flow::work::mq::gate::GateRun;
use crate::flow::work::mq::job::{MergeQueue, queue_repository};
use crate::host::LiveTown;
use crate::record::{self, merge_request, merge_task};
use crate::town::beads::TownStores;
use crate::town::config::RigSettings;
use crate::town::event::{Event, LandingProgress, LandingStop, MergeRef, event};
use crate::town::hold;
use crate::town::lock::Lock;
use crate::town::{Rig, Town};

/// The number of attempts to prepare and push before a landing waits, because its target or its
/// beads keep changing.
const MAX_LANDING_ATTEMPTS: usize = 3;

/// The outcome of a landing.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum LandingOutcome {
    /// Everything is on its targets, and the convoy is closed.
    Landed(LandedConvoy),
    #[serde(rename = "waits")]
    Waiting(WaitingLanding),
}

/// A landing that has to wait.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WaitingLanding {
    pub convoy: String,
    /// The number of rigs that have landed.
    #[serde(rename = "landed")]
    pub landed_rigs: usize,
    /// The number of rigs with work of the convoy.
    #[serde(rename = "of")]
    pub total_rigs: usize,
    /// The rig that the landing waits for.
    pub rig: String,
    pub reason: String,
    /// The task that was created for the reason. None if waiting is enough.
    pub task: Option<String>,
}

impl From<&WaitingLanding> for LandingStop {
    fn from(waiting: &WaitingLanding) -> Self {
        Self {
            convoy: waiting.convoy.clone(),
            reason: waiting.reason.clone(),
            progress: Some(LandingProgress {
                landed_rigs: waiting.landed_rigs,
                total_rigs: waiting.total_rigs,
                rig: waiting.rig.clone(),
                task: waiting.task.clone(),
            }),
        }
    }
}

/// Defines why a convoy is not ready to land.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum NotReadyError {
    #[error("{convoy} cannot land yet: {} (`gt convoy status {convoy}` says what can be done)", unfinished.join(", "))]
    UnfinishedBeads {
        convoy: String,
        /// The beads with their states.
        unfinished: Vec<String>,
    },
    /// A critical escalation blocks the convoy.
    #[error(
        "{convoy} cannot land: the escalation {escalation} blocks it (`gt escalate show {escalation}`)"
    )]
    Escalated { convoy: String, escalation: String },
    /// A merge request for one of the branches is open.
    #[error("{convoy} cannot land yet: {} go to {branch} (`gt mq list {rig}`)", requests.join(", "))]
    OpenRequests {
        convoy: String,
        rig: String,
        branch: String,
        requests: Vec<String>,
    },
}

/// The reason why an attempt to land stops.
enum LandingInterruption {
    /// A target has moved since the landing was prepared.
    Moved,
    /// An outside failure. A later retry may help.
    Later {
        rig: String,
        reason: String,
    },
    /// Someone must act.
    Blocked {
        rig: String,
        blocker: task::LandingBlocker,
    },
    Failed(anyhow::Error),
}

impl<E: Into<anyhow::Error>> From<E> for LandingInterruption {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

/// A rig in which the convoy has a branch, with its merge queue locked.
struct LockedRig<'t> {
    rig: Rig<'t>,
    store: Store,
    settings: RigSettings,
    _queue: Lock,
}

/// Lands every open convoy whose tracked work is all done. A convoy that tracks nothing never
/// lands. A landing that stops is recorded as an event and does not keep other convoys from
/// landing.
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
            Ok(Some(LandingOutcome::Landed(convoy))) => landed.push(convoy),
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

/// Lands a convoy whose tracked work is all done, directly or from branches of its own. `None` if
/// the convoy is closed already, or if beads were added while it was about to be closed.
pub fn land_convoy(town: &LiveTown, id: &str) -> anyhow::Result<Option<LandingOutcome>> {
    let stores = town.read_stores()?;
    let convoy = stores.town.get(id);
    let Some(convoy) =
        convoy.filter(|bead| record::convoy::is_convoy(bead) && !bead.is_tombstone())
    else {
        return Err(ConvoyError::Unknown { id: id.to_owned() }.into());
    };
    if !convoy.is_open() {
        return Ok(None);
    }
    if integration::read_integration(convoy).is_some_and(|integration| !integration.rigs.is_empty())
    {
        return land_branches(town, id).map(Some);
    }
    find_done_beads(town, id)?;
    convoy::close_epic(town, convoy)?;
    // Read again right before closing, because a bead may have been reopened.
    let done_beads = find_done_beads(town, id)?;
    let done_beads: Vec<&str> = done_beads.iter().map(String::as_str).collect();
    Ok(convoy::close_if_done(town, id, &done_beads)?.map(LandingOutcome::Landed))
}

/// Returns the tracked beads of a convoy. Fails if one of them is not done in the stores now, or if
/// there are none.
fn find_done_beads(town: &Town, id: &str) -> anyhow::Result<Vec<String>> {
    let stores = town.read_stores()?;
    let convoy = stores.town.get(id);
    let convoy = convoy.ok_or_else(|| ConvoyError::Unknown { id: id.to_owned() })?;
    let progress = ProgressBoard::from_stores(&stores).progress(convoy);
    refuse_escalated(&progress)?;
    if !progress.is_done() {
        let mut unfinished: Vec<String> = progress
            .tracked
            .iter()
            .filter(|bead| bead.standing != BeadStanding::Done)
            .map(format_standing)
            .collect();
        if unfinished.is_empty() {
            unfinished.push("it tracks nothing".to_owned());
        }
        let convoy = id.to_owned();
        return Err(NotReadyError::UnfinishedBeads { convoy, unfinished }.into());
    }
    Ok(progress.tracked.into_iter().map(|bead| bead.id).collect())
}

fn format_standing(bead: &TrackedBead) -> String {
    format!("{} is {}", bead.id, bead.standing.name())
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

/// Lands a convoy with branches of its own, or continues its landing, with the steps above.
fn land_branches(town: &LiveTown, id: &str) -> anyhow::Result<LandingOutcome> {
    let _landing = Lock::try_take(&town.layout.landing_lock(id))?;
    let convoy = load_convoy(town, id)?;
    let integration = integration::read_integration(&convoy)
        .with_context(|| format!("{id} has no branches to land"))?;
    if !integration.closing {
        for name in integration.rigs.keys() {
            let rig = town.rig(name);
            if let Some(hold) = hold::find_hold(Some(&rig), &town.layout) {
                return record_waiting(town, id, name, &hold.reason, None);
            }
        }
        let locked_rigs = lock_rigs(town, &integration)?;
        for attempt in 1.. {
            let tracked_beads = check_ready(town, id, &locked_rigs)?;
            match prepare_and_push(town, id, &locked_rigs, &tracked_beads) {
                // Checked again, because beads may have been reopened during the pushes.
                Ok(())
                    if check_ready(town, id, &locked_rigs)? == tracked_beads
                        && begin_closing(town, id, &tracked_beads)? =>
                {
                    break;
                }
                Ok(()) | Err(LandingInterruption::Moved) if attempt < MAX_LANDING_ATTEMPTS => {}
                Ok(()) | Err(LandingInterruption::Moved) => {
                    let reason = "its target or its beads change faster than it can land";
                    let rig = integration.rigs.keys().next().map_or("", String::as_str);
                    return record_waiting(town, id, rig, reason, None);
                }
                Err(LandingInterruption::Failed(error)) => return Err(error),
                Err(LandingInterruption::Later { rig, reason }) => {
                    return record_waiting(town, id, &rig, &reason, None);
                }
                Err(LandingInterruption::Blocked { rig, blocker }) => {
                    let blocked_rig = town.find_rig(&rig)?;
                    let (reason, task) = task::create_blocker_task(&blocked_rig, id, &blocker)?;
                    return record_waiting(town, id, &rig, &reason, Some(task));
                }
            }
        }
    }
    clean_up(town, id)?;
    match convoy::close_landed(town, id)? {
        Some(landed) => Ok(LandingOutcome::Landed(landed)),
        None => anyhow::bail!("{id} was closed by someone else in the meantime"),
    }
}

/// Prepares all rigs, then pushes all rigs if the check still holds.
fn prepare_and_push(
    town: &Town,
    id: &str,
    locked_rigs: &[LockedRig],
    tracked_beads: &[String],
) -> Result<(), LandingInterruption> {
    let convoy = load_convoy(town, id)?;
    let prepared = prepare_all(town, &convoy, locked_rigs)?;
    // Checked again, because a bead may have been reopened or work submitted while the gates ran.
    if check_ready(town, id, locked_rigs)? != tracked_beads {
        return Err(LandingInterruption::Moved);
    }
    let commits = prepared.iter().map(|(_, step)| step.candidate.clone());
    town.record_event(&event!(LandingPrepared, convoy: id, commits: commits.collect::<Vec<_>>()));
    for (landing, step) in &prepared {
        if !step.landed {
            push::push_landing(landing, step)?;
        }
    }
    Ok(())
}

/// Checks all targets before any gate runs. Otherwise, one target that has to be waited for would
/// rerun the gates of the others in each try. Then prepares each rig and records it at once.
fn prepare_all<'a>(
    town: &Town,
    convoy: &'a Bead,
    locked_rigs: &'a [LockedRig<'a>],
) -> Result<Vec<(RigLanding<'a>, LandingStep)>, LandingInterruption> {
    let integration = integration::read_integration(convoy);
    let mut landings = Vec::new();
    for LockedRig {
        rig,
        store,
        settings,
        ..
    } in locked_rigs
    {
        let branches = integration.as_ref().map(|integration| &integration.rigs);
        let Some(branch) = branches
            .and_then(|branches| branches.get(rig.name()))
            .cloned()
        else {
            continue;
        };
        let landing = RigLanding {
            queue: MergeQueue::open(rig, store, settings)?,
            convoy,
            branch,
        };
        let onto = prepare::check_target(&landing)?;
        landings.push((landing, onto));
    }
    let mut prepared = Vec::new();
    for (landing, onto) in landings {
        let step = prepare::prepare_rig(&landing, onto)?;
        integration::change_integration(town, &convoy.id, |integration| {
            if let Some(branch) = integration.rigs.get_mut(landing.queue.rig.name()) {
                branch.landing = Some(step.clone());
            }
        })?;
        prepared.push((landing, step));
    }
    Ok(prepared)
}

fn load_convoy(town: &Town, id: &str) -> anyhow::Result<Bead> {
    let convoys = town.open_town_store()?.snapshot()?;
    convoys
        .get(id)
        .filter(|bead| record::convoy::is_convoy(bead))
        .filter(|bead| bead.is_open())
        .cloned()
        .ok_or_else(|| anyhow::anyhow!("there is no open convoy `{id}`: not found"))
}

/// Returns the rigs in which the convoy has a branch, each with its merge queue locked.
fn lock_rigs<'t>(town: &'t Town, integration: &Integration) -> anyhow::Result<Vec<LockedRig<'t>>> {
    let mut locked_rigs = Vec::new();
    for name in integration.rigs.keys() {
        let rig = town.find_rig(name)?;
        locked_rigs.push(LockedRig {
            _queue: Lock::try_take(&rig.queue_lock())?,
            store: rig.store()?,
            settings: RigSettings::load(&rig)?,
            rig,
        });
    }
    Ok(locked_rigs)
}

/// The landing of a convoy in one rig.
struct RigLanding<'a> {
    queue: MergeQueue<'a>,
    convoy: &'a Bead,
    branch: ConvoyBranch,
}

impl RigLanding<'_> {
    /// Returns the run of the gates for this landing.
    fn gate_run(&self) -> GateRun<'_> {
        let rig = self.queue.rig.name();
        GateRun {
            queue: &self.queue,
            target: &self.branch.target,
            subject: MergeRef {
                mr: self.convoy.id.clone(),
                rig: rig.to_owned(),
                worker: format!("{rig}/refinery"),
                branch: self.branch.branch.clone(),
                ..MergeRef::default()
            },
        }
    }
}

/// Returns the tracked beads of a convoy with branches of its own. Fails if one of them is not
/// done, the landing's own tasks aside, or if a request for one of the branches is open.
fn check_ready(town: &Town, id: &str, locked_rigs: &[LockedRig]) -> anyhow::Result<Vec<String>> {
    let stores = town.read_stores()?;
    let convoy = load_convoy(town, id)?;
    let progress = ProgressBoard::from_stores(&stores).progress(&convoy);
    refuse_escalated(&progress)?;
    let unfinished: Vec<String> = progress
        .tracked
        .iter()
        .filter(|bead| bead.standing != BeadStanding::Done)
        .filter(|bead| {
            !stores
                .get(&bead.id)
                .is_some_and(merge_task::is_landing_task)
        })
        .map(format_standing)
        .collect();
    let convoy = id.to_owned();
    anyhow::ensure!(
        unfinished.is_empty(),
        NotReadyError::UnfinishedBeads { convoy, unfinished }
    );
    for locked in locked_rigs {
        refuse_open_requests(id, &stores, locked, progress.integration.as_ref())?;
    }
    Ok(progress.tracked.into_iter().map(|bead| bead.id).collect())
}

fn refuse_open_requests(
    id: &str,
    stores: &TownStores,
    locked: &LockedRig,
    integration: Option<&Integration>,
) -> Result<(), NotReadyError> {
    let rig = locked.rig.name();
    let branch = integration.and_then(|integration| integration.rigs.get(rig));
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
    Err(NotReadyError::OpenRequests {
        convoy: id.to_owned(),
        rig: rig.to_owned(),
        branch: branch.branch.clone(),
        requests,
    })
}

/// Records that every rig has landed. Returns false if the tracked beads have changed.
fn begin_closing(town: &Town, id: &str, tracked_beads: &[String]) -> anyhow::Result<bool> {
    let store = town.open_town_store()?;
    town.transact(&store, |tx| {
        let Some(mut convoy) = tx.get(id).filter(|bead| bead.is_open()).cloned() else {
            return Ok(false);
        };
        let Some(mut integration) = integration::read_integration(&convoy) else {
            return Ok(false);
        };
        if !record::convoy::tracked_ids(&convoy).eq(tracked_beads)
            || !integration
                .rigs
                .values()
                .all(|branch| branch.landing.as_ref().is_some_and(|step| step.landed))
        {
            return Ok(false);
        }
        integration.closing = true;
        integration::set_integration(&mut convoy, &integration)?;
        convoy.updated_at = tx.now();
        tx.put(convoy)?;
        Ok(true)
    })
}

/// Removes the branches, and closes the landing's tasks and the convoy's epic. A branch that cannot
/// be removed is reported and otherwise harmless.
fn clean_up(town: &Town, id: &str) -> anyhow::Result<()> {
    let bead = load_convoy(town, id)?;
    let integration = integration::read_integration(&bead);
    for (name, branch) in integration.iter().flat_map(|found| &found.rigs) {
        let rig = town.find_rig(name)?;
        let git = queue_repository(&rig);
        let remote = check_remote(&rig)?;
        let step = branch.landing.clone().unwrap_or_default();
        let merged_ref = merged_ref_name(id, record::convoy::count_landings(&bead));
        if let Err(error) = remove_landed_branch(&git, remote, id, &merged_ref, branch, &step) {
            let reason = format!("{error:#}");
            town.record_event(&event!(IntegrationBranchLeft,
                convoy: id, rig: name, branch: branch.branch, reason: reason,
            ));
        }
        task::close_landing_tasks(&rig, id)?;
    }
    convoy::close_epic(town, &bead)
}

/// Returns the ref that keeps the commits of a landed convoy's branch. Each landing has its own
/// ref.
fn merged_ref_name(id: &str, landings: u64) -> String {
    match landings {
        0 => format!("refs/gt/merged/{id}"),
        earlier => format!("refs/gt/merged/{id}.{}", earlier + 1),
    }
}

/// Removes a branch. Its commits stay reachable under `refs/gt/merged/`.
fn remove_landed_branch(
    git: &Git,
    remote: bool,
    id: &str,
    merged_ref: &str,
    branch: &ConvoyBranch,
    step: &LandingStep,
) -> anyhow::Result<()> {
    if !step.tip.is_empty() && git.resolve(&step.tip)?.is_some() {
        let old = git.resolve(merged_ref)?;
        git.update_ref(merged_ref, &step.tip, old.as_deref())?;
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

/// Records why a landing waits, in the convoy and as an event.
fn record_waiting(
    town: &Town,
    id: &str,
    rig: &str,
    reason: &str,
    task: Option<String>,
) -> anyhow::Result<LandingOutcome> {
    let mut landed_rigs = 0;
    let mut total_rigs = 0;
    integration::change_integration(town, id, |integration| {
        if let Some(branch) = integration.rigs.get_mut(rig) {
            reason.clone_into(&mut branch.trouble);
            branch.task.clone_from(&task);
        }
        (landed_rigs, total_rigs) = integration.count_landed_rigs();
    })?;
    let waiting = WaitingLanding {
        convoy: id.to_owned(),
        landed_rigs,
        total_rigs,
        rig: rig.to_owned(),
        reason: reason.to_owned(),
        task,
    };
    town.record_event(&Event::LandingStopped((&waiting).into()));
    Ok(LandingOutcome::Waiting(waiting))
}
