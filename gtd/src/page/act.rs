//! Runs what a user of the page asks for, with the functions of the commands.

use gt::flow::nudge::nudge_unless_muted;
use gt::flow::{escalate, hold, mq};
use gt::host::LiveTown;
use gt::host::daemon::wake_daemon;
use gt::town::beads::BeadsHome;
use gt::town::hold::HoldState;
use serde::Deserialize;

/// A change of the town.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "act", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum PageAction {
    Answer { escalation: String, answer: String },
    Acknowledge { escalation: String },
    Nudge { agent: String, message: String },
    Retry { request: String },
    Reject { request: String, reason: String },
    Park { rig: String },
    Unpark { rig: String },
}

/// Runs the change, and describes the result in one line.
pub(super) fn run_action(town: &LiveTown, action: &PageAction) -> anyhow::Result<String> {
    Ok(match action {
        PageAction::Answer { escalation, answer } => {
            let resolved = escalate::resolve_escalation(town, escalation, answer)?;
            format!("{} is resolved: {}", resolved.id, resolved.details.answer)
        }
        PageAction::Acknowledge { escalation } => {
            let acknowledged = escalate::acknowledge_escalation(town, escalation)?;
            format!("{} is acknowledged", acknowledged.id)
        }
        PageAction::Nudge { agent, message } => {
            let nudged = nudge_unless_muted(town, &town.parse_agent(agent)?, message)?;
            format!("{} {}", nudged.agent, nudged.how)
        }
        PageAction::Retry { request } => {
            let found = town.find_bead(request)?;
            let rig = town.find_rig(rig_of(&found.home, request)?)?;
            let was = mq::retry_request(&rig, &found.store, request)?;
            wake_daemon(town);
            match was {
                Some(_) => format!("{request} is in the queue again"),
                None => format!("{request} is ready to merge already"),
            }
        }
        PageAction::Reject { request, reason } => {
            anyhow::ensure!(!reason.trim().is_empty(), "a rejection needs a reason");
            let found = town.find_bead(request)?;
            let rig = town.find_rig(rig_of(&found.home, request)?)?;
            let rejected = mq::reject_request(&rig, &found.store, request, reason)?;
            wake_daemon(town);
            format!(
                "{request} will not be merged; {} is open again",
                rejected.bead
            )
        }
        PageAction::Park { rig } => {
            hold::hold_rig(town, &town.find_rig(rig)?, HoldState::Parked)?;
            format!("rig {rig} is parked")
        }
        PageAction::Unpark { rig } => {
            hold::release_rig(town, &town.find_rig(rig)?, HoldState::Parked)?;
            format!("rig {rig} is no longer parked")
        }
    })
}

fn rig_of<'a>(home: &'a BeadsHome, request: &str) -> anyhow::Result<&'a str> {
    match home {
        BeadsHome::Rig(rig) => Ok(rig),
        BeadsHome::Town => anyhow::bail!("{request} is no merge request of a rig"),
    }
}
