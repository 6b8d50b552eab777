//! Slings a bead, `gt sling <bead> <target>`:
//!
//! 1. `resolve_target`: find the target (`target`). If `hooks.auto_convoy` is set, the convoy of a
//!    bead without one is created now, with its hooks ([`crate::flow::work::convoy::review`]). If they
//!    refuse, nothing is claimed.
//! 2. `claim_bead`: reserve bead and worker for each other in one transaction (`claim`).
//! 3. `fresh_branch`: save remaining work to a rescue ref, create a new branch from the fetched
//!    target ([`crate::flow::place::sandbox::Sandbox`]). A convoy with branches of its own gets the branch
//!    of this rig first.
//! 4. `ensure_bead_convoy`: a bead that no convoy tracks gets its own ([`crate::flow::work::convoy`]).
//!    The documents of earlier workers of the convoy are written into the sandbox
//!    ([`crate::flow::place::discovery`]), and the rig's formula is poured: its steps guide the worker
//!    ([`crate::flow::work::molecule`]).
//! 5. `start_session`: the agent starts with its identity, work and instructions in its first
//!    message ([`crate::flow::agent::session::start`]).
//!
//! For an epic with children, or a convoy, each open bead is slung (`family`). Several named beads
//! get one convoy before the first of them is claimed (`batch`).
//!
//! From 2 on, each step is recorded in the worker's slot. The next patrol continues a killed sling
//! at the first undone step ([`resume_sling`]), under the same lock.

mod assign;
mod batch;
mod best;
mod claim;
mod enqueue;
mod family;
pub mod formula;
mod leaving;
mod preview;
mod release;
mod target;
mod unsling;

use std::path::PathBuf;
use std::time::Duration;

use bd::bead::{Bead, Status};
use serde::{Deserialize, Serialize};

pub use assign::assign_new_bead;
pub use batch::{SlingBatch, sling_batch};
use claim::ClaimAttempt;
pub use claim::{ClaimError, ClaimRequest};
pub use enqueue::enqueue_bead;
pub use family::expand_family;
pub use preview::{SlingPreview, preview_sling};
pub use release::release_worker;
pub use target::{SlingTarget, resolve_target};
pub use unsling::{ReleaseReport, UnslingReport, release_work, unsling_bead};

use crate::flow::agent::handoff;
use crate::flow::agent::session;
use crate::flow::place::discovery;
use crate::flow::place::host::{check_free_host, choose_host};
use crate::flow::place::rig::check_remote;
use crate::flow::place::sandbox::{PreparationWay, Sandbox, SandboxError, refresh_copy};
use crate::flow::place::town_hook;
use crate::flow::work::convoy::{self, integration};
use crate::flow::work::followup;
use crate::flow::work::molecule;
use crate::flow::work::mq;
use crate::host::LiveTown;
use crate::host::runtime;
use crate::record;
use crate::record::attempt;
use crate::record::host_choice::THIS_MACHINE;
use crate::record::merge_request;
use crate::record::merge_task::MERGE_LABEL;
use crate::record::polecat::{AgentChoice, Claim};
use crate::record::polecat::{SlingStep, Slot};
pub use crate::record::queued_sling::SlingOptions;
use crate::record::scheduler::{StartObstacle, find_start_obstacle};
use crate::town::beads::{BeadsHome, FoundBead};
use crate::town::event::event;
use crate::town::hold::{self, HeldError};
use crate::town::identity::Address;
use crate::town::lock::{Lock, LockError};
use crate::town::{Rig, Town};

/// The number of times that a host is chosen for one sling.
const MAX_HOST_CHOICES: usize = 3;

/// The time limit for the fetch of documents from origin.
const FETCH_TIMEOUT: Duration = Duration::from_secs(10);

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SlingRequest {
    pub bead: String,
    /// The target. Empty for the caller.
    pub target: String,
    #[serde(flatten)]
    pub options: SlingOptions,
}

