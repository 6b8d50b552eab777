//! One request on its way through the queue.

use bd::bead::Bead;
use bd::git::{Git, GitError};
use bd::store::Store;
use serde::Serialize;

use crate::host::LiveTown;
use crate::record::merge_request;
use crate::town::RigLayout;
use crate::town::config::RigSettings;
use crate::town::event::MergeRef;

/// What happened to a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum MergeOutcome {
    /// It is on its target.
    Merged {
        /// The commit that holds the work there.
        commit: String,
    },
    /// It was nothing but discovery documents, which are kept for the convoy.
    Kept {
        /// The ref that holds them.
        reference: String,
    },
    /// It does not fit; a task was made.
    Conflict {
        /// The task.
        task: String,
    },
    /// A gate failed; a task was made.
    GateFailed {
        /// The gate.
        gate: String,
        /// The task.
        task: String,
    },
    /// The target fails a gate without this work: the request waits until the target moves.
    TargetBroken {
        /// The gate.
        gate: String,
        /// The task for the target.
        task: String,
    },
    /// Only a person can go on.
    NeedsPerson {
        /// Why.
        reason: String,
    },
    /// It may not merge any more: its bead was closed, deleted, or given to another worker.
    Withdrawn {
        /// Why.
        reason: String,
    },
    /// Something outside failed, such as the network; the next run tries again.
    Later {
        /// What failed.
        reason: String,
    },
}

/// Everything a request's way through the queue needs.
pub(crate) struct MergeJob<'a> {
    pub town: &'a LiveTown,
    pub rig: &'a RigLayout,
    pub store: &'a Store,
    pub settings: &'a RigSettings,
    pub git: Git,
    pub remote: bool,
    pub request: Bead,
    pub receipt: merge_request::Receipt,
}

/// The rig's repository with the queue as committer: the machine may have no git identity at all.
pub(crate) fn queue_repository(rig: &RigLayout) -> Git {
    Git::at(rig.repo())
        .with_env("GIT_COMMITTER_NAME", format!("{}/refinery", rig.name()))
        .with_env("GIT_COMMITTER_EMAIL", "refinery@gastown.local")
}

/// Fetches, and says where the target stands.
pub(crate) fn fetch_target(job: &MergeJob) -> Result<Option<String>, GitError> {
    let target = &job.receipt.target;
    if !job.remote {
        return job.git.resolve(&format!("refs/heads/{target}"));
    }
    job.git.fetch("origin")?;
    job.git.resolve(&format!("refs/remotes/origin/{target}"))
}

impl MergeJob<'_> {
    /// The request as events name it.
    pub(crate) fn merge_ref(&self) -> MergeRef {
        MergeRef {
            mr: self.request.id.clone(),
            rig: self.rig.name().to_owned(),
            bead: merge_request::source_bead_of(&self.request),
            worker: self.receipt.worker.clone(),
            branch: self.receipt.branch.clone(),
        }
    }
}
