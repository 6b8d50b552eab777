//! Makes and removes the places that an engine keeps for workers on a host.
//!
//! 1. The sling names the place in the worker's slot. Nothing exists yet.
//! 2. Before the sandbox is given, the place is made under a new name at the engine, which its file has
//!    before the engine is asked. A crash leaves no place that the town does not know.
//! 3. A place that its engine ended is made again by the restart of the worker, with the town's copy of
//!    the sandbox.
//! 4. A place that no slot names is removed. Rule P8 repeats that until the engine has done it.

use std::time::Duration;

use anyhow::Context as _;

use crate::flow::place::sandbox::{Sandbox, open_far_host};
use crate::host::far::{
    EnginePlace, HostSettings, HostTransport, LinkState, Place, check_place_name, find_place_end,
    forget_sessions, host_of_place, left_place_name, list_hosts, load_place, object_name,
    place_name, record_place_end, remove_host_file,
};
use crate::record::host_failure::record_host_failure;
use crate::record::polecat::{Polecat, PolecatIds, Slot, SlotState};
use crate::town::lock::Lock;
use crate::town::name::Worker;
use crate::town::{Rig, Town, TownLayout};

/// The length of the random end of a name at an engine, and of the id of the town there.
const OBJECT_ID_LENGTH: usize = 8;
const TOWN_ID_LENGTH: usize = 16;

/// The time for another process that makes or removes the same place.
const PLACE_TIMEOUT: Duration = Duration::from_secs(900);

/// Returns the host that the slot of a worker names: its place, if the chosen host has an engine.
pub(crate) fn host_of_worker(
    town: &TownLayout,
    host: &str,
    worker: &Worker,
) -> anyhow::Result<String> {
    let settings = HostSettings::load(town, host)?;
    let has_engine =
        settings.is_some_and(|settings| matches!(settings.transport, HostTransport::Engine(_)));
    Ok(if has_engine {
        place_name(host, worker)
    } else {
        host.to_owned()
    })
}

/// Returns true if a host is the chosen one of a worker's slot, or has the place that it names.
pub(crate) fn is_on_host(slot: &Slot, host: &str) -> bool {
    let named = slot.host_name.as_deref();
    named.is_some_and(|named| named == host || host_of_place(named) == Some(host))
}

/// Makes a place for new work. An earlier one of the worker is removed.
pub(crate) fn make_place_for_work(rig: &Rig, worker: &str, name: &str) -> anyhow::Result<()> {
    let town = rig.town();
    let _held = Lock::take(&place_lock(&town.layout, name), PLACE_TIMEOUT)?;
    if let Some((_, place)) = load_place(&town.layout, name)? {
        save_last_state(rig, worker, name, &place)?;
        set_aside_object(town, name)?;
    }
    make_place(town, name, Some(Worker::new(rig.name(), worker)))?;
    let host = open_far_host(town, name)?;
    Sandbox::new(rig, worker).forget_host(&host)
}

/// Returns true if the place of a worker that goes on must be made again: its engine ended it, or it
/// never got the sandbox.
pub(crate) fn is_place_lost(town: &Town, name: &str) -> anyhow::Result<bool> {
    let lacks_sandbox = load_place(&town.layout, name)?.is_none_or(|(_, place)| !place.has_sandbox);
    Ok(lacks_sandbox || find_place_end(&town.layout, name).is_some())
}

/// Records that a place has the sandbox of its worker.
pub(crate) fn mark_place_given(town: &Town, name: &str) -> anyhow::Result<()> {
    change_place(town, name, |place| place.has_sandbox = true)
}

