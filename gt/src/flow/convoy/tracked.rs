//! One bead of a convoy, as it stands, and the stores that say so.

use std::cell::OnceCell;
use std::collections::HashMap;

use bd::bead::Bead;
use bd::store::Snapshot;
use serde::Serialize;

use crate::record::merge_request;
use crate::record::polecat::{Polecat, PolecatIds, PolecatState, Slot};
use crate::record::queued_sling::{self, QueuedSling};

/// One tracked bead as it stands.
#[derive(Debug, Clone, Serialize)]
pub struct TrackedBead {
    /// Its id.
    pub id: String,
    /// Its title; `(external)` where no store of the town knows it.
    pub title: String,
    /// Its status as stored; `unknown` where no store knows it.
    pub status: String,
    /// Always `tracks`.
    pub dependency_type: &'static str,
    /// Its type.
    pub issue_type: String,
    /// Who has it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub assignee: String,
    /// Where it stands on its way.
    pub standing: BeadStanding,
    /// What it waits for: open blockers, a conflict or repair task.
    pub waits_for: Vec<String>,
    /// What there is to say about where it stands: why its worker is stuck, since when it is queued.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// What a person can do about it: commands, one of them at a time.
    pub next_steps: Vec<String>,
}

/// Where a bead stands on its way to its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BeadStanding {
    /// Nobody has it yet.
    Open,
    /// Something must happen first.
    Blocked,
    /// A worker has it.
    Working,
    /// Its merge request is in the queue.
    Merging,
    /// Someone must take a step: its merge request waits for a task or a person, or its worker is stuck.
    #[serde(rename = "blocked")]
    NeedsStep,
    /// It is done: merged, closed without a change, or cancelled with a reason.
    Done,
    /// It was closed as failed, or cancelled without a word why: it keeps the convoy from landing.
    Failed,
    /// No store of the town knows it.
    Unknown,
}

impl BeadStanding {
    /// The word for it.
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

/// A store, and what waits in it.
pub(super) struct RigStore<'a> {
    /// The rig; none for the town's own.
    pub rig: Option<&'a str>,
    /// Its beads.
    pub beads: &'a Snapshot,
    /// What is on the hook of a polecat, and that polecat.
    pub(super) hooked: HashMap<&'a str, &'a Bead>,
    /// The workers of the rig, where they were asked for.
    pub polecats: Option<&'a [Polecat]>,
    /// The beads that are queued; read when first asked for.
    pub(super) queued_slings: OnceCell<Vec<QueuedSling>>,
}

impl RigStore<'_> {
    /// Why the worker of a bead is not started again by itself, where that is so.
    pub(super) fn stuck_reason(&self, id: &str) -> Option<String> {
        let ids = PolecatIds::from_identity_bead(self.hooked.get(id)?)?;
        let slot = Slot::load(self.beads, &ids.slot);
        slot.state
            .stuck_reason()
            .filter(|_| slot.bead == id)
            .map(str::to_owned)
    }

    /// Whether a bead is assigned to a worker, no worker has it, and the queue does not have it either.
    pub(super) fn is_abandoned(&self, bead: &Bead) -> bool {
        let has_it = |polecat: &Polecat| polecat.hook.as_ref() == Some(&bead.id);
        bead.assignee.contains("/polecats/")
            && merge_request::find_open_request(self.beads, &bead.id).is_none()
            && self.polecats.is_some_and(|all| !all.iter().any(has_it))
    }

    /// Why the worker of a bead is not at work on it right now.
    pub(super) fn idle_reason(&self, id: &str) -> Option<String> {
        let mut workers = self.polecats?.iter();
        let worker = workers.find(|polecat| polecat.hook.as_deref() == Some(id))?;
        (worker.state != PolecatState::Working).then(|| worker.why.clone())
    }

    /// The place of a bead in the line.
    pub(super) fn find_queued(&self, id: &str) -> Option<&QueuedSling> {
        let line = self
            .queued_slings
            .get_or_init(|| queued_sling::list_queued_slings(self.beads));
        line.iter().find(|waiting| waiting.work_bead_id == id)
    }
}
