//! Defines the decisions of rules and their actions.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::rule::Rule;
use super::triage::DeaconAction;
use crate::flow::townwide::dog::chore::Chore;
use crate::town::name::{BeadId, RigName, Worker};

/// A decision of a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Decision {
    pub rule: &'static Rule,
    pub saw: String,
    #[serde(flatten)]
    pub action: Action,
}

/// An action of a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum Action {
    /// Ends the sessions of a rig in which nothing may run.
    StopRig {
        rig: RigName,
    },
    SlingQueued {
        rig: RigName,
        bead: BeadId,
    },
    /// Queues a conflict or repair task for a worker.
    QueueRepair {
        rig: RigName,
        bead: BeadId,
    },
    /// Types a notice of new mail into the session of an idle agent.
    NotifyMail {
        agent: String,
    },
    /// Closes a gate bead if its condition holds.
    CheckGate {
        /// The rig. None for the town's own beads.
        rig: Option<RigName>,
        gate: String,
    },
    RunQueue {
        rig: RigName,
        /// A hash of the open requests and of the gates. Another state does not wait for the end of
        /// a failure.
        #[serde(skip)]
        state: String,
    },
    Land {
        convoy: String,
    },
    /// Creates the convoy of an approved request.
    FinishConvoy {
        request: String,
    },
    /// Reports items to the overseer, and closes the messages of resolved ones.
    AskPerson,
    /// Raises an escalation by one severity.
    Reescalate {
        escalation: String,
    },
    /// Answers a decision with its default.
    TakeDefault {
        escalation: String,
    },
    /// Closes a question about a bead that is closed.
    CloseQuestion {
        escalation: String,
        bead: String,
    },
    /// Runs the commands of an escalation that have not run or have failed.
    Deliver {
        escalation: String,
    },
    /// Starts the session of a role in agent mode.
    StartAgent {
        agent: String,
    },
    /// Resets the restart count of an agent that runs well.
    SettleAgent {
        agent: String,
    },
    /// Asks, wakes or restarts the deacon.
    WatchDeacon {
        triage: DeaconAction,
    },
    /// Carries out an agent's request by mail.
    Lifecycle {
        message: String,
    },
    /// Reminds an agent other than a polecat of the bead on its hook.
    NudgeHooked {
        agent: String,
        bead: String,
    },
    DoChore {
        chore: Chore,
    },
    RunPlugin {
        /// The key of the plugin.
        plugin: String,
        /// The rig that the plugin belongs to.
        #[serde(skip_serializing_if = "Option::is_none")]
        rig: Option<String>,
    },
    /// Reports the runs of plugins on a day.
    ReportPlugins {
        day: String,
    },
    /// Commits beads to their branch, merges and pushes it.
    SyncBeads {
        /// The rig. None for the town's own beads.
        rig: Option<RigName>,
    },
    /// Removes a place that an engine made and no worker needs.
    RemovePlace {
        place: String,
    },
    #[serde(untagged)]
    Worker {
        #[serde(rename = "action")]
        verb: WorkerVerb,
        #[serde(flatten)]
        worker: Worker,
    },
}

/// An action on one worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkerVerb {
    /// Continues a sling at its first undone step.
    ResumeSling,
    /// Finishes a `gt done` from its record.
    FinishDone,
    /// Restarts a session in its sandbox.
    Respawn,
    /// Stops restarting the worker. The user gets a message.
    OpenBreaker,
    /// Retries a stuck worker.
    HalfOpen,
    /// Types a reminder into the session of a worker without progress.
    NudgeQuiet,
    /// Restarts a worker without progress.
    RestartQuiet,
    /// Asks a worker whose request the API refused to continue.
    ResumeRefused,
    /// Restarts a session that ended because the API refused its requests.
    RestartRefused,
    /// Ends a session without work.
    EndSession,
    /// Takes a bead that was closed without `gt done` off its hook. Its commits go to a rescue ref.
    Release,
    /// Pushes the commits of unfinished work.
    PushUnfinished,
}

/// The subject of an action. Two actions on one subject exclude each other.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ActionSubject(String);

impl fmt::Display for ActionSubject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The cost of an action. The number of concurrent actions of a kind is limited per rig.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActionKind {
    Start,
    /// Types into a session and waits for the result.
    Talk,
    /// Runs a program that may take long.
    Plugin,
    Other,
}

impl Action {
    /// Returns the rig of the action, if it belongs to one.
    pub fn rig(&self) -> Option<&str> {
        self.rig_and_subject().0
    }

    pub fn subject(&self) -> ActionSubject {
        ActionSubject(self.rig_and_subject().1)
    }

