//! What a rule decides, and everything that can be done about it.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::rule::Rule;
use super::triage::DeaconAction;
use crate::flow::dog::chore::Chore;
use crate::town::name::{BeadId, RigName, Worker};

/// What a rule wants done, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Decision {
    /// The rule.
    pub rule: &'static Rule,
    /// What it saw.
    pub saw: String,
    /// What is to be done.
    #[serde(flatten)]
    pub action: Action,
}

/// What can be done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum Action {
    /// Goes on with a sling at its first undone step.
    ResumeSling(Worker),
    /// Finishes a `gt done` from its record.
    FinishDone(Worker),
    /// Starts a session again in its sandbox.
    Respawn(Worker),
    /// Stops starting it again. A person hears of it.
    OpenBreaker(Worker),
    /// Tries a stuck worker again.
    HalfOpen(Worker),
    /// Types a reminder into the session of a worker that makes no progress.
    NudgeQuiet(Worker),
    /// Restarts a worker that makes no progress.
    RestartQuiet(Worker),
    /// Tells a worker whose request the API refused to go on.
    ResumeRefused(Worker),
    /// Starts a session again that ended because the API refused its requests.
    RestartRefused(Worker),
    /// Ends a session that has no work any more.
    EndSession(Worker),
    /// Takes a bead off a hook that was closed without `gt done`; its commits go to a rescue ref.
    Release(Worker),
    /// Pushes the commits of unfinished work.
    PushUnfinished(Worker),
    /// Slings a queued bead.
    SlingQueued {
        /// The rig.
        rig: RigName,
        /// The bead.
        bead: BeadId,
    },
    /// Queues a conflict or repair task for a worker.
    QueueRepair {
        /// The rig.
        rig: RigName,
        /// The task.
        bead: BeadId,
    },
    /// Runs a merge queue.
    RunQueue {
        /// The rig.
        rig: RigName,
    },
    /// Lands a convoy.
    Land {
        /// The convoy.
        convoy: String,
    },
    /// Makes the convoy of an approved request.
    FinishConvoy {
        /// The request.
        request: String,
    },
    /// Writes to the overseer what needs a person, and closes messages about what is over.
    AskPerson,
    /// Raises an escalation one severity.
    Reescalate {
        /// The escalation.
        escalation: String,
    },
    /// Answers a decision with its default.
    TakeDefault {
        /// The escalation.
        escalation: String,
    },
    /// Runs the commands of an escalation that were not run or failed.
    Deliver {
        /// The escalation.
        escalation: String,
    },
    /// Starts the session of a role in agent mode.
    StartAgent {
        /// The agent's address.
        agent: String,
    },
    /// Forgets the starts of an agent that runs well.
    SettleAgent {
        /// The agent's address.
        agent: String,
    },
    /// Asks, wakes or restarts the deacon.
    WatchDeacon {
        /// What is done.
        triage: DeaconAction,
    },
    /// Carries out what an agent asked for by mail.
    Lifecycle {
        /// The message.
        message: String,
    },
    /// Reminds an agent that is no polecat of the bead on its hook.
    NudgeHooked {
        /// The agent's address.
        agent: String,
        /// The bead.
        bead: String,
    },
    /// Does a chore.
    DoChore {
        /// The chore.
        chore: Chore,
    },
    /// Commits beads to their branch, merges and pushes it.
    SyncBeads {
        /// The rig; none for the town's own beads.
        rig: Option<RigName>,
    },
}

/// What an action is about: two actions on one subject exclude each other.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ActionSubject(String);

impl fmt::Display for ActionSubject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What an action costs. So many of a kind may run at the same time in a rig.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActionKind {
    /// It starts a session.
    Start,
    /// It types into a session, and waits for what comes of that.
    Talk,
    /// Anything else.
    Other,
}

impl Action {
    /// The rig that it is about, if it is about one.
    pub fn rig(&self) -> Option<&str> {
        self.rig_and_subject().0
    }

    /// What it is about.
    pub fn subject(&self) -> ActionSubject {
        ActionSubject(self.rig_and_subject().1)
    }

    fn rig_and_subject(&self) -> (Option<&str>, String) {
        match self {
            Self::ResumeSling(worker)
            | Self::FinishDone(worker)
            | Self::Respawn(worker)
            | Self::OpenBreaker(worker)
            | Self::HalfOpen(worker)
            | Self::NudgeQuiet(worker)
            | Self::RestartQuiet(worker)
            | Self::ResumeRefused(worker)
            | Self::RestartRefused(worker)
            | Self::EndSession(worker)
            | Self::Release(worker) => (Some(&worker.rig), format!("worker {worker}")),
            // It may take as long as the remote does: nothing else about the worker waits for it.
            Self::PushUnfinished(worker) => (Some(&worker.rig), format!("branch of {worker}")),
            Self::SlingQueued { rig, bead } | Self::QueueRepair { rig, bead } => {
                (Some(rig), format!("bead {bead}"))
            }
            Self::RunQueue { rig } => (Some(rig), format!("queue {rig}")),
            Self::Land { convoy } => (None, format!("convoy {convoy}")),
            Self::FinishConvoy { request } => (None, format!("request {request}")),
            Self::Reescalate { escalation }
            | Self::TakeDefault { escalation }
            | Self::Deliver { escalation } => (None, format!("escalation {escalation}")),
            Self::DoChore { chore } => (None, format!("chore {}", chore.name())),
            Self::StartAgent { agent }
            | Self::SettleAgent { agent }
            | Self::NudgeHooked { agent, .. } => (None, format!("agent {agent}")),
            Self::WatchDeacon { .. } => (None, "agent deacon".to_owned()),
            Self::Lifecycle { message } => (None, format!("message {message}")),
            Self::AskPerson => (None, "messages".to_owned()),
            Self::SyncBeads { rig: Some(rig) } => (Some(rig), format!("beads {rig}")),
            Self::SyncBeads { rig: None } => (None, "beads".to_owned()),
        }
    }

    /// Whether it only writes messages: that goes on while the town is paused.
    pub fn is_message(&self) -> bool {
        matches!(
            self,
            Self::AskPerson | Self::Reescalate { .. } | Self::Deliver { .. }
        )
    }

    /// What it costs.
    pub fn kind(&self) -> ActionKind {
        match self {
            Self::ResumeSling(_)
            | Self::Respawn(_)
            | Self::RestartQuiet(_)
            | Self::RestartRefused(_)
            | Self::StartAgent { .. }
            | Self::SlingQueued { .. } => ActionKind::Start,
            Self::NudgeQuiet(_) | Self::NudgeHooked { .. } | Self::ResumeRefused(_) => {
                ActionKind::Talk
            }
            _ => ActionKind::Other,
        }
    }
}
