//! Describes one request on its way through the queue.

use bd::bead::Bead;
use bd::git::Git;
use bd::store::Store;
use serde::Serialize;

use crate::flow::target_history;
use crate::record::merge_request;
use crate::record::pull_request::PullRequestState;
use crate::town::Rig;
use crate::town::config::RigSettings;
use crate::town::event::MergeRef;

/// The outcome of merging a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum MergeOutcome {
    /// The work is on its target.
    Merged {
        /// The commit on the target that contains the work.
        commit: String,
    },
    /// The target has the change of the work by another commit, which was there first.
    AlreadyThere {
        commit: String,
        /// The bead whose merge brought that commit. None if someone else pushed it.
        #[serde(skip_serializing_if = "Option::is_none")]
        brought_by: Option<String>,
    },
    /// The work had only discovery documents, which are kept for the convoy.
    Kept {
        /// The ref with the documents.
        reference: String,
    },
    /// The work conflicts with its target. A task was created.
    Conflict { task: String },
    /// A gate failed. A task was created.
    GateFailed { gate: String, task: String },
    /// The target fails a gate without this work. The request waits until the target moves.
    TargetBroken {
        gate: String,
        /// The task for the target.
        task: String,
    },
    /// The command of a gate cannot be run on this machine. A user gets a message at once, and the
    /// next run retries.
    GateCannotRun { gate: String, reason: String },
    /// The request waits for its pull request.
    PullRequest {
        number: u64,
        url: String,
        state: PullRequestState,
        /// True if the state is new.
        #[serde(skip)]
        is_news: bool,
    },
    /// A review of the pull request requests changes. A task was created.
    ChangesRequested { task: String },
    /// The request waits for a user.
    NeedsPerson { reason: String },
    /// The request may not merge any more: its bead was closed, deleted, or given to another
    /// worker.
    Withdrawn { reason: String },
    /// A user rejected the request.
    Rejected { reason: String },
    /// An outside failure, such as the network. The next run retries.
    Later { reason: String },
}

/// The data that every step of a request needs.
pub(crate) struct MergeJob<'a> {
    pub rig: &'a Rig<'a>,
    pub store: &'a Store,
    pub settings: &'a RigSettings,
    pub git: Git,
    pub remote: bool,
    /// True if the branch on the remote was deleted with those of other requests.
    pub is_branch_deleted: bool,
    pub request: Bead,
    pub receipt: merge_request::Receipt,
}

/// Returns the rig's repository with the queue as committer, because the machine may have no git
/// identity.
pub(crate) fn queue_repository(rig: &Rig) -> Git {
    rig.git()
        .with_env("GIT_COMMITTER_NAME", format!("{}/refinery", rig.name()))
        .with_env("GIT_COMMITTER_EMAIL", "refinery@gastown.local")
}

/// Fetches the target and returns its tip. Notices targets that have lost commits.
pub(crate) fn fetch_target(job: &MergeJob) -> anyhow::Result<Option<String>> {
    let target = &job.receipt.target;
    if job.remote {
        job.git.fetch("origin")?;
    }
    target_history::check_targets(job.rig)?;
    let namespace = if job.remote {
        "remotes/origin"
    } else {
        "heads"
    };
    let tip = job.git.resolve(&format!("refs/{namespace}/{target}"))?;
    if let Some(tip) = &tip {
        target_history::watch_target(&job.git, target, tip)?;
    }
    Ok(tip)
}

impl MergeJob<'_> {
    /// Returns the request in the form of events.
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
