//! The sessions of the mayor and of the patrol's roles: started, stopped and kept running.
//!
//! What must always hold: a role that gtd does with plain code gets no session, and one that a person stopped is not
//! started by the patrol.

use kit::sys::file;

use super::session;
use crate::host::{LiveSession, LiveTown};
use crate::record::heartbeat::Heartbeat;
use crate::record::pause::TownPause;
use crate::record::restarts::{self, RestartLimits};
use crate::record::role::{RoleMode, mode_setting_of, role_mode_of};
use crate::town;
use crate::town::identity::Address;

/// A role that gtd does has no session.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("gtd does the work of {agent} and needs no session for it ({setting} is `mechanical`)")]
pub struct MechanicalRole {
    /// The agent.
    pub agent: String,
    /// The setting that gives the role to an agent.
    pub setting: &'static str,
    /// The rig whose setting it is.
    pub rig: Option<String>,
}

impl MechanicalRole {
    /// The command that gives the role to an agent.
    pub fn next_step(&self) -> String {
        let rig = self.rig.as_ref();
        let whose = rig.map_or_else(|| " --town".to_owned(), |rig| format!(" --rig {rig}"));
        format!("gt config set {} agent{whose}", self.setting)
    }
}

/// Fails if the agent does not exist, or is a role that gtd does.
pub fn check_has_session(town: &LiveTown, agent: &Address) -> anyhow::Result<()> {
    if let Some(rig) = agent.rig() {
        town.find_rig(rig)?;
    }
    match (mode_setting_of(agent), role_mode_of(town, agent)) {
        (Some(setting), RoleMode::Mechanical) => Err(MechanicalRole {
            agent: agent.to_string(),
            setting,
            rig: agent.rig().map(str::to_owned),
        }
        .into()),
        _ => Ok(()),
    }
}

/// Starts the session of an agent for a person: earlier starts are forgotten. One that runs is left alone.
pub fn start_role(town: &LiveTown, agent: &Address, runtime: &str) -> anyhow::Result<LiveSession> {
    check_has_session(town, agent)?;
    if mode_setting_of(agent).is_some() {
        restarts::clear_restarts(town, agent)?;
    }
    begin_session(town, agent, runtime)
}

/// Starts the session of an agent for the patrol, and counts that. None if it runs, was stopped, or waits.
pub fn keep_running(
    town: &LiveTown,
    agent: &Address,
    limits: &RestartLimits,
) -> anyhow::Result<Option<String>> {
    let now = town.clock.now();
    let record = restarts::load_restarts(town)?.remove(&agent.to_string());
    let waits = record.is_some_and(|one| one.stopped || one.remaining_wait(now).is_some());
    let runs = session::show::find_session(town, agent)?.is_some_and(|live| live.dead.is_none());
    if waits || runs || check_has_session(town, agent).is_err() {
        return Ok(None);
    }
    // Counted first: a start that kills its caller counts, too.
    restarts::change_restarts(town, agent, |restarts| restarts.count(now, limits))?;
    begin_session(town, agent, "").map(|live| Some(live.name))
}

/// Starts the session of an agent in its folder.
pub(crate) fn begin_session(
    town: &LiveTown,
    agent: &Address,
    runtime: &str,
) -> anyhow::Result<LiveSession> {
    file::create_folder(&town::agent_home(town, agent), 0o755)?;
    session::start::start_agent_session(town, agent, runtime)
}

/// Ends the session of an agent, and lets the patrol not start it again. Says whether it ran.
pub fn stop_role(town: &LiveTown, agent: &Address) -> anyhow::Result<bool> {
    if let Some(rig) = agent.rig() {
        town.find_rig(rig)?;
    }
    if mode_setting_of(agent).is_some() && role_mode_of(town, agent) == RoleMode::Agent {
        restarts::change_restarts(town, agent, |restarts| restarts.stopped = true)?;
    }
    session::end::end_agent_session(town, agent)
}

/// Ends the session of an agent, if it runs, and starts it. Says whether it ran.
pub fn restart_role(
    town: &LiveTown,
    agent: &Address,
    runtime: &str,
) -> anyhow::Result<(bool, LiveSession)> {
    // Before anything is ended: what cannot be started is left alone.
    check_has_session(town, agent)?;
    let was_running = session::end::end_agent_session(town, agent)?;
    Ok((was_running, start_role(town, agent, runtime)?))
}

/// Records that the town was looked after, by the acting agent.
pub fn record_heartbeat(town: &LiveTown, action: &str) -> anyhow::Result<Heartbeat> {
    if let Some(pause) = TownPause::load(town) {
        anyhow::bail!("{}; `gt deacon resume` ends the pause", pause.describe());
    }
    let last = Heartbeat::load(town).unwrap_or_default();
    let next = Heartbeat {
        last_action: action.to_owned(),
        actions: u64::from(!action.is_empty()),
        ..last
    };
    Heartbeat::write_next(town, next)
}
