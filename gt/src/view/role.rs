//! Describes one agent of the town: its mode and its session.

use serde::Serialize;

use crate::flow::agent::session::show;
use crate::host::LiveTown;
use crate::record::boot_status::BootStatus;
use crate::record::heartbeat::{Heartbeat, HeartbeatFreshness};
use crate::record::pause::TownPause;
use crate::record::restarts::{self, AgentRestarts};
use crate::record::role::{RoleMode, mode_setting_of, role_mode_of};
use crate::town::identity::Address;

#[derive(Debug, Serialize)]
pub struct RoleStatus {
    pub agent: String,
    pub mode: RoleMode,
    pub running: bool,
    /// The session, running or just ended.
    pub session: Option<String>,
    /// True if a user is attached to the session.
    pub attached: bool,
    /// The start time of the session, RFC 3339.
    pub created: Option<String>,
    /// The patrol's starts of the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restarts: Option<AgentRestarts>,
    /// The last heartbeat. Only for the deacon.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heartbeat: Option<AgedHeartbeat>,
    /// The last check of the deacon. Only for boot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_triage: Option<BootStatus>,
    /// The pause. Only for the deacon.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paused: Option<TownPause>,
}

/// A heartbeat with its age class.
#[derive(Debug, Serialize)]
pub struct AgedHeartbeat {
    #[serde(flatten)]
    pub beat: Heartbeat,
    pub freshness: HeartbeatFreshness,
}

/// Reads the status of an agent.
pub fn read_role_status(town: &LiveTown, agent: &Address) -> anyhow::Result<RoleStatus> {
    if let Some(rig) = agent.rig() {
        town.find_rig(rig)?;
    }
    let live = show::find_session(town, agent)?;
    let is_deacon = *agent == Address::Deacon;
    let restarts = match mode_setting_of(agent) {
        Some(_) => restarts::load_restarts(&town.layout)?.remove(&agent.to_string()),
        None => None,
    };
    Ok(RoleStatus {
        agent: agent.to_string(),
        mode: role_mode_of(town, agent),
        running: live.as_ref().is_some_and(|live| live.dead.is_none()),
        attached: live.as_ref().is_some_and(|live| live.attached),
        created: live.as_ref().map(|live| live.created.to_string()),
        session: live.map(|live| live.name),
        restarts,
        heartbeat: Heartbeat::load(&town.layout)
            .filter(|_| is_deacon)
            .map(|beat| AgedHeartbeat {
                freshness: HeartbeatFreshness::from_age(
                    town.clock.now().duration_since(beat.timestamp),
                ),
                beat,
            }),
        last_triage: BootStatus::load(&town.layout).filter(|_| *agent == Address::Boot),
        paused: TownPause::load(&town.layout).filter(|_| is_deacon),
    })
}