/// The result of a sling.
#[derive(Debug, Clone, Serialize)]
pub struct SlingReport {
    pub bead: String,
    pub title: String,
    pub target: String,
    /// The convoy that tracks the bead.
    pub convoy: Option<String>,
    pub branch: Option<String>,
    /// The other machine on which the worker runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The session that was started or notified.
    pub session: Option<String>,
    pub sandbox: Option<PreparationWay>,
    /// Files of the repository that are left out of the sandbox. Named once per rig.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hidden: Vec<PathBuf>,
    /// The rescue ref with the remaining work.
    pub rescued: Option<String>,
    /// The blockers of a bead that was queued instead of slung.
    pub waits_for: Vec<String>,
    /// The dialog in the new session that only a user can answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs_person: Option<String>,
    /// The reason why the session could not be started. The bead is on the hook, and the daemon
    /// starts the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_failed: Option<String>,
    /// The command without which the daemon does not start the session either.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_after: Option<String>,
    /// The choice of the agent program, if the records decided it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_choice: Option<AgentChoice>,
}

/// Slings a bead with the steps above.
pub fn sling_bead(town: &LiveTown, request: &SlingRequest) -> anyhow::Result<SlingReport> {
    begin_sling(town, request, SlingTurn::Now)?.finish(town)
}

/// The state of a sling after the claim.
enum SlingProgress<'t> {
    /// On the hook of an agent without a sandbox.
    Slung(Box<SlingReport>),
    /// The bead goes into the queue of a rig.
    Queued(Box<enqueue::WaitingBead>),
    /// A worker has the bead. Its sandbox and session come next.
    Claimed(Rig<'t>, Box<Claim>),
}

impl SlingProgress<'_> {
    fn finish(self, town: &LiveTown) -> anyhow::Result<SlingReport> {
        match self {
            Self::Slung(slung) => Ok(*slung),
            Self::Queued(waiting) => waiting.enqueue(town),
            Self::Claimed(rig, claimed) => finish_sling(town, &rig, &claimed),
        }
    }
}

/// When a bead for a rig may go to a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SlingTurn {
    /// As soon as rig and town have room.
    Now,
    /// Queued: the patrol slings it.
    InQueue,
}

/// Slings a bead up to the claim.
fn begin_sling<'t>(
    town: &'t LiveTown,
    request: &SlingRequest,
    turn: SlingTurn,
) -> anyhow::Result<SlingProgress<'t>> {
    let found = town.find_bead(&request.bead)?;
    let queue_bead = |rig: &Rig, waits_for: Vec<String>| {
        let waiting = enqueue::WaitingBead::new(rig, request, &found.bead, waits_for)?;
        Ok(SlingProgress::Queued(Box::new(waiting)))
    };
    match resolve_target(town, &request.target, &found.home)? {
        SlingTarget::Rig(rig) => {
            let mut waits_for = enqueue::find_blockers(town, &found)?;
            if let Some(hold) = hold::find_hold(Some(&rig), &town.layout) {
                if found.bead.status != Status::Open {
                    return Err(HeldError(hold).into());
                }
                waits_for.push(hold.describe_wait());
                review_convoy(town, request, &found)?;
                return queue_bead(&rig, waits_for);
            }
            if !waits_for.is_empty() && !request.options.force {
                review_convoy(town, request, &found)?;
                return queue_bead(&rig, waits_for);
            }
            check_can_start(town, &rig, &found.bead, request)?;
            review_convoy(town, request, &found)?;
            let is_open = found.bead.status == Status::Open;
            // The patrol slings no blocked bead, so a blocked one that is slung all the same cannot
            // wait in the queue.
            let can_wait = is_open && waits_for.is_empty();
            if turn == SlingTurn::InQueue && can_wait {
                return queue_bead(&rig, vec!["its turn".to_owned()]);
            }
            match claim_worker(town, &rig, request, None)? {
                ClaimAttempt::RigFull(_) if can_wait => {
                    queue_bead(&rig, vec!["a free worker".to_owned()])
                }
                ClaimAttempt::TownFull(obstacle) if can_wait => {
                    queue_bead(&rig, vec![format!("room ({obstacle})")])
                }
                attempt => Ok(SlingProgress::Claimed(rig, attempt.into_claim()?)),
            }
        }
        SlingTarget::Polecat(rig, name) => {
            hold::check_free(town, Some(rig.name()))?;
            if !request.options.create {
                target::check_no_typo(&rig, &rig.store()?.snapshot()?, &name)?;
            }
            check_can_start(town, &rig, &found.bead, request)?;
            review_convoy(town, request, &found)?;
            let attempt = claim_worker(town, &rig, request, Some(&name))?;
            Ok(SlingProgress::Claimed(rig, attempt.into_claim()?))
        }
        SlingTarget::Agent(address) => {
            hold::check_free(town, address.rig())?;
            review_convoy(town, request, &found)?;
            let rig = rig_of_home(&found.home)
                .map(|rig| town.find_rig(rig))
                .transpose()?;
            let queue = match &rig {
                Some(rig) => lock_queue(rig, request)?,
                None => None,
            };
            claim::hook_to_agent(town, &found, &address, request.options.force)?;
            if let (Some(rig), Some(queue)) = (rig, queue) {
                // Errors are ignored, because the next run of the queue withdraws the request.
                mq::withdraw_stale_requests(&rig, &queue).ok();
            }
            let convoy = ensure_bead_convoy(town, &found.bead, request.options.no_convoy)?;
            report_sling(town, &found.bead.id, &address.to_string());
            let running_session = session::start::notify_of_work(town, &address, &found.bead)?;
            let session = running_session.or_else(|| start_idle_agent(town, &address, request));
            Ok(SlingProgress::Slung(Box::new(SlingReport {
                bead: found.bead.id.clone(),
                title: found.bead.title,
                target: address.to_string(),
                convoy,
                branch: None,
                host: None,
                session,
                sandbox: None,
                hidden: Vec::new(),
                rescued: None,
                waits_for: Vec::new(),
                needs_person: None,
                start_failed: None,
                start_after: None,
                agent_choice: None,
            })))
        }
    }
}

