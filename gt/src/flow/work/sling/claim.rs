//! Claims a bead: reserves bead and worker for each other in one transaction. The loser of a race
//! changes nothing.

use std::collections::BTreeSet;

use bd::bead::{Bead, Kind, Status};
use bd::store::{BeadMark, Snapshot, Tx};

use super::{SlingRequest, leaving, rig_of_home};
use crate::flow::agent::costs;
use crate::flow::agent::seance::usage::RequestCache;
use crate::flow::place::engine::host_of_worker;
use crate::flow::work::convoy::integration;
use crate::host::LiveSession;
use crate::host::LiveTown;
use crate::record::attempt::{self, AttemptEnd};
use crate::record::host_choice::THIS_MACHINE;
use crate::record::merge_request;
use crate::record::polecat::Claim;
use crate::record::polecat::{
    self, Assignment, Polecat, PolecatIds, PolecatState, SlingInProgress, Slot, SlotState,
};
use crate::record::queued_sling::{self, SlingOptions};
use crate::record::scheduler::{StartObstacle, find_start_obstacle, reserve_start};
use crate::town::beads::FoundBead;
use crate::town::config::{self, Namepool, RigSettings, SettingsLayers};
use crate::town::identity::{Address, SessionName, check_worker_name};
use crate::town::lock::{Lock, LockError};
use crate::town::name::Worker;
use crate::town::{Rig, RigLayout, Town, TownLayout};

#[derive(Debug, thiserror::Error, PartialEq)]
pub enum ClaimError {
    #[error("{bead} is already hooked by {holder} (take it away with --force)")]
    Hooked { bead: String, holder: String },
    #[error("{bead} is {status}: only open work can be slung{way_out}")]
    NotOpen {
        bead: String,
        status: String,
        way_out: &'static str,
    },
    /// A merge request for the bead is in the queue.
    #[error("{bead} may be merged right now ({request}): try again in a moment")]
    Merging { bead: String, request: String },
    #[error(
        "{bead} is a record of the town (type {kind}): only work can be slung; `bd ready --json` lists work alone"
    )]
    NoWork { bead: String, kind: String },
    #[error("{bead} is a gate, which no worker opens\n  bd gate resolve {bead}")]
    Gate { bead: String },
    /// The worker has other work.
    #[error("{worker} is at work on {bead} (sling to the rig to get another worker)")]
    WorkerBusy { worker: String, bead: String },
    /// The worker's state does not allow new work.
    #[error("{worker} cannot take work: {why} (`gt polecat status {worker}`)")]
    WorkerUnfit { worker: String, why: String },
    /// The town starts no worker now.
    #[error("no worker is started: {obstacle}")]
    TownFull { obstacle: StartObstacle },
    /// The rig has reached its limit of working polecats.
    #[error("rig `{rig}` has {} at work (setting max_polecats: {limit})", kit::ui::counted(*count, "worker"))]
    Full {
        rig: String,
        /// The number of working polecats.
        count: usize,
        limit: usize,
    },
}

/// The parameters of a claim.
pub struct ClaimRequest<'a> {
    pub request: &'a SlingRequest,
    /// The required worker.
    pub name: Option<&'a str>,
    /// The rescue ref with the uncommitted work of the previous worker.
    pub rescue_ref: Option<&'a str>,
}

/// The result of trying to claim a bead.
pub(super) enum ClaimAttempt {
    Claimed(Box<Claim>),
    /// The rig has no free worker: [`ClaimError::Full`].
    RigFull(ClaimError),
    /// The town starts no worker now.
    TownFull(StartObstacle),
}

impl ClaimAttempt {
    /// Returns the claim. A full rig or town is an error.
    pub(super) fn into_claim(self) -> Result<Box<Claim>, ClaimError> {
        match self {
            Self::Claimed(claim) => Ok(claim),
            Self::RigFull(full) => Err(full),
            Self::TownFull(obstacle) => Err(ClaimError::TownFull { obstacle }),
        }
    }
}

