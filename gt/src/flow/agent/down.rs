//! Stops a town, `gt down`.

use std::time::Duration;

use jiff::Timestamp;
use kit::sys::{clock, file};
use serde::Serialize;

use crate::flow::agent::session;
use crate::flow::place::sandbox;
use crate::host::{LiveSession, LiveTown, daemon};
use crate::record::polecat::{self, Polecat, PolecatIds, Slot};
use crate::town::event::{HaltedWorker, event};
use crate::town::identity::{Address, SessionName};
use crate::town::lock::Lock;
use crate::town::{Rig, TownLayout};

/// The time that a session which starts at the moment gets until it can be ended.
const START_WAIT: Duration = Duration::from_secs(60);

#[derive(Debug, Serialize)]
pub struct DownReport {
    pub daemon: bool,
    pub sessions: Vec<String>,
    /// Workers that were stopped with work on their hooks.
    pub stopped: Vec<InterruptedWorker>,
}

/// A worker that was stopped during its work.
#[derive(Debug, Serialize)]
pub struct InterruptedWorker {
    pub worker: String,
    /// The bead, which stays on the hook.
    pub bead: String,
    pub title: String,
    /// The ref with the uncommitted work. The files also stay in the sandbox.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<String>,
}

/// Stops the daemon, then, unless `daemon_only`, every session of the town's agents. Work stays on
/// its hooks.
pub fn stop_town(town: &LiveTown, daemon_only: bool) -> anyhow::Result<DownReport> {
    // The daemon first, because it would restart the sessions.
    let daemon = daemon::read_daemon_status(town).running;
    if daemon {
        daemon::stop_daemon(town)?;
    } else {
        daemon::record_end(town);
    }
    let (sessions, stopped) = match end_sessions(town, daemon_only) {
        Ok(ended) => ended,
        Err(error) => {
            let daemon = if daemon {
                "the daemon has ended"
            } else {
                "no daemon was running"
            };
            return Err(error.context(format!("{daemon}, but the sessions could not be ended")));
        }
    };
    let ended = stopped.iter().map(|stopped_worker| HaltedWorker {
        polecat: stopped_worker.worker.clone(),
        bead: stopped_worker.bead.clone(),
    });
    town.record_event(&event!(Halt,
        rig: "town", services: sessions, daemon: daemon, stopped: ended.collect::<Vec<_>>(),
    ));
    Ok(DownReport {
        daemon,
        sessions,
        stopped,
    })
}

/// Ends all sessions. Returns their names and the workers that had work.
fn end_sessions(
    town: &LiveTown,
    none: bool,
) -> anyhow::Result<(Vec<String>, Vec<InterruptedWorker>)> {
    if none {
        return Ok((Vec::new(), Vec::new()));
    }
    let rigs = town.list_rigs()?;
    let mut locks = Vec::new();
    for rig in &rigs {
        for polecat in polecat::list_polecats(rig, &rig.store()?.snapshot()?, None) {
            mark_stopped(rig, &polecat)?;
            locks.push(rig.slot_lock(&polecat.name));
        }
    }
    record_halt(town)?;
    let mut ended = Vec::new();
    let mut stopped = Vec::new();
    // A process that starts a session at the moment is waited for, and its session ended too.
    let all_ended = clock::wait_for(START_WAIT, || {
        let free = locks.iter().all(|lock| Lock::is_free(lock));
        let all_ended = end_listed(town, &rigs, &mut ended, &mut stopped);
        (all_ended.is_err() || free).then_some(all_ended)
    });
    for rig in &rigs {
        end_leftovers(rig)?;
    }
    all_ended.unwrap_or(Ok(()))?;
    Ok((ended, stopped))
}

/// Ends the sessions that run now.
fn end_listed(
    town: &LiveTown,
    rigs: &[Rig],
    ended: &mut Vec<String>,
    stopped: &mut Vec<InterruptedWorker>,
) -> anyhow::Result<()> {
    let mut failure = None;
    for live in town.host.list()? {
        let names = rigs.iter().map(|rig| rig.name());
        if let Some(Address::Polecat(rig, name)) = SessionName::parse_address(&live.name, names) {
            stopped.extend(save_worker(&town.rig(&rig), &name, &live)?);
        }
        match town.host.kill(&live.name) {
            Ok(()) => ended.push(live.name),
            // The sessions of other machines must end all the same.
            Err(error) => failure = Some(error),
        }
    }
    failure.map_or(Ok(()), |error| Err(error.into()))
}

/// Decides about the sessions of crew members.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CrewSessions {
    End,
    Keep,
}

/// The ended sessions of a rig.
#[derive(Debug, Default, Serialize)]
pub struct StoppedSessions {
    pub sessions: Vec<String>,
    /// Workers that were stopped with work on their hooks.
    pub stopped: Vec<InterruptedWorker>,
}

impl StoppedSessions {
    /// Returns the stopped workers for an event.
    pub(crate) fn halted_workers(&self) -> Vec<HaltedWorker> {
        self.stopped
            .iter()
            .map(|worker| HaltedWorker {
                polecat: worker.worker.clone(),
                bead: worker.bead.clone(),
            })
            .collect()
    }
}