/// Continues the sling, or the slings of a batch, that waited for a user's answer. Skips a bead
/// that a worker has or had in the meantime.
pub fn continue_sling(
    town: &LiveTown,
    then: Option<serde_json::Value>,
) -> anyhow::Result<Vec<SlingReport>> {
    let requests: Vec<SlingRequest> = match then {
        None => Vec::new(),
        Some(batch @ serde_json::Value::Array(_)) => serde_json::from_value(batch)?,
        Some(single) => vec![serde_json::from_value(single)?],
    };
    let mut slung = Vec::new();
    let mut failed = None;
    for request in requests {
        // A bead that was deleted in the meantime needs no worker.
        if !town
            .find_bead(&request.bead)
            .is_ok_and(|found| found.bead.status == Status::Open && found.bead.assignee.is_empty())
        {
            continue;
        }
        let batch = SlingBatch {
            beads: vec![request.bead],
            target: request.target,
            options: request.options,
        };
        match sling_batch(town, &batch, |_| {}) {
            Ok(more) => slung.extend(more),
            // The others can be slung all the same.
            Err(error) => failed = Some(error),
        }
    }
    failed.map_or(Ok(slung), Err)
}

/// Creates the convoy of a bead that has none, with its hooks, if `hooks.auto_convoy` requires it.
fn review_convoy(town: &Town, request: &SlingRequest, found: &FoundBead) -> anyhow::Result<()> {
    if request.options.no_convoy
        || found.bead.has_label(MERGE_LABEL)
        || !is_convoy_reviewed(town, &found.home)?
        || !record::convoy::convoys_tracking(&town.open_town_store()?.snapshot()?, &found.bead.id)
            .is_empty()
    {
        return Ok(());
    }
    let purpose = convoy::review::ConvoyPurpose {
        spec: String::new(),
        then: Some(serde_json::to_value(request)?),
    };
    let new = convoy::build_automatic_convoy(&[&found.bead]);
    convoy::review::create_reviewed_convoy(town, &new, purpose).map(drop)
}

/// Returns true if hooks decide about the automatic convoys of beads in this home.
fn is_convoy_reviewed(town: &Town, home: &BeadsHome) -> anyhow::Result<bool> {
    let rig = rig_of_home(home).map(|rig| town.rig(rig));
    let event = town_hook::TownHookEvent::PreConvoy;
    Ok(
        town_hook::has_event_hooks(&town.layout, rig.as_ref(), event)
            && town_hook::are_auto_convoys_reviewed(town, rig.as_ref())?,
    )
}

/// Checks that a session can be started before anything is reserved: tmux exists, and so does the
/// agent.
fn check_can_start(
    town: &LiveTown,
    rig: &Rig,
    bead: &Bead,
    request: &SlingRequest,
) -> anyhow::Result<()> {
    claim::check_open(bead, request.options.force)?;
    town.host.check()?;
    if let Some(host) = &request.options.host
        && host != THIS_MACHINE
    {
        check_free_host(rig, host)?;
    }
    let someone = Address::Polecat(rig.name().to_owned(), String::new());
    let wanted = request.options.agent.as_deref();
    runtime::resolve_runtime(town, Some(rig), &someone, wanted)?;
    Ok(())
}