/// Reserves the bead and a worker for each other.
///
/// 1. Outside the transaction: list the sessions, reserve a place in the town, choose a worker, take
///    its slot lock.
/// 2. In one transaction: check that the bead is still open and the worker still free, and mark
///    both.
/// 3. If another process took the worker in the meantime, choose again, unless the worker was
///    named.
pub(super) fn claim_bead(
    town: &LiveTown,
    rig: &Rig,
    wish: &ClaimRequest,
) -> anyhow::Result<ClaimAttempt> {
    let store = rig.store()?;
    let prefix = rig.prefix();
    if wish.name.is_none() {
        leaving::wait_for_leaving(town, rig, &store.snapshot()?, &wish.request.bead)?;
    }
    let sessions = town.host.list()?;
    let target = integration::merge_target_of(rig, &wish.request.bead)?;
    // A named worker, and a bead that another worker has, take no additional place. Held until the
    // worker counts as working.
    let takes_place = wish.name.is_none() && is_open_bead(&store.snapshot()?, &wish.request.bead);
    let layers = [None, Some(rig)].map(|rig| SettingsLayers::load(town, rig));
    let mut requests = RequestCache::default();
    costs::refresh_old_spending(town, layers.iter().flatten(), &mut requests)?;
    if !takes_place && let Some(obstacle) = find_start_obstacle(rig, &wish.request.bead)? {
        return Err(ClaimError::TownFull { obstacle }.into());
    }
    let permit = match takes_place
        .then(|| reserve_start(rig, &wish.request.bead, &wish.request.options))
        .transpose()?
    {
        Some(Err(obstacle)) => return Ok(ClaimAttempt::TownFull(obstacle)),
        Some(Ok(permit)) => Some(permit),
        None => None,
    };
    let limit = RigSettings::load(rig)?.max_polecats();
    let pool = config::namepool_of(rig)?;
    let mut lost = BTreeSet::new();
    loop {
        let snapshot = store.snapshot()?;
        check_bead(&snapshot, wish)?;
        let name = match choose_worker(rig, &snapshot, &sessions, wish, &lost, limit, &pool) {
            Err(full @ ClaimError::Full { .. }) => return Ok(ClaimAttempt::RigFull(full)),
            chosen => chosen?,
        };
        check_polecat_name(rig, &name)?;
        let lock = match rig.try_take_slot(&name) {
            Ok(lock) => lock,
            Err(LockError::Held { .. }) => {
                let worker = format!("{}/polecats/{name}", rig.name());
                let why = "another gt process is at work on it".to_owned();
                anyhow::ensure!(wish.name.is_none(), ClaimError::WorkerUnfit { worker, why });
                lost.insert(name);
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        let ids = PolecatIds::for_polecat(rig, &name);
        let claimed = town.transact(&store, |tx| {
            check_bead(tx, wish)?;
            if !is_worker_free(tx, &ids) {
                return Ok(None);
            }
            queued_sling::remove_queued_in(tx, &prefix, &wish.request.bead)?;
            mark_claimed(rig, tx, wish, &name, &ids, &target).map(Some)
        })?;
        if let Some((bead, slot)) = claimed {
            if let Some(permit) = permit {
                permit.record_start(town)?;
            }
            return Ok(ClaimAttempt::Claimed(Box::new(Claim {
                worker: Worker::new(rig.name(), name),
                bead,
                slot,
                ids,
                lock,
                choice: None,
            })));
        }
        drop(lock);
        let bead = polecat::polecat_hook_of(&store.snapshot()?, &ids).unwrap_or_default();
        let worker = format!("{}/polecats/{name}", rig.name());
        anyhow::ensure!(wish.name.is_none(), ClaimError::WorkerBusy { worker, bead });
        lost.insert(name);
    }
}

/// Returns the claim that a polecat's slot records, if its sling is unfinished.
pub(super) fn reload_claim(rig: &Rig, name: &str, lock: Lock) -> anyhow::Result<Option<Claim>> {
    let ids = PolecatIds::for_polecat(rig, name);
    let snapshot = rig.store()?.snapshot()?;
    let slot = Slot::load(&snapshot, &ids.slot);
    let unfinished =
        matches!(slot.state, SlotState::Slinging(_)) && slot.reload_held(&snapshot, &ids).is_ok();
    let Some(bead) = snapshot
        .get(&slot.bead)
        .filter(|bead| unfinished && bead.is_open())
    else {
        return Ok(None);
    };
    Ok(Some(Claim {
        worker: Worker::new(rig.name(), name),
        bead: bead.clone(),
        slot,
        ids,
        lock,
        choice: None,
    }))
}

fn is_open_bead(beads: &Snapshot, id: &str) -> bool {
    beads
        .get(id)
        .is_some_and(|bead| bead.status == Status::Open)
}

fn check_bead(beads: &Snapshot, wish: &ClaimRequest) -> anyhow::Result<()> {
    let id = &wish.request.bead;
    let Some(bead) = beads.get(id) else {
        return Err(crate::town::beads::UnknownBead { id: id.clone() }.into());
    };
    check_open(bead, wish.request.options.force)?;
    Ok(())
}

/// Checks that a bead may be given to a worker.
pub(super) fn check_open(bead: &Bead, force: bool) -> Result<(), ClaimError> {
    let refuse_status = |way_out| {
        let (bead, status) = (bead.id.clone(), bead.status.to_string());
        Err(ClaimError::NotOpen {
            bead,
            status,
            way_out,
        })
    };
    if bead.issue_type.is_internal() || bead.ephemeral {
        let kind = if bead.ephemeral {
            "wisp".to_owned()
        } else {
            bead.issue_type.to_string()
        };
        let bead = bead.id.clone();
        return Err(ClaimError::NoWork { bead, kind });
    }
    if bead.issue_type == Kind::Gate {
        let bead = bead.id.clone();
        return Err(ClaimError::Gate { bead });
    }
    match &bead.status {
        Status::Closed | Status::Tombstone => refuse_status(" (`bd reopen` opens it again)"),
        Status::Hooked | Status::InProgress | Status::Pinned
            if !bead.assignee.is_empty() && !force =>
        {
            Err(ClaimError::Hooked {
                bead: bead.id.clone(),
                holder: bead.assignee.clone(),
            })
        }
        Status::Deferred | Status::Blocked if !force => refuse_status(" (or use --force)"),
        _ => Ok(()),
    }
}

/// Chooses the worker: the named one, otherwise an idle one, otherwise a new name.
fn choose_worker(
    rig: &Rig,
    beads: &Snapshot,
    sessions: &[LiveSession],
    wish: &ClaimRequest,
    lost: &BTreeSet<String>,
    limit: usize,
    pool: &Namepool,
) -> Result<String, ClaimError> {
    let all = polecat::list_polecats(rig, beads, Some(sessions));
    if let Some(name) = wish.name {
        return match all.iter().find(|polecat| polecat.name == name) {
            Some(polecat) => check_worker(polecat).map(|()| name.to_owned()),
            None => Ok(name.to_owned()),
        };
    }
    // The worker that has this bead gives it up.
    let count = all
        .iter()
        .filter(|polecat| polecat.hook.as_deref() != Some(&wish.request.bead))
        .filter(|polecat| polecat.is_counted_as_working())
        .count();
    if count >= limit {
        let rig = rig.name().to_owned();
        return Err(ClaimError::Full { rig, count, limit });
    }
    let before = leaving::worker_of_blocker(rig, beads, &wish.request.bead);
    let reused = all
        .iter()
        .filter(|polecat| {
            polecat.state == PolecatState::Idle
                && !polecat.busy
                && !lost.contains(&polecat.name)
                && !has_unreachable_session(sessions, polecat)
        })
        .min_by_key(|polecat| Some(&polecat.name) != before.as_ref());
    if let Some(polecat) = reused {
        return Ok(polecat.name.clone());
    }
    let mut used: BTreeSet<String> = lost.clone();
    used.extend(all.into_iter().map(|polecat| polecat.name));
    used.extend(list_polecat_folders(rig));
    Ok(polecat::pick_name(rig.name(), pool, &used))
}

/// Returns true if the last session of a worker may still run on a host that cannot be asked.
fn has_unreachable_session(sessions: &[LiveSession], polecat: &Polecat) -> bool {
    let session = SessionName::for_agent(&polecat.address());
    session.is_some_and(|session| {
        sessions
            .iter()
            .any(|live| live.unreachable.is_some() && live.name == session.as_str())
    })
}

/// Checks the name for any source, because another agent's session could be taken for this
/// worker's.
fn check_polecat_name(rig: &Rig, name: &str) -> anyhow::Result<()> {
    let address = Address::Polecat(rig.name().to_owned(), name.to_owned());
    let registry = rig.town().read_registry()?;
    let rigs = registry.rigs.keys().map(String::as_str);
    Ok(check_worker_name(&address, rigs)?)
}

fn check_worker(polecat: &Polecat) -> Result<(), ClaimError> {
    let worker = polecat.address().to_string();
    if let Some(bead) = &polecat.hook {
        return Err(ClaimError::WorkerBusy {
            worker,
            bead: bead.clone(),
        });
    }
    if polecat.state != PolecatState::Idle {
        return Err(ClaimError::WorkerUnfit {
            worker,
            why: polecat.why.clone(),
        });
    }
    Ok(())
}

/// Returns the names of the folders below `polecats/`, because names without an identity bead are
/// taken too.
fn list_polecat_folders(rig: &RigLayout) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(rig.polecats()) else {
        return Vec::new();
    };
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| !name.starts_with('.'))
        .collect()
}

