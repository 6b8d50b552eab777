//! Describes one tracked bead of a convoy, and reads the stores that its state is computed from.

use std::cell::OnceCell;
use std::collections::HashMap;

use bd::bead::{Bead, Status};
use bd::store::Snapshot;
use jiff::Timestamp;
use serde::Serialize;

use crate::record::merge_request;
use crate::record::polecat::{Polecat, PolecatIds, PolecatState, Slot};
use crate::record::queued_sling::{self, QueuedSling};
use crate::record::request_wait::{BrokenTargets, RequestWait};

/// The current state of one tracked bead.
#[derive(Debug, Clone, Serialize)]
pub struct TrackedBead {
    pub id: String,
    /// The title. `(external)` if no store of the town contains the bead.
    pub title: String,
    /// The stored status. `unknown` if no store contains the bead.
    pub status: Status,
    pub dependency_type: &'static str,
    pub issue_type: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub assignee: String,
    pub standing: BeadStanding,
    /// The ids that the bead waits for: open blockers, a conflict or repair task.
    pub waits_for: Vec<String>,
    /// The ids of the bead's blockers, also of closed ones. They arrange a convoy in waves that
    /// stay as beads are closed.
    #[serde(skip)]
    pub blockers: Vec<String>,
    /// Details on the standing, for example why the worker is stuck or since when the bead is
    /// queued.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// True for a conflict or repair task of another tracked bead. It is no work of its own.
    #[serde(skip)]
    pub is_repair: bool,
    /// Commands for the user. Each is an alternative.
    pub next_steps: Vec<String>,
}

/// The state of a bead on the way to its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BeadStanding {
    Open,
    Blocked,
    Working,
    /// The bead's merge request is in the queue.
    Merging,
    /// Someone must act: the merge request waits for a task or a user, or the worker is stuck.
    #[serde(rename = "blocked")]
    NeedsStep,
    /// Merged, closed without a change, or cancelled with a reason.
    Done,
    /// Closed as failed, or cancelled without a reason. The convoy cannot land.
    Failed,
    /// No store of the town contains the bead.
    Unknown,
}

impl BeadStanding {
    /// Returns the standing's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Blocked => "blocked",
            Self::Working => "working",
            Self::Merging => "merging",
            Self::NeedsStep => "blocked",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Unknown => "unknown",
        }
    }
}

/// A store with its queue and hooks.
pub(super) struct RigStore<'a> {
    /// The rig. None for the town's own store.
    pub rig: Option<&'a str>,
    pub beads: &'a Snapshot,
    /// Maps each bead on a polecat's hook to that polecat's bead.
    pub(super) hooked: HashMap<&'a str, &'a Bead>,
    /// The rig's workers, if they were read.
    pub polecats: Option<&'a [Polecat]>,
    /// The time of the reading of the workers.
    pub(super) now: Option<Timestamp>,
    /// The targets that fail their gates, read on first use.
    pub(super) broken_targets: OnceCell<BrokenTargets>,
    /// The queued beads, read on first use.
    pub(super) queued_slings: OnceCell<Vec<QueuedSling>>,
}

impl RigStore<'_> {
    /// Returns why the worker of a bead is not restarted automatically. None if it is.
    pub(super) fn stuck_reason(&self, id: &str) -> Option<String> {
        let ids = PolecatIds::from_identity_bead(self.hooked.get(id)?)?;
        let slot = Slot::load(self.beads, &ids.slot);
        slot.state
            .stuck_reason()
            .filter(|_| slot.bead == id)
            .map(str::to_owned)
    }

    /// Returns true if a bead is assigned to a worker, but neither a worker nor the queue has it.
    pub(super) fn is_abandoned(&self, bead: &Bead) -> bool {
        bead.assignee.contains("/polecats/")
            && merge_request::find_open_request(self.beads, &bead.id).is_none()
            && self.polecats.is_some_and(|all| {
                !all.iter()
                    .any(|polecat| polecat.hook.as_ref() == Some(&bead.id))
            })
    }

    /// Returns why the worker of a bead does not work on it at the moment.
    pub(super) fn idle_reason(&self, id: &str) -> Option<String> {
        let worker = self
            .polecats?
            .iter()
            .find(|polecat| polecat.hook.as_deref() == Some(id))?;
        (worker.state != PolecatState::Working).then(|| worker.why.clone())
    }

    /// Describes why the queue does not merge a request now. None if it waits for beads, which the
    /// row names.
    pub(super) fn describe_wait(&self, request: &Bead) -> Option<String> {
        let broken_targets = self
            .broken_targets
            .get_or_init(|| BrokenTargets::find(self.beads));
        RequestWait::find_among(self.beads, request, broken_targets)
            .filter(|wait| !matches!(wait, RequestWait::Beads { .. }))
            .map(|wait| wait.describe(self.beads, self.now.unwrap_or_default()))
    }

    /// Returns the bead's entry in the queue.
    pub(super) fn find_queued(&self, id: &str) -> Option<&QueuedSling> {
        let line = self
            .queued_slings
            .get_or_init(|| queued_sling::list_queued_slings(self.beads));
        line.iter().find(|waiting| waiting.work_bead_id == id)
    }
}