/// Starts the session of an agent with work and without a session. If that fails, the user gets the
/// command. The caller's own session runs already.
fn start_idle_agent(town: &LiveTown, address: &Address, request: &SlingRequest) -> Option<String> {
    if *address == Address::Overseer || *address == town.actor {
        return None;
    }
    let choice = session::start::SessionChoice {
        agent: None,
        account: request.options.account.as_deref(),
    };
    let started = session::start::start_agent_session(town, address, choice);
    started.ok().map(|live| live.name)
}

/// Reserves bead and worker for each other.
fn claim_worker(
    town: &LiveTown,
    rig: &Rig,
    request: &SlingRequest,
    name: Option<&str>,
) -> anyhow::Result<ClaimAttempt> {
    let queue = lock_queue(rig, request)?;
    let bead = rig.store()?.snapshot()?.get(&request.bead).cloned();
    let choice = match &bead {
        Some(bead) => best::choose_agent(rig, bead, &request.options)?,
        None => None,
    };
    let mut request = request.clone();
    if let Some(choice) = &choice {
        request.options.agent = Some(choice.agent.clone());
    }
    let rescue_ref = save_for_next_worker(rig, &request)?;
    let wanted_host = request.options.host.clone();
    let mut tries = 0;
    let (host, mut attempt) = loop {
        request.options.host.clone_from(&wanted_host);
        let host = match choose_host(rig, bead.as_ref(), &request.options)? {
            Ok(choice) => choice,
            Err(none) => return Ok(ClaimAttempt::TownFull(StartObstacle::NoFreeHost(none))),
        };
        let chosen = host.host.as_deref().unwrap_or(THIS_MACHINE);
        request.options.host = Some(chosen.to_owned());
        let claim = ClaimRequest {
            request: &request,
            name,
            rescue_ref: rescue_ref.as_deref(),
        };
        let attempt = claim::claim_bead(town, rig, &claim)?;
        tries += 1;
        // Another sling may have taken the last place of the host in the meantime.
        match attempt {
            ClaimAttempt::TownFull(StartObstacle::NoFreeHost(_)) if tries < MAX_HOST_CHOICES => {}
            attempt => break (host, attempt),
        }
    };
    let ClaimAttempt::Claimed(claimed) = &mut attempt else {
        return Ok(attempt);
    };
    if let Some(choice) = &choice {
        town.record_event(&event!(AgentChosen,
            bead: claimed.bead.id, agent: choice.agent, reason: choice.reason,
            explored: choice.explored,
        ));
    }
    if let Some(name) = host.host
        && wanted_host.is_none()
    {
        town.record_event(&event!(HostChosen,
            bead: claimed.bead.id, host: name, reason: host.reason,
        ));
    }
    claimed.choice = choice;
    if let Some(queue) = queue {
        // Errors are ignored: a stale request may not merge, and the next run of the queue
        // withdraws it.
        mq::withdraw_stale_requests(rig, &queue).ok();
    }
    report_sling(town, &claimed.bead.id, &claimed.address().to_string());
    let worker = claimed.address();
    if !attempt::was_with(&claimed.bead, &worker.to_string()) {
        // Errors are ignored: a remaining note is read once more and names its bead.
        handoff::withdraw_notes(town, &worker).ok();
    }
    Ok(attempt)
}

/// Saves the uncommitted work of a worker that loses its bead, and returns the rescue ref.
fn save_for_next_worker(rig: &Rig, request: &SlingRequest) -> anyhow::Result<Option<String>> {
    let beads = rig.store()?.snapshot()?;
    let bead = beads.get(&request.bead);
    let holder = bead
        .filter(|bead| bead.status == Status::Hooked)
        .and_then(|bead| rig.town().parse_address(&bead.assignee).ok());
    let Some(Address::Polecat(at, name)) = holder.filter(|_| request.options.force) else {
        return Ok(None);
    };
    // A worker that is being prepared has no work yet.
    let lock = rig.try_take_slot(&name);
    if at != rig.name() || lock.is_err() {
        return Ok(None);
    }
    let slot = Slot::load(
        &beads,
        &Slot::id(&rig.town().prefix_of_rig(&at), &at, &name),
    );
    // A sandbox that git cannot read stays unchanged, and must not block the new worker.
    refresh_copy(rig, &name, &slot);
    let sandbox = Sandbox::new(rig, &name);
    Ok(sandbox.keep_uncommitted(&slot).ok().flatten())
}

