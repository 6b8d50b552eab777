//! Takes work off a hook: reopens the bead, ends the worker's session, keeps the files.

use std::time::Duration;

use bd::bead::{Bead, Kind, Status};
use bd::store::Store;
use jiff::Timestamp;
use serde::Serialize;

use crate::flow::agent::session;
use crate::flow::place::sandbox::{Sandbox, refresh_copy};
use crate::host::LiveTown;
use crate::host::far::HostSettings;
use crate::record::merge_request;
use crate::record::polecat::Slot;
use crate::town::event::event;
use crate::town::identity::{Address, SessionName};
use crate::town::{Rig, Town};

#[derive(Debug, Clone, Serialize)]
pub struct UnslingReport {
    pub bead: String,
    pub holder: String,
    /// The session that was ended.
    pub session: Option<String>,
    /// The host that the town no longer knows, on which a session may still run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lost_host: Option<String>,
    /// The time of the last work there that reached the town.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_taken: Option<Timestamp>,
    /// The rescue ref of the uncommitted work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept: Option<String>,
}

/// The bead is on no hook.
#[derive(Debug, thiserror::Error)]
#[error("{bead} is on no hook (it is {status})")]
pub(super) struct NotHooked {
    pub bead: String,
    pub status: String,
}

/// Takes a bead off its hook. A polecat's uncommitted work goes to a rescue ref first, and its
/// sandbox stays unchanged.
pub fn unsling_bead(town: &LiveTown, bead: &str) -> anyhow::Result<UnslingReport> {
    let found = town.find_bead(bead)?;
    let bead = found.bead;
    anyhow::ensure!(
        bead.status == Status::Hooked,
        NotHooked {
            bead: bead.id.clone(),
            status: bead.status.to_string()
        }
    );
    let holder = town
        .parse_address(&bead.assignee)
        .unwrap_or(Address::Overseer);
    let mut lost_host = None;
    let mut last_taken = None;
    let (session, kept) = match &holder {
        Address::Polecat(rig, name) => {
            let rig = town.find_rig(rig)?;
            let _slot = rig.take_slot(name, Duration::from_secs(10))?;
            let id = Slot::id(&rig.prefix(), rig.name(), name);
            let beads = found.store.snapshot()?;
            check_still_hooked(&beads, &bead)?;
            let slot = Slot::load(&beads, &id);
            let session = match SessionName::for_agent(&holder) {
                Some(session) if town.actor != holder => {
                    lost_host = find_lost_host(town, &slot)?;
                    if lost_host.is_some() {
                        last_taken = find_last_taken(&rig, name);
                    }
                    session::end::end_polecat_session(town, session.as_str(), &slot)?;
                    lost_host.is_none().then(|| session.to_string())
                }
                _ => None,
            };
            refresh_copy(&rig, name, &slot);
            let kept = Sandbox::new(&rig, name).keep_uncommitted(&slot)?;
            release_bead(town, &found.store, &bead.id, Some((&id, kept.as_deref())))?;
            (session, kept)
        }
        _ => {
            release_bead(town, &found.store, &bead.id, None)?;
            (None, None)
        }
    };
    town.record_event(&event!(Unhook, bead: bead.id, target: holder.to_string()));
    Ok(UnslingReport {
        bead: bead.id,
        holder: bead.assignee,
        session,
        lost_host,
        last_taken,
        kept,
    })
}

/// Returns the host of a worker if the town no longer knows it.
fn find_lost_host(town: &Town, slot: &Slot) -> anyhow::Result<Option<String>> {
    let Some(host) = &slot.host_name else {
        return Ok(None);
    };
    let is_known = HostSettings::load(&town.layout, host)?.is_some();
    Ok((!is_known).then(|| host.clone()))
}

/// Returns the time at which the last change of a sandbox on a host reached the town. None if none did.
fn find_last_taken(rig: &Rig, name: &str) -> Option<Timestamp> {
    let written = std::fs::metadata(rig.far_sandbox(name)).ok()?;
    Timestamp::try_from(written.modified().ok()?).ok()
}

/// A bead that was given back.
#[derive(Debug, Clone, Serialize)]
pub struct ReleaseReport {
    pub bead: String,
    /// The status before.
    pub was: String,
    /// The assignee before.
    pub holder: String,
    /// The session that was ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The rescue ref of the uncommitted work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept: Option<String>,
}

