//! What happens when you run `gt sling <bead> <target>`:
//!
//! 1. `resolve_target`: who is to get it (`target`). Where `hooks.auto_convoy` is set, the convoy of a bead that has
//!    none is made now, with its hooks ([`crate::flow::convoy::review`]): what they refuse is not claimed.
//! 2. `claim`: bead and worker are reserved for each other in one transaction, or nothing is (`claim`).
//! 3. `fresh_branch`: leftovers to a rescue ref, a new branch from the fetched target
//!    ([`crate::flow::sandbox::Sandbox`]). A convoy with branches of its own gets the one of this rig first.
//! 4. `ensure_convoy`: a bead that no convoy tracks gets one of its own ([`crate::flow::convoy`]); what earlier
//!    workers of the convoy wrote down is put into the sandbox ([`crate::flow::discovery`]), and the rig's formula is
//!    poured: its steps are the worker's way through the bead ([`crate::flow::molecule`]).
//! 5. `start_session`: the agent starts with identity, work and instruction in its first message
//!    ([`crate::flow::session::start`]).
//!
//! Of an epic with children, or of a convoy, each open bead is slung (`family`).
//!
//! After 2 each step is recorded in the worker's slot. A sling that dies in between is taken up at the
//! first undone step by the next patrol ([`resume`]), which takes the same lock.

mod batch;
mod claim;
mod enqueue;
mod family;
pub mod formula;
mod leaving;
mod release;
mod target;
mod unsling;

use std::time::Duration;

use bd::bead::{Bead, Status};
use bd::git::Git;
use serde::{Deserialize, Serialize};

pub use batch::{SlingBatch, sling_batch};
pub use claim::{ClaimError, ClaimRequest};
pub use enqueue::enqueue_bead;
pub use family::expand_family;
pub use release::release_worker;
pub use target::{SlingTarget, resolve_target};
pub use unsling::{UnslingReport, unsling_bead};

use crate::flow::convoy::{self, integration};
use crate::flow::discovery;
use crate::flow::followup;
use crate::flow::handoff;
use crate::flow::molecule;
use crate::flow::mq;
use crate::flow::sandbox::Sandbox;
use crate::flow::session;
use crate::flow::town_hook;
use crate::host::LiveTown;
use crate::host::runtime;
use crate::record;
use crate::record::attempt;
use crate::record::merge_request;
use crate::record::polecat::Claim;
use crate::record::polecat::{SlingStep, Slot};
use crate::town::RigLayout;
use crate::town::beads::{BeadsHome, FoundBead};
use crate::town::event::event;
use crate::town::identity::Address;
use crate::town::lock::{Lock, LockError};

/// How long origin may take to say which documents it has.
const RECEIVE: Duration = Duration::from_secs(10);

/// What is asked for.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SlingRequest {
    /// The bead.
    pub bead: String,
    /// Who is to get it; empty means the caller.
    pub target: String,
    /// The agent runtime, where not the configured one.
    pub agent: Option<String>,
    /// Takes the bead from its holder.
    pub force: bool,
    /// Makes no convoy for a bead that has none.
    pub no_convoy: bool,
    /// Instructions beside the bead's own text.
    pub args: String,
    /// Gives the worker no steps of a formula.
    pub no_molecule: bool,
}

/// What a sling did.
#[derive(Debug, Clone, Serialize)]
pub struct SlingReport {
    /// The bead.
    pub bead: String,
    /// Its title.
    pub title: String,
    /// Who has it now.
    pub target: String,
    /// The convoy that tracks it.
    pub convoy: Option<String>,
    /// The branch of the work.
    pub branch: Option<String>,
    /// The session, where one was started or told.
    pub session: Option<String>,
    /// How the sandbox was made ready: `added`, `switched`, `repaired`.
    pub sandbox: Option<&'static str>,
    /// The rescue ref that leftovers went to.
    pub rescued: Option<String>,
    /// What the bead waits for, when it was queued instead of slung.
    pub waits_for: Vec<String>,
    /// The dialog in the new session that only a person can answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs_person: Option<String>,
}

/// Slings a bead: the story above, step by step.
pub fn sling_bead(town: &LiveTown, request: &SlingRequest) -> anyhow::Result<SlingReport> {
    begin_sling(town, request)?.finish(town)
}

/// A sling whose bead is where it belongs.
enum SlingProgress {
    /// Nothing is left to do.
    Slung(Box<SlingReport>),
    /// A worker has it; its sandbox and session come next.
    Claimed(RigLayout, Box<Claim>),
}

impl SlingProgress {
    fn finish(self, town: &LiveTown) -> anyhow::Result<SlingReport> {
        match self {
            Self::Slung(slung) => Ok(*slung),
            Self::Claimed(rig, claimed) => finish_sling(town, &rig, &claimed),
        }
    }
}