/// Makes a place at the engine of its host. If that fails, nothing remains there.
fn make_place(town: &Town, name: &str, worker: Option<Worker>) -> anyhow::Result<()> {
    let host = host_of_place(name).unwrap_or(name);
    let owner = HostSettings::load(&town.layout, host)?
        .with_context(|| format!("there is no host `{host}`; see `gt host list`"))?;
    let place = Place {
        worker,
        object: object_name(name, &town.random.hex(OBJECT_ID_LENGTH)),
        has_sandbox: false,
        identity: None,
        begun: Some(town.clock.now()),
    };
    let settings = HostSettings {
        program: owner.program,
        ..HostSettings::new(HostTransport::Place(place), town.random.hex(TOWN_ID_LENGTH))
    };
    settings.save(&town.layout, name)?;
    let engine = EnginePlace::load(&town.layout, name)?;
    let identity = engine.find_identity();
    let made = engine.make();
    change_place(town, name, |place| {
        place.begun = None;
        place.identity = identity;
    })?;
    if let Err(error) = &made {
        // Rule P8 removes what cannot be removed now.
        remove_object(town, name).ok();
        record_host_failure(town, host, &format!("{error:#}"));
    }
    made.with_context(|| format!("host {host}"))
}

fn change_place(town: &Town, name: &str, change: impl FnOnce(&mut Place)) -> anyhow::Result<()> {
    let (settings, mut place) = load_place(&town.layout, name)?.context("the place was removed")?;
    change(&mut place);
    HostSettings {
        transport: HostTransport::Place(place),
        ..settings
    }
    .save(&town.layout, name)
}

/// Removes the object of a place that is made again. One that the engine may still be making, because
/// its maker was ended, becomes a place of no worker, which rule P8 removes later.
fn set_aside_object(town: &Town, name: &str) -> anyhow::Result<()> {
    let Some((settings, place)) = load_place(&town.layout, name)? else {
        return Ok(());
    };
    if place.begun.is_none() {
        return remove_object(town, name);
    }
    open_far_host(town, name)?.end_link();
    let host = host_of_place(name).unwrap_or(name);
    let left = left_place_name(host, &town.random.hex(OBJECT_ID_LENGTH));
    let transport = HostTransport::Place(Place {
        worker: None,
        ..place
    });
    HostSettings {
        transport,
        ..settings
    }
    .save(&town.layout, &left)?;
    forget_place(town, name)
}

/// Removes a place at its engine, and its file.
fn remove_object(town: &Town, name: &str) -> anyhow::Result<()> {
    open_far_host(town, name)?.end_link();
    let engine = EnginePlace::load(&town.layout, name)?;
    if let Some((_, place)) = load_place(&town.layout, name)?
        && let Some(begun) = place.begun
    {
        let made_by = begun + engine.making_time();
        anyhow::ensure!(
            town.clock.now() > made_by,
            "{} may still be made: it is removed after {made_by:.0}",
            engine.describe()
        );
    }
    engine.remove()?;
    forget_place(town, name)
}

/// Ends a place that a worker uses and that does not answer. Its sessions end with it.
pub(super) fn end_place(town: &Town, name: &str) -> anyhow::Result<()> {
    let _held = Lock::take(&place_lock(&town.layout, name), PLACE_TIMEOUT)?;
    let (_, place) = load_place(&town.layout, name)?.context("the place was removed")?;
    EnginePlace::load(&town.layout, name)?.remove()?;
    record_place_end(&town.layout, name, &place.object, "its place was given up")?;
    open_far_host(town, name)?.end_link();
    Ok(())
}

/// Removes a place of an engine that may not answer any more, and the town's records of it.
pub(super) fn discard_place(town: &Town, name: &str) -> anyhow::Result<()> {
    remove_object(town, name).or_else(|_| forget_place(town, name))
}

fn forget_place(town: &Town, name: &str) -> anyhow::Result<()> {
    forget_sessions(&town.layout, name)?;
    remove_host_file(&town.layout, name)
}

