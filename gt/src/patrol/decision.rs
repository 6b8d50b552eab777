//! What a rule decides, and everything that can be done about it.

use serde::Serialize;

use super::rule::Rule;

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

/// A polecat of a rig.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Worker {
    /// The rig.
    pub rig: String,
    /// The polecat.
    pub polecat: String,
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
    /// Ends a session that has no work any more.
    EndSession(Worker),
    /// Takes a bead off a hook that was closed without `gt done`; its commits go to a rescue ref.
    Release(Worker),
    /// Slings a queued bead.
    SlingWaiting {
        /// The rig.
        rig: String,
        /// The bead.
        bead: String,
    },
    /// Queues a conflict or repair task for a worker.
    QueueRepair {
        /// The rig.
        rig: String,
        /// The task.
        bead: String,
    },
    /// Runs a merge queue.
    RunQueue {
        /// The rig.
        rig: String,
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
    /// Commits beads to their branch, merges and pushes it.
    ShareBeads {
        /// The rig; none for the town's own beads.
        rig: Option<String>,
    },
}

impl Action {
    /// The rig that it is about, if it is about one.
    pub fn rig(&self) -> Option<&str> {
        match self {
            Self::ResumeSling(worker)
            | Self::FinishDone(worker)
            | Self::Respawn(worker)
            | Self::OpenBreaker(worker)
            | Self::EndSession(worker)
            | Self::Release(worker) => Some(&worker.rig),
            Self::SlingWaiting { rig, .. }
            | Self::QueueRepair { rig, .. }
            | Self::RunQueue { rig } => Some(rig),
            Self::ShareBeads { rig } => rig.as_deref(),
            Self::Land { .. } | Self::FinishConvoy { .. } | Self::AskPerson => None,
        }
    }
}
