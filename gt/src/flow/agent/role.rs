//! Starts, stops and keeps running the sessions of the mayor and of the patrol's roles.
//!
//! A role that gtd does in plain code gets no session. The patrol does not start a role that a user
//! stopped.

use kit::sys::file;

use super::session;
use crate::host::{LiveSession, LiveTown};
use crate::record::heartbeat::Heartbeat;
use crate::record::pause::TownPause;
use crate::record::restarts::{self, RestartLimits};
use crate::record::role::{RoleMode, mode_setting_of, role_mode_of};
use crate::town;
use crate::town::Town;
use crate::town::identity::Address;

/// A role that gtd does has no session.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("gtd does the work of {agent} and needs no session for it ({setting} is `mechanical`)")]
pub struct MechanicalRole {
    pub agent: String,
    /// The setting that gives the role to an agent.
    pub setting: &'static str,
    /// The rig of the setting.
    pub rig: Option<String>,
}

impl MechanicalRole {
    /// Describes the role of an agent that gtd does.
    pub(crate) fn of(agent: &Address) -> Self {
        Self {
            agent: agent.to_string(),
            setting: mode_setting_of(agent).unwrap_or(""),
            rig: agent.rig().map(str::to_owned),
        }
    }

    /// Returns the command that gives the role to an agent.
    pub fn next_step(&self) -> String {
        let rig = self.rig.as_ref();
        let whose = rig.map_or_else(|| " --town".to_owned(), |rig| format!(" --rig {rig}"));
        format!("gt config set {} agent{whose}", self.setting)
    }
}

/// Fails if the agent does not exist or its role is done by gtd.
pub fn check_has_session(town: &Town, agent: &Address) -> anyhow::Result<()> {
    if let Some(rig) = agent.rig() {
        town.find_rig(rig)?;
    }
    match (mode_setting_of(agent), role_mode_of(town, agent)) {
        (Some(_), RoleMode::Mechanical) => Err(MechanicalRole::of(agent).into()),
        _ => Ok(()),
    }
}

/// Starts the session of an agent for a user, and resets the count of its restarts. Does nothing if
/// the session runs.
pub fn start_role(
    town: &LiveTown,
    agent: &Address,
    runtime: Option<&str>,
) -> anyhow::Result<LiveSession> {
    check_has_session(town, agent)?;
    let session = begin_session(town, agent, runtime)?;
    // Cleared afterwards, so that the patrol does not start the session at the same time.
    if mode_setting_of(agent).is_some() {
        restarts::clear_restarts(&town.layout, agent)?;
    }
    Ok(session)
}

/// Starts the session of an agent for the patrol, and counts the restart. None if the session runs,
/// was stopped, or has to wait.
pub fn keep_running(
    town: &LiveTown,
    agent: &Address,
    limits: &RestartLimits,
) -> anyhow::Result<Option<String>> {
    let now = town.clock.now();
    let record = restarts::load_restarts(&town.layout)?.remove(&agent.to_string());
    let waits = record.is_some_and(|record| record.stopped || record.remaining_wait(now).is_some());
    let runs = session::show::find_session(town, agent)?.is_some_and(|live| live.dead.is_none());
    if waits || runs || check_has_session(town, agent).is_err() {
        return Ok(None);
    }
    // Counted first, so that a start that kills its caller counts too.
    restarts::change_restarts(&town.layout, agent, |restarts| restarts.count(now, limits))?;
    begin_session(town, agent, None).map(|live| Some(live.name))
}

/// Starts the session of an agent in its folder.
pub(crate) fn begin_session(
    town: &LiveTown,
    agent: &Address,
    runtime: Option<&str>,
) -> anyhow::Result<LiveSession> {
    file::create_folder(&town::agent_home(town, agent), 0o755)?;
    session::start::start_agent_session(
        town,
        agent,
        session::start::SessionChoice::with_agent(runtime),
    )
}

/// Ends the session of an agent, and keeps the patrol from restarting it. Returns true if the
/// session ran.
pub fn stop_role(town: &LiveTown, agent: &Address) -> anyhow::Result<bool> {
    if let Some(rig) = agent.rig() {
        town.find_rig(rig)?;
    }
    if mode_setting_of(agent).is_some() && role_mode_of(town, agent) == RoleMode::Agent {
        restarts::change_restarts(&town.layout, agent, |restarts| restarts.stopped = true)?;
    }
    session::end::end_agent_session(town, agent)
}

/// Ends the session of an agent, if it runs, and starts it. The flag is true if the session ran.
pub fn restart_role(
    town: &LiveTown,
    agent: &Address,
    runtime: Option<&str>,
) -> anyhow::Result<(bool, LiveSession)> {
    // Checked before the session is ended, so that an agent that cannot be started is left alone.
    check_has_session(town, agent)?;
    let was_running = session::end::end_agent_session(town, agent)?;
    Ok((was_running, start_role(town, agent, runtime)?))
}

/// Records a heartbeat of the deacon's patrol. Fails while the town is paused.
pub fn record_heartbeat(town: &Town, action: Option<&str>) -> anyhow::Result<Heartbeat> {
    if let Some(pause) = TownPause::load(&town.layout) {
        anyhow::bail!("{}; `gt deacon resume` ends the pause", pause.describe());
    }
    let last = Heartbeat::load(&town.layout).unwrap_or_default();
    let action = action.unwrap_or("");
    let next = Heartbeat {
        last_action: action.to_owned(),
        actions: u64::from(!action.is_empty()),
        ..last
    };
    Heartbeat::write_next(town, next)
}