/// Locks the merge queue while a bead with a merge request is given to another worker, so that a
/// running merge is not superseded.
fn lock_queue(rig: &Rig, request: &SlingRequest) -> anyhow::Result<Option<Lock>> {
    let beads = rig.store()?.snapshot()?;
    let Some(open) = merge_request::find_open_request(&beads, &request.bead) else {
        return Ok(None);
    };
    let bead = request.bead.clone();
    let request = open.id.clone();
    match Lock::try_take(&rig.queue_lock()) {
        Ok(lock) => Ok(Some(lock)),
        Err(LockError::Held { .. }) => Err(ClaimError::Merging { bead, request }.into()),
        Err(error) => Err(error.into()),
    }
}

/// Continues an unfinished sling of a polecat at the first undone step.
pub fn resume_sling(town: &LiveTown, rig: &Rig, name: &str) -> anyhow::Result<Option<SlingReport>> {
    let lock = rig.try_take_slot(name)?;
    let Some(claimed) = claim::reload_claim(rig, name, lock)? else {
        return Ok(None);
    };
    let slung = finish_sling(town, rig, &claimed)?;
    match slung.start_failed {
        Some(reason) => Err(anyhow::anyhow!(reason)),
        None => Ok(Some(slung)),
    }
}

/// Runs the steps after the claim. Each first checks if it is done.
fn finish_sling(town: &LiveTown, rig: &Rig, claimed: &Claim) -> anyhow::Result<SlingReport> {
    let mut slot = claimed.slot.clone();
    let mut sandbox = None;
    let mut rescued = None;
    let mut hidden = Vec::new();
    let step = slot.state.sling_in_progress().map(|sling| sling.step);
    if step == Some(SlingStep::Claimed) {
        // Processes of the last session must not write into the sandbox while it is prepared.
        let session = session::start::start_session_name(&claimed.ids.address)?;
        session::end::end_polecat_session(town, session.as_str(), &slot)?;
        integration::ensure_branch(rig, &claimed.bead.id, &slot.target)?;
        let stands_on = followup::find_unmerged_base(&rig.store()?.snapshot()?, &claimed.bead);
        let prepared = Sandbox::new(rig, &claimed.worker.name).prepare(
            &slot.branch,
            &slot.target,
            stands_on
                .filter(|on| on.target == slot.target)
                .as_ref()
                .map(|on| on.tip.as_str()),
        );
        if let Err(error @ SandboxError::Incomplete { .. }) = prepared {
            let error = anyhow::Error::from(error);
            record_target_failure(rig, claimed, &mut slot, &format!("{error:#}"))?;
            return Err(error);
        }
        let prepared = prepared?;
        slot.base.clone_from(&prepared.base);
        record_step(rig, claimed, &mut slot, SlingStep::Branched)?;
        town.record_event(&event!(FreshBranch,
            bead: claimed.bead.id, rig: rig.name(), polecat: claimed.worker.name, branch: slot.branch,
            sandbox: prepared.way.as_str(), base: prepared.base, rescue: prepared.rescued,
            fetch_failed: prepared.stale,
        ));
        sandbox = Some(prepared.way);
        rescued = prepared.rescued;
        hidden = prepared.hidden;
    }
    let sling = slot.state.sling_in_progress();
    let no_convoy = sling.is_some_and(|sling| sling.no_convoy);
    let no_molecule = sling.is_some_and(|sling| sling.no_molecule);
    let convoy = ensure_bead_convoy(town, &claimed.bead, no_convoy)?;
    if step.is_some_and(|step| step < SlingStep::Tracked) {
        place_convoy_documents(rig, claimed)?;
        molecule::ensure_molecule(rig, &claimed.bead, no_molecule)?;
        record_step(rig, claimed, &mut slot, SlingStep::Tracked)?;
    }
    let begun = session::start::start_polecat_session(town, rig, claimed, &mut slot);
    let (started, start_failed) = match begun {
        Ok(started) => (Some(started), None),
        Err(error) if is_still_held(rig, claimed, &slot)? => (None, Some(format!("{error:#}"))),
        Err(error) => return Err(error),
    };
    let start_after = match start_failed {
        Some(_) => find_start_obstacle(rig, &claimed.bead.id)?.and_then(|one| one.next_step()),
        None => None,
    };
    Ok(SlingReport {
        bead: claimed.bead.id.clone(),
        title: claimed.bead.title.clone(),
        target: claimed.address().to_string(),
        convoy,
        branch: Some(slot.branch.to_string()),
        host: slot.host_name.clone(),
        session: started.as_ref().map(|started| started.session.clone()),
        sandbox,
        hidden,
        rescued,
        waits_for: Vec::new(),
        needs_person: started.and_then(|started| started.question),
        start_failed,
        start_after,
        agent_choice: claimed.choice.clone(),
    })
}