/// Returns true if the worker is free in this transaction.
fn is_worker_free(tx: &Tx, ids: &PolecatIds) -> bool {
    let known = tx.get(&ids.agent).is_some_and(Bead::is_open);
    !known || polecat::polecat_hook_of(tx, ids).is_none()
}

/// Marks bead and worker as each other's.
fn mark_claimed(
    rig: &Rig,
    tx: &mut Tx,
    wish: &ClaimRequest,
    name: &str,
    ids: &PolecatIds,
    target: &str,
) -> anyhow::Result<(Bead, Slot)> {
    let now = tx.now();
    let bead = hook_bead(
        tx,
        &rig.town().layout,
        &wish.request.bead,
        &ids.address.to_string(),
        &wish.request.options.args,
        wish.rescue_ref,
    )?;
    let old = Slot::load(tx, &ids.slot);
    let worker = Worker::new(rig.name(), name);
    let mut agent = polecat::reserve_identity(tx, rig.name(), name, &ids.agent)?;
    polecat::set_hook(&mut agent, Some(&bead.id), "spawning", &now);
    tx.put(agent)?;
    let slot = Slot {
        lease: old.lease.next(),
        bead: bead.id.as_str().into(),
        attempt: bd::bead::attempt::read_attempt(&bead),
        branch: build_branch_name(name, &bead.id, &now).into(),
        target: target_of_task(tx, &bead).unwrap_or_else(|| target.to_owned()),
        agent: wish.request.options.agent.clone(),
        account: wish.request.options.account.clone(),
        host_name: far_host(&wish.request.options)
            .map(|host| host_of_worker(&rig.town().layout, &host, &worker))
            .transpose()?,
        state: SlotState::Slinging(SlingInProgress {
            no_convoy: wish.request.options.no_convoy,
            no_molecule: wish.request.options.no_molecule,
            ..SlingInProgress::default()
        }),
        since: now.to_string(),
        assignment: Assignment::for_bead(&bead),
        left: old.last_token().to_owned(),
        ..Slot::default()
    };
    slot.save(tx, &ids.slot)?;
    Ok((bead, slot))
}

