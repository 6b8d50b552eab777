//! Types a message into the sessions of many agents.

use serde::Serialize;

use super::nudge::nudge_unless_muted;
use super::recipient::list_agents;
use super::session::show;
use crate::host::LiveTown;
use crate::record::mail::pattern::matches_agent;
use crate::town::config::MessagingSettings;
use crate::town::identity::Address;

#[derive(Debug, Clone, Default)]
pub struct BroadcastRequest {
    pub message: String,
    /// The rig whose agents get it. If `None`, those of all rigs.
    pub rig: Option<String>,
    /// True if it also goes to the agents of roles, not only to workers.
    pub all_roles: bool,
    pub dry_run: bool,
}

#[derive(Debug, Serialize)]
pub struct BroadcastReport {
    pub agents: Vec<BroadcastResult>,
    /// The number of agents that did not get the message.
    pub failed: usize,
}

/// The result for one agent.
#[derive(Debug, Serialize)]
pub struct BroadcastResult {
    pub agent: String,
    pub delivered: bool,
    pub how: String,
    /// The id of the message that keeps the text for a muted agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept: Option<String>,
    #[serde(skip)]
    pub is_failure: bool,
}

/// Types a message into each running session of the requested agents, except the caller's.
pub fn broadcast(town: &LiveTown, request: &BroadcastRequest) -> anyhow::Result<BroadcastReport> {
    let rig = request.rig.as_deref();
    if let Some(rig) = rig {
        town.find_rig(rig)?;
    }
    send_to_running(town, &request.message, request.dry_run, |agent| {
        let is_worker = matches!(agent, Address::Polecat(..) | Address::Crew(..));
        let is_in_rig = rig.is_none() || agent.rig() == rig;
        is_in_rig && *agent != town.actor && (request.all_roles || is_worker)
    })
}

/// Types a message into each running session of a nudge channel of `config/messaging.json`.
pub fn nudge_channel(
    town: &LiveTown,
    name: &str,
    message: &str,
) -> anyhow::Result<BroadcastReport> {
    let mut channels = MessagingSettings::load(&town.layout)?.nudge_channels;
    let Some(patterns) = channels.remove(name) else {
        let known: Vec<String> = channels.into_keys().collect();
        anyhow::bail!(
            "there is no nudge channel `{name}` in config/messaging.json: not found (there are: {})",
            known.join(", ")
        );
    };
    send_to_running(town, message, false, |agent| {
        *agent != town.actor && patterns.iter().any(|pattern| matches_agent(pattern, agent))
    })
}

fn send_to_running(
    town: &LiveTown,
    message: &str,
    is_preview: bool,
    is_asked: impl Fn(&Address) -> bool,
) -> anyhow::Result<BroadcastReport> {
    let mut agents = Vec::new();
    for agent in list_agents(town)?.iter().filter(|agent| is_asked(agent)) {
        let session = show::find_session(town, agent)?;
        if session.is_some_and(|live| live.dead.is_none()) {
            agents.push(send_to_agent(town, agent, message, is_preview));
        }
    }
    let failed = agents.iter().filter(|agent| agent.is_failure).count();
    Ok(BroadcastReport { agents, failed })
}

fn send_to_agent(
    town: &LiveTown,
    agent: &Address,
    message: &str,
    is_preview: bool,
) -> BroadcastResult {
    let mut result = BroadcastResult {
        agent: agent.to_string(),
        delivered: false,
        how: "would get it".to_owned(),
        kept: None,
        is_failure: false,
    };
    if is_preview {
        return result;
    }
    match nudge_unless_muted(town, agent, message) {
        Ok(nudged) => {
            result.delivered = nudged.delivered;
            nudged.how.clone_into(&mut result.how);
            result.kept = nudged.kept;
        }
        Err(error) => {
            result.how = format!("did not get it: {error:#}");
            result.is_failure = true;
        }
    }
    result
}