    fn rig_and_subject(&self) -> (Option<&str>, String) {
        match self {
            // A push may take as long as the remote does, so it must not block other actions on the
            // worker.
            Self::Worker {
                verb: WorkerVerb::PushUnfinished,
                worker,
            } => (Some(&worker.rig), format!("branch of {worker}")),
            Self::Worker { worker, .. } => (Some(&worker.rig), format!("worker {worker}")),
            Self::SlingQueued { rig, bead } | Self::QueueRepair { rig, bead } => {
                (Some(rig), format!("bead {bead}"))
            }
            Self::CheckGate { rig, gate } => (rig.as_deref(), format!("gate {gate}")),
            Self::RunQueue { rig, .. } => (Some(rig), format!("queue {rig}")),
            Self::StopRig { rig } => (Some(rig), format!("sessions of {rig}")),
            Self::Land { convoy } => (None, format!("convoy {convoy}")),
            Self::FinishConvoy { request } => (None, format!("request {request}")),
            Self::Reescalate { escalation }
            | Self::TakeDefault { escalation }
            | Self::CloseQuestion { escalation, .. }
            | Self::Deliver { escalation } => (None, format!("escalation {escalation}")),
            Self::DoChore { chore } => (None, format!("chore {}", chore.name())),
            Self::RunPlugin { plugin, rig } => (rig.as_deref(), format!("plugin {plugin}")),
            Self::ReportPlugins { .. } => (None, "report of plugins".to_owned()),
            Self::StartAgent { agent }
            | Self::SettleAgent { agent }
            | Self::NotifyMail { agent }
            | Self::NudgeHooked { agent, .. } => (None, format!("agent {agent}")),
            Self::WatchDeacon { .. } => (None, "agent deacon".to_owned()),
            Self::Lifecycle { message } => (None, format!("message {message}")),
            Self::RemovePlace { place } => (None, format!("place {place}")),
            Self::AskPerson => (None, "messages".to_owned()),
            Self::SyncBeads { rig: Some(rig) } => (Some(rig), format!("beads {rig}")),
            Self::SyncBeads { rig: None } => (None, "beads".to_owned()),
        }
    }

    /// Returns the state of the subject after which a failure of the action does not count. Empty if
    /// each failure counts.
    pub(super) fn state(&self) -> &str {
        match self {
            Self::RunQueue { state, .. } => state,
            _ => "",
        }
    }

    /// Returns true if the action only writes messages, which continue while the town is paused.
    pub fn is_message(&self) -> bool {
        matches!(
            self,
            Self::AskPerson | Self::Reescalate { .. } | Self::Deliver { .. }
        )
    }

    /// Returns the rig in which the action starts or moves an agent, or merges work. None for
    /// actions that a parked or docked rig permits.
    pub fn rig_at_work(&self) -> Option<&str> {
        match self {
            Self::Worker { verb, worker } => match verb {
                WorkerVerb::FinishDone
                | WorkerVerb::EndSession
                | WorkerVerb::Release
                | WorkerVerb::PushUnfinished => None,
                _ => Some(&worker.rig),
            },
            Self::SlingQueued { rig, .. }
            | Self::QueueRepair { rig, .. }
            | Self::RunQueue { rig, .. } => Some(rig),
            Self::CheckGate { rig, .. } => rig.as_deref(),
            Self::RunPlugin { rig, .. } => rig.as_deref(),
            Self::StartAgent { agent }
            | Self::NotifyMail { agent }
            | Self::NudgeHooked { agent, .. } => agent.split_once('/').map(|(rig, _)| rig),
            _ => None,
        }
    }

    pub fn kind(&self) -> ActionKind {
        match self {
            Self::Worker { verb, .. } if verb.starts_session() => ActionKind::Start,
            Self::StartAgent { .. } | Self::SlingQueued { .. } => ActionKind::Start,
            Self::Worker {
                verb: WorkerVerb::NudgeQuiet | WorkerVerb::ResumeRefused,
                ..
            }
            | Self::NudgeHooked { .. }
            | Self::NotifyMail { .. } => ActionKind::Talk,
            Self::RunPlugin { .. } => ActionKind::Plugin,
            _ => ActionKind::Other,
        }
    }
}

impl WorkerVerb {
    /// Returns true if the action starts a session.
    fn starts_session(self) -> bool {
        matches!(
            self,
            Self::ResumeSling | Self::Respawn | Self::RestartQuiet | Self::RestartRefused
        )
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_action_on_a_worker_is_written_like_any_other_action() {
        let respawn = Action::Worker {
            verb: WorkerVerb::Respawn,
            worker: Worker::new("web", "fury"),
        };
        let expected = json!({ "action": "respawn", "rig": "web", "polecat": "fury" });
        assert_eq!(json!(respawn), expected);
        let run = Action::RunQueue {
            rig: "web".into(),
            state: "4f".to_owned(),
        };
        assert_eq!(json!(run), json!({ "action": "run_queue", "rig": "web" }));
    }
}