/// Returns the host of a worker that runs on another machine.
fn far_host(options: &SlingOptions) -> Option<String> {
    let host = options.host.as_ref();
    host.filter(|name| *name != THIS_MACHINE).cloned()
}

/// Returns the target for the result of a conflict or repair task: that of the request for which it
/// was created.
fn target_of_task(beads: &Snapshot, bead: &Bead) -> Option<String> {
    let request = beads.get(&merge_request::resolved_request(bead)?)?;
    Some(merge_request::receipt_of(request).target).filter(|target| !target.is_empty())
}

/// Hooks a bead to an agent and removes it from its holder's hook.
fn hook_bead(
    tx: &mut Tx,
    layout: &TownLayout,
    id: &str,
    holder: &str,
    args: &str,
    kept: Option<&str>,
) -> anyhow::Result<Bead> {
    let now = tx.now();
    let Some(mut bead) = tx.get(id).cloned() else {
        return Err(crate::town::beads::UnknownBead { id: id.to_owned() }.into());
    };
    let why = format!("given to {holder} by {}", tx.actor());
    release_holders(tx, layout, id, &why, kept)?;
    // Read again, because the release adds notes to it.
    bead = tx.get(id).cloned().unwrap_or(bead);
    bead.status = Status::Hooked;
    bead.assignee = holder.to_owned();
    attempt::record_start(&mut bead, &now, tx.actor(), args)?;
    bead.updated_at = now;
    // The work of any earlier worker no longer counts.
    bd::bead::attempt::raise_attempt(&mut bead)?;
    tx.put(bead.clone())?;
    Ok(bead)
}

