//! Keeps what a user has allowed for a merge request, in one small local file per request.
//!
//! Beads are synced, so an approval in a request could come from everyone who can push beads. What
//! lowers a guard is read from this machine only. If the file is lost, the user is asked again.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::state_file;
use crate::town::RigLayout;

/// The waiver of hooks for a request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookWaiver {
    pub by: String,
    pub at: String,
    pub reason: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Approval {
    /// The user that released the request after a review.
    pub reviewed_by: String,
    /// The hooks that a waiver skips. The others are still asked.
    pub passed_hooks: Vec<String>,
    /// The waiver of these hooks.
    pub waiver: Option<HookWaiver>,
    /// The files about which a user was asked, because a merge driver left out the change.
    pub driven_files_asked: BTreeSet<String>,
    /// The files that may merge as the driver decides.
    pub driven_files_accepted: BTreeSet<String>,
    /// True if a user was asked about commits that their worker pushed to the target.
    pub direct_push_asked: bool,
    /// True if these commits count as merged.
    pub direct_push_accepted: bool,
    /// The commit and target about which a user was asked, because records of this machine contradict
    /// them.
    pub receipt_asked: Option<String>,
    /// The commit and target that may merge nevertheless.
    pub receipt_accepted: Option<String>,
}

impl Approval {
    pub(crate) fn load(rig: &RigLayout, request: &str) -> anyhow::Result<Self> {
        state_file::read_state_or_default(&rig.approval(request))
    }

    pub(crate) fn save(&self, rig: &RigLayout, request: &str) -> anyhow::Result<()> {
        state_file::write_state(&rig.approval(request), self)
    }

    /// Removes the file of a request that is closed.
    pub(crate) fn remove(rig: &RigLayout, request: &str) {
        std::fs::remove_file(rig.approval(request)).ok();
    }
}