/// Slings a bead as far as the claim.
fn begin_sling(town: &LiveTown, request: &SlingRequest) -> anyhow::Result<SlingProgress> {
    let slung = |slung| Ok(SlingProgress::Slung(Box::new(slung)));
    let found = town.find_bead(&request.bead)?;
    match resolve_target(town, &request.target, &found.home)? {
        SlingTarget::Rig(rig) => {
            let waits_for = enqueue::find_blockers(town, &found)?;
            if !waits_for.is_empty() && !request.force {
                review_convoy(town, request, &found)?;
                return slung(enqueue_bead(town, &rig, request, &found.bead, waits_for)?);
            }
            check_can_start(town, &rig, &found.bead, request)?;
            review_convoy(town, request, &found)?;
            let claimed = claim_worker(town, &rig, request, None);
            let is_full = |error: &anyhow::Error| {
                matches!(error.downcast_ref(), Some(ClaimError::Full { .. }))
            };
            match claimed {
                Err(error) if is_full(&error) && found.bead.status == Status::Open => {
                    let waits_for = vec!["a free worker".to_owned()];
                    slung(enqueue_bead(town, &rig, request, &found.bead, waits_for)?)
                }
                claimed => Ok(SlingProgress::Claimed(rig, Box::new(claimed?))),
            }
        }
        SlingTarget::Polecat(rig, name) => {
            check_can_start(town, &rig, &found.bead, request)?;
            review_convoy(town, request, &found)?;
            let claimed = claim_worker(town, &rig, request, Some(&name))?;
            Ok(SlingProgress::Claimed(rig, Box::new(claimed)))
        }
        SlingTarget::Agent(address) => {
            review_convoy(town, request, &found)?;
            let rig = rig_of_home(&found.home)
                .map(|rig| town.find_rig(rig))
                .transpose()?;
            let queue = match &rig {
                Some(rig) => lock_queue(town, rig, request)?,
                None => None,
            };
            claim::hook_to_agent(town, &found, &address, request.force)?;
            if let (Some(rig), Some(queue)) = (rig, queue) {
                // As for a worker: what cannot be withdrawn now is withdrawn by the next run.
                mq::withdraw_stale_requests(town, &rig, &queue).ok();
            }
            let convoy = ensure_bead_convoy(town, &found.bead, request.no_convoy)?;
            report_sling(town, &found.bead.id, &address.to_string());
            let told = session::start::notify_of_work(town, &address, &found.bead)?;
            let session = told.or_else(|| start_idle_agent(town, &address));
            slung(SlingReport {
                bead: found.bead.id.clone(),
                title: found.bead.title,
                target: address.to_string(),
                convoy,
                branch: None,
                session,
                sandbox: None,
                rescued: None,
                waits_for: Vec::new(),
                needs_person: None,
            })
        }
    }
}

/// Goes on with a sling that waited for a person's answer, unless someone has or had the bead meanwhile.
pub fn continue_sling(
    town: &LiveTown,
    then: Option<serde_json::Value>,
) -> anyhow::Result<Option<SlingReport>> {
    let Some(then) = then else {
        return Ok(None);
    };
    let request: SlingRequest = serde_json::from_value(then)?;
    let bead = town.find_bead(&request.bead)?.bead;
    if bead.status != Status::Open || !bead.assignee.is_empty() {
        return Ok(None);
    }
    sling_bead(town, &request).map(Some)
}

/// Makes the convoy of a bead that has none, with its hooks, where automatic convoys are to have them.
fn review_convoy(town: &LiveTown, request: &SlingRequest, found: &FoundBead) -> anyhow::Result<()> {
    let rig = rig_of_home(&found.home).map(|rig| town.layout.rig(rig));
    let asks = !request.no_convoy
        && town_hook::has_event_hooks(town, rig.as_ref(), town_hook::TownHookEvent::PreConvoy)
        && town_hook::are_auto_convoys_reviewed(town, rig.as_ref());
    if !asks
        || !record::convoy::convoys_tracking(&town.open_town_store()?.snapshot()?, &found.bead.id)
            .is_empty()
    {
        return Ok(());
    }
    let purpose = convoy::review::ConvoyPurpose {
        spec: String::new(),
        then: Some(serde_json::to_value(request)?),
    };
    convoy::review::create_reviewed_convoy(
        town,
        &convoy::build_automatic_convoy(&found.bead),
        purpose,
    )
    .map(drop)
}