/// Removes a bead from every hook that names it. A polecat's record starts over under the next
/// lease, so that a running sling or session of it can change nothing more. The bead keeps a note
/// of the polecat's work.
pub(super) fn release_holders(
    tx: &mut Tx,
    layout: &TownLayout,
    id: &str,
    why: &str,
    kept: Option<&str>,
) -> anyhow::Result<()> {
    let now = tx.now();
    let holders: Vec<Bead> = tx
        .select_marked(
            &[BeadMark::Kind(&Kind::Agent), BeadMark::Label("gt:agent")],
            |_| true,
        )
        .filter(|bead| bead.hook_bead == id && bead.id != id)
        .cloned()
        .collect();
    for mut agent in holders {
        let ids = PolecatIds::from_identity_bead(&agent);
        polecat::set_hook(&mut agent, None, "idle", &now);
        let slot = ids.as_ref().map(|ids| Slot::load(tx, &ids.slot));
        if let Some(slot) = slot.filter(|slot| slot.bead == id) {
            polecat::record_abandoned(tx, layout, &mut agent, &slot, false)?;
        }
        tx.put(agent)?;
        if let Some(ids) = ids {
            let slot = Slot::load(tx, &ids.slot);
            let worker = ids.address.to_string();
            let worker = worker.as_str();
            attempt::record_end_in(tx, id, &slot, AttemptEnd { worker, why, kept })?;
            slot.released().save(tx, &ids.slot)?;
        }
    }
    Ok(())
}

/// Hooks a bead to an agent other than a polecat.
pub(super) fn hook_to_agent(
    town: &Town,
    found: &FoundBead,
    address: &Address,
    force: bool,
) -> anyhow::Result<()> {
    let holder = address.to_string();
    town.transact(&found.store, |tx| {
        let id = &found.bead.id;
        let bead = tx
            .get(id)
            .ok_or_else(|| crate::town::beads::UnknownBead { id: id.clone() })?;
        if bead.status == Status::Hooked && bead.assignee == holder {
            return Ok(());
        }
        check_open(bead, force)?;
        if let Some(rig) = rig_of_home(&found.home) {
            queued_sling::remove_queued_in(tx, &town.prefix_of_rig(rig), id)?;
        }
        hook_bead(tx, &town.layout, id, &holder, "", None).map(drop)
    })
}

/// Returns `polecat/<name>/<bead>@<base-36 milliseconds>`.
fn build_branch_name(name: &str, bead: &str, now: &bd::bead::Stamp) -> String {
    format!(
        "polecat/{name}/{bead}@{}",
        format_base36(now.instant().as_millisecond())
    )
}

fn format_base36(number: i64) -> String {
    const DIGITS: [u8; 36] = *b"0123456789abcdefghijklmnopqrstuvwxyz";
    let mut number = number.unsigned_abs();
    let mut digits = Vec::new();
    loop {
        digits.push(char::from(DIGITS[(number % 36) as usize]));
        number /= 36;
        if number == 0 {
            return digits.into_iter().rev().collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn internal_beads_are_not_slung() {
        let of = |issue_type| Bead {
            issue_type,
            ..Bead::default()
        };
        let refused = check_open(&of(Kind::Agent), true);
        assert!(matches!(refused, Err(ClaimError::NoWork { .. })));
        assert_eq!(check_open(&of(Kind::Bug), false), Ok(()));
    }

    #[test]
    fn branch_times_are_base_36() {
        assert_eq!(format_base36(0), "0");
        assert_eq!(format_base36(35), "z");
        assert_eq!(format_base36(1_767_225_600_000), "mjuohs00");
    }
}
