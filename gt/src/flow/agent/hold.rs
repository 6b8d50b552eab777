//! Holds a rig or the town: nothing is started there until the hold ends, the running agents are
//! stopped, and their work is kept.
//!
//! 1. Write the hold, so that nothing starts any more.
//! 2. Save the uncommitted work of the running agents, and end their sessions.
//!
//! Ending the hold lets the patrol start the agents with work again.

use serde::Serialize;

use crate::flow::agent::down::{self, CrewSessions, InterruptedWorker, StoppedSessions};
use crate::host::{LiveTown, daemon};
use crate::town::event::event;
use crate::town::hold::{self, EmergencyStop, Hold, HoldState};
use crate::town::{Rig, Town};

/// The result of holding a rig or the town.
#[derive(Debug, Serialize)]
pub struct HoldReport {
    /// The rig. `town` for the whole town.
    pub rig: String,
    pub state: HoldState,
    /// True if the rig or the town was not held in this way before.
    pub changed: bool,
    /// The ended sessions.
    pub sessions: Vec<String>,
    /// Workers that were stopped with work on their hooks.
    pub stopped: Vec<InterruptedWorker>,
    /// The hold that still applies after one ended, or the new one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held: Option<Hold>,
}

/// Parks or docks a rig, and stops its agents.
pub fn hold_rig(town: &LiveTown, rig: &Rig, state: HoldState) -> anyhow::Result<HoldReport> {
    let changed = set_state(rig, state, true)?;
    let ended = down::stop_rig(town, rig, CrewSessions::End)?;
    Ok(report_hold(town, rig.name(), state, changed, ended))
}

/// Ends the parking or docking of a rig.
pub fn release_rig(town: &Town, rig: &Rig, state: HoldState) -> anyhow::Result<HoldReport> {
    let changed = set_state(rig, state, false)?;
    if changed {
        town.record_event(&event!(HoldEnded, rig: rig.name(), state: state));
    }
    daemon::wake_daemon(town);
    Ok(HoldReport {
        rig: rig.name().to_owned(),
        state,
        changed,
        sessions: Vec::new(),
        stopped: Vec::new(),
        held: hold::find_hold(Some(rig), &town.layout),
    })
}

/// Stops all agents of the town. Nothing starts until [`thaw_town`].
pub fn stop_town_agents(town: &LiveTown, reason: &str) -> anyhow::Result<HoldReport> {
    let changed = EmergencyStop::load(&town.layout).is_none();
    EmergencyStop::start(town, reason)?;
    let ended = down::stop_agents(town)?;
    Ok(report_hold(
        town,
        "town",
        HoldState::Stopped,
        changed,
        ended,
    ))
}

/// Ends the stop of the town.
pub fn thaw_town(town: &Town) -> anyhow::Result<HoldReport> {
    let stop = EmergencyStop::end(&town.layout)?;
    if stop.is_some() {
        town.record_event(&event!(HoldEnded, rig: "town", state: HoldState::Stopped));
    }
    daemon::wake_daemon(town);
    Ok(HoldReport {
        rig: "town".to_owned(),
        state: HoldState::Stopped,
        changed: stop.is_some(),
        sessions: Vec::new(),
        stopped: Vec::new(),
        held: None,
    })
}

/// Ends the sessions of a rig's agents and lets the patrol start those with work again.
pub fn restart_rig(town: &LiveTown, rig: &Rig) -> anyhow::Result<StoppedSessions> {
    hold::check_free(town, Some(rig.name()))?;
    let ended = down::stop_rig(town, rig, CrewSessions::Keep)?;
    daemon::wake_daemon(town);
    Ok(ended)
}

fn set_state(rig: &Rig, state: HoldState, is_set: bool) -> anyhow::Result<bool> {
    match state {
        HoldState::Docked => hold::set_docked(rig, is_set),
        HoldState::Parked | HoldState::Stopped => Ok(hold::set_parked(rig, is_set)?),
    }
}

fn report_hold(
    town: &Town,
    name: &str,
    state: HoldState,
    changed: bool,
    ended: StoppedSessions,
) -> HoldReport {
    let rig = (name != "town").then(|| town.rig(name));
    let held = hold::find_hold(rig.as_ref(), &town.layout);
    let reason = held.as_ref().map_or("", |hold| hold.reason.as_str());
    town.record_event(&event!(Held,
        rig: name, state: state, reason: reason, sessions: ended.sessions,
        stopped: ended.halted_workers(),
    ));
    // The beads of a docked rig are synced.
    daemon::wake_daemon(town);
    HoldReport {
        rig: name.to_owned(),
        state,
        changed,
        sessions: ended.sessions,
        stopped: ended.stopped,
        held,
    }
}