/// Makes a place for a moment, and connects to it.
pub(super) fn with_trial_place<T>(
    town: &Town,
    host: &str,
    connect: impl FnOnce(&str) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let name = check_place_name(host);
    let _held = Lock::take(&place_lock(&town.layout, &name), PLACE_TIMEOUT)?;
    set_aside_object(town, &name)?;
    make_place(town, &name, None)?;
    let connected = connect(&name);
    let removed = remove_object(town, &name);
    let connected = connected?;
    removed?;
    Ok(connected)
}

/// Lists the places of a host.
pub(super) fn list_places(town: &TownLayout, host: &str) -> Vec<String> {
    let mut names = list_hosts(town);
    names.retain(|name| host_of_place(name) == Some(host));
    names
}

/// Returns true if the slot of a worker names a place.
fn is_needed(slot: &Slot, hook: Option<&str>, name: &str) -> bool {
    let has_work = hook.is_some() || slot.state != SlotState::Idle;
    has_work && slot.host_name.as_deref() == Some(name)
}

/// Returns the places that no worker of these needs. `None` for a rig whose workers are not known.
pub(crate) fn find_unneeded_places<'w>(
    town: &TownLayout,
    workers_of: impl Fn(&str) -> Option<&'w [Polecat]>,
) -> Vec<String> {
    let is_unneeded = |name: &String| {
        let Ok(Some((_, place))) = load_place(town, name) else {
            return false;
        };
        let Some(worker) = place.worker else {
            return true;
        };
        let workers = workers_of(&worker.rig);
        workers.is_some_and(|workers| {
            !workers.iter().any(|polecat| {
                polecat.name == worker.name
                    && (polecat.busy || is_needed(&polecat.slot, polecat.hook.as_deref(), name))
            })
        })
    };
    let mut names = list_hosts(town);
    names.retain(|name| host_of_place(name).is_some() && is_unneeded(name));
    names
}

/// Removes a place that no worker needs. `None` if a worker needs it again, or if it is gone.
pub(crate) fn remove_unneeded_place(town: &Town, name: &str) -> anyhow::Result<Option<String>> {
    let _held = Lock::try_take(&place_lock(&town.layout, name))?;
    let Some((_, place)) = load_place(&town.layout, name)? else {
        return Ok(None);
    };
    if let Some(worker) = &place.worker
        && town.read_registry()?.rigs.contains_key(&*worker.rig)
    {
        let rig = town.find_rig(&worker.rig)?;
        let ids = PolecatIds::for_polecat(&rig, &worker.name);
        let beads = rig.store()?.snapshot()?;
        let hook = crate::record::polecat::polecat_hook_of(&beads, &ids);
        if is_needed(&Slot::load(&beads, &ids.slot), hook.as_deref(), name) {
            return Ok(None);
        }
        save_last_state(&rig, &worker.name, name, &place)?;
    }
    remove_object(town, name)?;
    Ok(Some(format!("{} is removed", place.object)))
}

/// Saves what a worker left in its place after the town looked there. A place that its engine ended, or
/// that never got the sandbox, has nothing to save.
fn save_last_state(rig: &Rig, worker: &str, name: &str, place: &Place) -> anyhow::Result<()> {
    let town = rig.town();
    if !place.has_sandbox || find_place_end(&town.layout, name).is_some() {
        return Ok(());
    }
    let context = || {
        format!(
            "{} stays, because its work cannot be saved; without its work, it goes with \
             `gt host remove {name} --gone`",
            place.object
        )
    };
    let host = open_far_host(town, name)?;
    match host.try_connect().with_context(context)? {
        LinkState::Connected { .. } => {}
        LinkState::Unreachable { reason, .. } => {
            return Err(anyhow::anyhow!(reason)).with_context(context);
        }
        LinkState::Connecting => {
            return Err(anyhow::anyhow!("it is being connected")).with_context(context);
        }
    }
    let sandbox = Sandbox::new(rig, worker);
    sandbox.keep_unseen_state(&host).with_context(context)
}

fn place_lock(town: &TownLayout, name: &str) -> std::path::PathBuf {
    town.host(name).join("place.lock")
}