/// Returns true if the worker still has the bead.
fn is_still_held(rig: &Rig, claimed: &Claim, slot: &Slot) -> anyhow::Result<bool> {
    let beads = rig.store()?.snapshot()?;
    Ok(slot.reload_held(&beads, &claimed.ids).is_ok())
}

/// Records that a step is done, unless another worker got the bead in the meantime.
fn record_step(rig: &Rig, claimed: &Claim, slot: &mut Slot, step: SlingStep) -> anyhow::Result<()> {
    if let Some(sling) = slot.state.sling_in_progress_mut() {
        sling.step = step;
        sling.target_failure = None;
    }
    let store = rig.store()?;
    rig.transact(&store, |tx| {
        slot.reload_held(tx, &claimed.ids)?;
        slot.save(tx, &claimed.ids.slot)
    })
}

/// Records that the target keeps the sling from going on, which is a need of the rig and not of the
/// worker.
fn record_target_failure(
    rig: &Rig,
    claimed: &Claim,
    slot: &mut Slot,
    cause: &str,
) -> anyhow::Result<()> {
    if let Some(sling) = slot.state.sling_in_progress_mut() {
        sling.target_failure = Some(cause.to_owned());
    }
    let store = rig.store()?;
    rig.transact(&store, |tx| {
        slot.reload_held(tx, &claimed.ids)?;
        slot.save(tx, &claimed.ids.slot)
    })
}

/// Returns the convoy that tracks the bead. Creates one if there is none, except for a task of the
/// merge queue, which belongs to the convoy of another bead.
fn ensure_bead_convoy(town: &Town, bead: &Bead, no_convoy: bool) -> anyhow::Result<Option<String>> {
    let tracking = record::convoy::convoys_tracking(&town.open_town_store()?.snapshot()?, &bead.id);
    if let Some(convoy) = tracking.into_iter().next() {
        return Ok(Some(convoy));
    }
    if no_convoy || bead.has_label(MERGE_LABEL) {
        return Ok(None);
    }
    let created = convoy::create_convoy(town, &convoy::build_automatic_convoy(&[bead]))?;
    Ok(Some(created.id))
}

/// Writes the documents of earlier workers of the convoy into the sandbox.
fn place_convoy_documents(rig: &Rig, claimed: &Claim) -> anyhow::Result<()> {
    let convoys = rig.town().open_town_store()?.snapshot()?;
    discovery::retire_landed_documents(rig, &convoys)?;
    let key = discovery::key_of(&convoys, &claimed.bead.id);
    let git = rig.git().with_network(FETCH_TIMEOUT);
    if discovery::is_sent(rig) && check_remote(rig)? {
        // Errors are ignored, because work can start without the documents of other machines.
        discovery::receive_documents(&git, &key, &discovery::machine_identity(rig)).ok();
    }
    let placed = Sandbox::new(rig, &claimed.worker.name).place_documents(&key)?;
    if placed > 0 {
        let polecat = &claimed.worker.name;
        rig.town().record_event(&event!(DiscoveryPlaced,
            bead: claimed.bead.id, rig: rig.name(), polecat: polecat, key: key, files: placed,
        ));
    }
    Ok(())
}

fn report_sling(town: &Town, bead: &str, target: &str) {
    town.record_event(&event!(Sling, bead: bead, target: target));
}

/// Returns the rig of a bead, for a target that must be in the same rig.
fn rig_of_home(home: &BeadsHome) -> Option<&str> {
    match home {
        BeadsHome::Town => None,
        BeadsHome::Rig(rig) => Some(rig),
    }
}