/// Tells what could not be started before anything is reserved: no tmux, no such agent.
fn check_can_start(
    town: &LiveTown,
    rig: &RigLayout,
    bead: &Bead,
    request: &SlingRequest,
) -> anyhow::Result<()> {
    claim::check_open(bead, request.force)?;
    town.host.check()?;
    let someone = Address::Polecat(rig.name().to_owned(), String::new());
    let wanted = request.agent.as_deref().unwrap_or_default();
    runtime::resolve_runtime(town, Some(rig), &someone, wanted)?;
    Ok(())
}

/// Starts the session of an agent that got work and has none. One that cannot be started is for a person, who is told the
/// command; the one who asks runs.
fn start_idle_agent(town: &LiveTown, address: &Address) -> Option<String> {
    if *address == Address::Overseer || *address == town.actor {
        return None;
    }
    let started = session::start::start_agent_session(town, address, "");
    started.ok().map(|live| live.name)
}

/// Reserves bead and worker for each other.
fn claim_worker(
    town: &LiveTown,
    rig: &RigLayout,
    request: &SlingRequest,
    name: Option<&str>,
) -> anyhow::Result<Claim> {
    let queue = lock_queue(town, rig, request)?;
    let kept = save_for_next_worker(town, rig, request)?;
    let kept = kept.as_deref();
    let claimed = claim::claim_bead(
        town,
        rig,
        &ClaimRequest {
            request,
            name,
            rescue_ref: kept,
        },
    )?;
    if let Some(queue) = queue {
        // What cannot be withdrawn now may not merge all the same, and the next run of the queue withdraws it.
        mq::withdraw_stale_requests(town, rig, &queue).ok();
    }
    report_sling(town, &claimed.bead.id, &claimed.address().to_string());
    let worker = claimed.address();
    if !attempt::was_with(&claimed.bead, &worker.to_string()) {
        // A message that cannot be taken back is read once more, and says itself what it is about.
        handoff::withdraw_notes(town, &worker).ok();
    }
    Ok(claimed)
}

/// Keeps what a worker has not committed whose bead goes to someone else; says where.
fn save_for_next_worker(
    town: &LiveTown,
    rig: &RigLayout,
    request: &SlingRequest,
) -> anyhow::Result<Option<String>> {
    let beads = town.open_rig_store(rig)?.snapshot()?;
    let bead = beads.get(&request.bead);
    let hooked = bead.filter(|bead| bead.status == Status::Hooked);
    let holder = hooked.and_then(|bead| town.parse_address(&bead.assignee).ok());
    let Some(Address::Polecat(at, name)) = holder.filter(|_| request.force) else {
        return Ok(None);
    };
    // One that is just being prepared has nothing in hand.
    let lock = Lock::try_take(&rig.slot_lock(&name));
    if at != rig.name() || lock.is_err() {
        return Ok(None);
    }
    let slot = Slot::load(&beads, &Slot::id(&town.prefix_of_rig(&at), &at, &name));
    // A sandbox that git cannot read stays unchanged, and must not keep the bead from someone else.
    let sandbox = Sandbox::new(town, rig, &name);
    Ok(sandbox.keep_uncommitted(&slot).ok().flatten())
}

/// Holds the merge queue while a bead is given to someone else whose work is in it: what is being merged right now must
/// not be superseded half way.
fn lock_queue(
    town: &LiveTown,
    rig: &RigLayout,
    request: &SlingRequest,
) -> anyhow::Result<Option<Lock>> {
    let beads = town.open_rig_store(rig)?.snapshot()?;
    let Some(open) = merge_request::find_open_request(&beads, &request.bead) else {
        return Ok(None);
    };
    let (bead, request) = (request.bead.clone(), open.id.clone());
    match Lock::try_take(&rig.queue_lock()) {
        Ok(lock) => Ok(Some(lock)),
        Err(LockError::Held { .. }) => Err(ClaimError::Merging { bead, request }.into()),
        Err(error) => Err(error.into()),
    }
}

/// Takes up the sling of a polecat whose slot says that it is unfinished, at the first undone step.
pub fn resume_sling(
    town: &LiveTown,
    rig: &RigLayout,
    name: &str,
) -> anyhow::Result<Option<SlingReport>> {
    let lock = Lock::try_take(&rig.slot_lock(name))?;
    let Some(claimed) = claim::reload_claim(town, rig, name, lock)? else {
        return Ok(None);
    };
    finish_sling(town, rig, &claimed).map(Some)
}