/// Opens a bead again and removes its assignee. Takes it off its hook first.
pub fn release_work(
    town: &LiveTown,
    id: &str,
    reason: Option<&str>,
) -> anyhow::Result<ReleaseReport> {
    let found = town.find_bead(id)?;
    let bead = found.bead;
    anyhow::ensure!(
        bead.issue_type != Kind::Message,
        "{} is a message; `gt mail release {}` gives it back to its queue",
        bead.id,
        bead.id
    );
    anyhow::ensure!(
        !bead.is_internal(),
        "{} is a record of the town ({}) and no work",
        bead.id,
        bead.issue_type
    );
    anyhow::ensure!(
        bead.is_open(),
        "{} is {}; `bd reopen {}` opens it again",
        bead.id,
        bead.status,
        bead.id
    );
    let beads = found.store.snapshot()?;
    let requests = merge_request::open_requests(&beads);
    if let Some(request) = requests
        .iter()
        .find(|request| merge_request::source_bead_of(request) == bead.id)
    {
        anyhow::bail!(
            "the work on {} is handed in as {}; `gt mq reject {}` takes it back",
            bead.id,
            request.id,
            request.id
        );
    }
    let mut report = ReleaseReport {
        bead: bead.id.clone(),
        was: bead.status.to_string(),
        holder: bead.assignee.clone(),
        session: None,
        kept: None,
    };
    if return_to_hook(town, &found.store, &bead)? {
        let unslung = unsling_bead(town, &bead.id)?;
        (report.session, report.kept) = (unslung.session, unslung.kept);
    }
    town.transact(&found.store, |tx| {
        if let Some(mut bead) = tx.get(&bead.id).filter(|bead| bead.is_open()).cloned() {
            bead.status = Status::Open;
            bead.assignee = String::new();
            bead.updated_at = tx.now();
            tx.put(bead)?;
        }
        if let Some(reason) = reason {
            let actor = tx.actor().to_owned();
            bd::change::add_comment(tx, &bead.id, &actor, &format!("Released: {reason}"))?;
        }
        Ok(())
    })?;
    Ok(report)
}

/// Puts work that its worker has marked as in progress back on the worker's hook, from which it can
/// be taken. Returns true if it is on a hook then.
fn return_to_hook(town: &LiveTown, store: &Store, bead: &Bead) -> anyhow::Result<bool> {
    if bead.status == Status::Hooked {
        return Ok(true);
    }
    let Ok(Address::Polecat(rig, name)) = town.parse_address(&bead.assignee) else {
        return Ok(false);
    };
    let id = Slot::id(&town.find_rig(&rig)?.prefix(), &rig, &name);
    if Slot::load(&store.snapshot()?, &id).bead != bead.id {
        return Ok(false);
    }
    town.transact(store, |tx| {
        if let Some(mut bead) = tx.get(&bead.id).filter(|bead| bead.is_open()).cloned() {
            bead.status = Status::Hooked;
            bead.updated_at = tx.now();
            tx.put(bead)?;
        }
        Ok(())
    })?;
    Ok(true)
}

/// Checks that the bead is still on the hook on which it was seen before the holder's slot was
/// locked.
fn check_still_hooked(beads: &bd::store::Snapshot, seen: &Bead) -> Result<(), NotHooked> {
    match beads.get(&seen.id) {
        Some(now) if now.status == Status::Hooked && now.assignee == seen.assignee => Ok(()),
        now => Err(NotHooked {
            bead: seen.id.clone(),
            status: now.map_or("gone".to_owned(), |bead| match bead.status {
                Status::Hooked => format!("on the hook of {} now", bead.assignee),
                ref other => other.to_string(),
            }),
        }),
    }
}

fn release_bead(
    town: &Town,
    store: &bd::store::Store,
    released: &str,
    slot: Option<(&str, Option<&str>)>,
) -> anyhow::Result<()> {
    town.transact(store, |tx| {
        let now = tx.now();
        let why = format!("taken off its hook by {}", tx.actor());
        let kept = slot.and_then(|(_, kept)| kept);
        super::claim::release_holders(tx, &town.layout, released, &why, kept)?;
        if let Some(mut bead) = tx
            .get(released)
            .filter(|bead| bead.status == Status::Hooked)
            .cloned()
        {
            bead.status = Status::Open;
            bead.assignee = String::new();
            bead.updated_at = now;
            bd::bead::attempt::raise_attempt(&mut bead)?;
            tx.put(bead)?;
        }
        match slot {
            Some((id, _)) if Slot::load(tx, id).bead == released => {
                Slot::load(tx, id).released().save(tx, id)
            }
            _ => Ok(()),
        }
    })
}