/// Ends the sessions of a rig's agents, other than the caller's own. Uncommitted work is saved, and
/// the work stays on its hooks.
pub fn stop_rig(town: &LiveTown, rig: &Rig, crew: CrewSessions) -> anyhow::Result<StoppedSessions> {
    let mut locks = Vec::new();
    // Sessions end even if the beads of the rig cannot be read or changed.
    let polecats = rig
        .store()
        .and_then(|store| Ok(store.snapshot()?))
        .map(|beads| polecat::list_polecats(rig, &beads, None));
    let mut failure = None;
    for polecat in polecats.unwrap_or_else(|error| {
        failure = Some(error);
        Vec::new()
    }) {
        if let Err(error) = mark_stopped(rig, &polecat) {
            failure = Some(error);
        }
        locks.push(rig.slot_lock(&polecat.name));
    }
    let rigs = town.list_rigs()?;
    let mut ended = StoppedSessions::default();
    clock::wait_for(START_WAIT, || {
        let free = locks.iter().all(|lock| Lock::is_free(lock));
        let all_ended = end_agents(
            town,
            &rigs,
            |address| {
                address.rig() == Some(rig.name())
                    && *address != town.actor
                    && (crew == CrewSessions::End || !matches!(address, Address::Crew(..)))
            },
            &mut ended,
        );
        (all_ended.is_err() || free).then_some(all_ended)
    })
    .unwrap_or(Ok(()))?;
    end_leftovers(rig)?;
    failure.map_or(Ok(ended), Err)
}

/// Ends every session of the town's agents, other than the caller's own, and keeps the daemon.
pub(super) fn stop_agents(town: &LiveTown) -> anyhow::Result<StoppedSessions> {
    let mut all = StoppedSessions::default();
    let rigs = town.list_rigs()?;
    let mut failure = None;
    for rig in &rigs {
        match stop_rig(town, rig, CrewSessions::End) {
            Ok(of_rig) => {
                all.sessions.extend(of_rig.sessions);
                all.stopped.extend(of_rig.stopped);
            }
            // The other rigs and the town's own agents must stop all the same.
            Err(error) => failure = Some(error.context(format!("rig {}", rig.name()))),
        }
    }
    end_agents(town, &rigs, |agent| *agent != town.actor, &mut all)?;
    failure.map_or(Ok(all), Err)
}

/// Ends the sessions of the wanted agents that run now.
fn end_agents(
    town: &LiveTown,
    rigs: &[Rig],
    is_wanted: impl Fn(&Address) -> bool,
    ended: &mut StoppedSessions,
) -> anyhow::Result<()> {
    let mut failure = None;
    for live in town.host.list()? {
        let names = rigs.iter().map(|rig| rig.name());
        let Some(address) = SessionName::parse_address(&live.name, names) else {
            continue;
        };
        if !is_wanted(&address) {
            continue;
        }
        if let Address::Polecat(rig, name) = &address {
            // The files stay in the sandbox, and the session must end.
            let worker = save_worker(&town.rig(rig), name, &live).ok().flatten();
            ended.stopped.extend(worker);
        }
        match town.host.kill(&live.name) {
            Ok(()) => ended.sessions.push(live.name),
            // The sessions of other machines must end all the same.
            Err(error) => failure = Some(error),
        }
    }
    failure.map_or(Ok(()), |error| Err(error.into()))
}

/// Returns the time of the last `gt down`.
pub fn last_halt(layout: &TownLayout) -> Option<Timestamp> {
    let text = file::read_file_if_exists(&layout.last_halt())
        .ok()
        .flatten()?;
    String::from_utf8(text).ok()?.trim().parse().ok()
}

/// Records the time, so that no session that runs now starts its successor.
fn record_halt(town: &LiveTown) -> anyhow::Result<()> {
    let path = town.layout.last_halt();
    if let Some(folder) = path.parent() {
        file::create_folder(folder, 0o700)?;
    }
    let now = town.clock.now().to_string();
    Ok(file::replace_file_relaxed(&path, now.as_bytes(), 0o600)?)
}

/// Marks a worker with work as stopped, so that a handoff that is under way starts no session.
fn mark_stopped(rig: &Rig, polecat: &Polecat) -> anyhow::Result<()> {
    if polecat.hook.is_none() || polecat.slot.stopped {
        return Ok(());
    }
    let ids = PolecatIds::for_polecat(rig, &polecat.name);
    let store = rig.store()?;
    rig.transact(&store, |tx| {
        // If the bead was taken from the worker in the meantime, nothing restarts it.
        if let Ok(mut slot) = polecat.slot.reload_held(tx, &ids) {
            slot.stopped = true;
            slot.save(tx, &ids.slot)?;
        }
        Ok(())
    })
}

/// Saves a worker's uncommitted work. Returns the worker, if it has work.
fn save_worker(
    rig: &Rig,
    name: &str,
    live: &LiveSession,
) -> anyhow::Result<Option<InterruptedWorker>> {
    let ids = PolecatIds::for_polecat(rig, name);
    let store = rig.store()?;
    let beads = store.snapshot()?;
    let slot = Slot::load(&beads, &ids.slot);
    let saved = sandbox::save_snapshot(rig, name, &slot).unwrap_or_else(|error| {
        // The files stay in the sandbox. A sandbox that git cannot read must not stop the others.
        rig.town()
            .record_event(&event!(SnapshotFailed, polecat: live.name, why: error.to_string()));
        None
    });
    let hook = polecat::polecat_hook_of(&beads, &ids);
    let bead = hook.and_then(|id| beads.get(&id));
    let Some(bead) = bead.filter(|bead| bead.is_open() && live.dead.is_none()) else {
        return Ok(None);
    };
    Ok(Some(InterruptedWorker {
        worker: format!("{}/{name}", rig.name()),
        bead: bead.id.clone(),
        title: bead.title.clone(),
        snapshot: saved.map(|saved| saved.refname),
    }))
}

/// Ends processes that outlived a worker's session.
fn end_leftovers(rig: &Rig) -> anyhow::Result<()> {
    let beads = rig.store()?.snapshot()?;
    for polecat in polecat::list_polecats(rig, &beads, None) {
        let worker = polecat.address().to_string();
        session::end::end_leftover_processes(&rig.town().layout, &worker, &polecat.slot)?;
    }
    Ok(())
}