/// The steps after the claim. Each looks first whether it is done already.
fn finish_sling(town: &LiveTown, rig: &RigLayout, claimed: &Claim) -> anyhow::Result<SlingReport> {
    let mut slot = claimed.slot.clone();
    let (mut sandbox, mut rescued) = (None, None);
    let step = slot.state.sling_in_progress().map(|sling| sling.step);
    if step == Some(SlingStep::Claimed) {
        // What the last session left must not write into the sandbox while it is made ready.
        let session = session::start::start_session_name(&claimed.ids.address)?;
        session::end::end_polecat_session(town, session.as_str(), &slot)?;
        integration::ensure_branch(town, rig, &claimed.bead.id, &slot.target)?;
        let stands_on =
            followup::find_unmerged_base(&town.open_rig_store(rig)?.snapshot()?, &claimed.bead);
        let stands_on = stands_on.filter(|on| on.target == slot.target);
        let prepared = Sandbox::new(town, rig, &claimed.worker.name).prepare(
            &slot.branch,
            &slot.target,
            stands_on.as_ref().map(|on| on.tip.as_str()),
        )?;
        slot.base.clone_from(&prepared.base);
        record_step(town, rig, claimed, &mut slot, SlingStep::Branched)?;
        town.record_event(&event!(FreshBranch,
            bead: claimed.bead.id, rig: rig.name(), polecat: claimed.worker.name, branch: slot.branch,
            sandbox: prepared.how, base: prepared.base, rescue: prepared.rescued,
            fetch_failed: prepared.stale,
        ));
        (sandbox, rescued) = (Some(prepared.how), prepared.rescued);
    }
    let sling = slot.state.sling_in_progress().cloned().unwrap_or_default();
    let no_convoy = sling.no_convoy;
    let convoy = ensure_bead_convoy(town, &claimed.bead, no_convoy)?;
    if step.is_some_and(|step| step < SlingStep::Tracked) {
        place_convoy_documents(town, rig, claimed)?;
        molecule::ensure_molecule(town, rig, &claimed.bead, sling.no_molecule)?;
        record_step(town, rig, claimed, &mut slot, SlingStep::Tracked)?;
    }
    let started = session::start::start_polecat_session(town, rig, claimed, &mut slot)?;
    Ok(SlingReport {
        bead: claimed.bead.id.clone(),
        title: claimed.bead.title.clone(),
        target: claimed.address().to_string(),
        convoy,
        branch: Some(slot.branch.to_string()),
        session: Some(started.session),
        sandbox,
        rescued,
        waits_for: Vec::new(),
        needs_person: started.question,
    })
}

/// Records that a step is done, unless the bead was given to someone else meanwhile.
fn record_step(
    town: &LiveTown,
    rig: &RigLayout,
    claimed: &Claim,
    slot: &mut Slot,
    step: SlingStep,
) -> anyhow::Result<()> {
    if let Some(sling) = slot.state.sling_in_progress_mut() {
        sling.step = step;
    }
    let store = town.open_rig_store(rig)?;
    town.transact(&store, |tx| {
        slot.reload_held(tx, &claimed.ids)?;
        slot.save(tx, &claimed.ids.slot)
    })
}

/// The convoy that tracks the bead; makes one where none does.
fn ensure_bead_convoy(
    town: &LiveTown,
    bead: &Bead,
    no_convoy: bool,
) -> anyhow::Result<Option<String>> {
    let tracking = record::convoy::convoys_tracking(&town.open_town_store()?.snapshot()?, &bead.id);
    if let Some(convoy) = tracking.into_iter().next() {
        return Ok(Some(convoy));
    }
    if no_convoy {
        return Ok(None);
    }
    convoy::create_automatic_convoy(town, bead).map(Some)
}

/// Puts what earlier workers of the convoy wrote down into the sandbox.
fn place_convoy_documents(town: &LiveTown, rig: &RigLayout, claimed: &Claim) -> anyhow::Result<()> {
    let convoys = town.open_town_store()?.snapshot()?;
    discovery::retire_landed_documents(&Git::at(rig.repo()), rig.name(), &convoys)?;
    let key = discovery::key_of(&convoys, &claimed.bead.id);
    let git = Git::at(rig.repo()).with_network(RECEIVE);
    if discovery::is_sent(town, rig) && git.remote_url("origin")?.is_some() {
        // What other machines sent there is more to read; work can start without it.
        discovery::receive_documents(&git, &key, &discovery::machine_identity(rig)).ok();
    }
    let placed = Sandbox::new(town, rig, &claimed.worker.name).place_documents(&key)?;
    if placed > 0 {
        let polecat = &claimed.worker.name;
        town.record_event(&event!(DiscoveryPlaced,
            bead: claimed.bead.id, rig: rig.name(), polecat: polecat, key: key, files: placed,
        ));
    }
    Ok(())
}

fn report_sling(town: &LiveTown, bead: &str, target: &str) {
    town.record_event(&event!(Sling, bead: bead, target: target));
}

/// The rig in which a bead lives, for a target that must be in the same one.
fn rig_of_home(home: &BeadsHome) -> Option<&str> {
    match home {
        BeadsHome::Town => None,
        BeadsHome::Rig(rig) => Some(rig),
    }
}
