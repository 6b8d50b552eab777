//! Describes the queue of a rig, and one request on its way through it.

use bd::bead::Bead;
use bd::git::{Git, GitError, Identity, PushError, PushLease};
use bd::store::Store;
use serde::Serialize;

use crate::flow::place::rig::check_remote;
use crate::flow::place::target_history;
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
    /// The target still fails it, and the request goes on waiting.
    #[serde(rename = "later")]
    TargetStillBroken { reason: String },
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

/// The merge queue of a rig: its repository, store and settings.
#[derive(Clone)]
pub(crate) struct MergeQueue<'a> {
    pub rig: &'a Rig<'a>,
    pub store: &'a Store,
    pub settings: &'a RigSettings,
    pub git: Git,
    pub has_remote: bool,
}

/// A request with its queue.
#[derive(Clone)]
pub(crate) struct MergeJob<'a> {
    pub queue: MergeQueue<'a>,
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

impl<'a> MergeQueue<'a> {
    /// Opens the queue, and restores the configuration of its remote.
    pub(crate) fn open(
        rig: &'a Rig<'a>,
        store: &'a Store,
        settings: &'a RigSettings,
    ) -> anyhow::Result<Self> {
        Ok(Self {
            rig,
            store,
            settings,
            git: queue_repository(rig),
            has_remote: check_remote(rig)?,
        })
    }

    /// Fetches a branch and returns its tip. Notices targets that have lost commits.
    pub(crate) fn fetch_target(&self, target: &str) -> anyhow::Result<Option<String>> {
        if self.has_remote {
            self.git.fetch("origin")?;
        }
        target_history::check_targets(self.rig)?;
        let tip = self.resolve_branch(target)?;
        if let Some(tip) = &tip {
            target_history::watch_target(&self.git, target, tip)?;
        }
        Ok(tip)
    }

    /// Returns the tip of a branch, as last fetched.
    pub(crate) fn resolve_branch(&self, branch: &str) -> Result<Option<String>, GitError> {
        let namespace = if self.has_remote {
            "remotes/origin"
        } else {
            "heads"
        };
        self.git.resolve(&format!("refs/{namespace}/{branch}"))
    }

    /// Pushes a commit to a target with a lease on its fetched tip. In a rig without a remote,
    /// moves the branch the same way.
    pub(crate) fn push_to_target(
        &self,
        target: &str,
        tip: &str,
        commit: &str,
    ) -> Result<(), PushError> {
        if self.has_remote {
            let lease = PushLease::At(tip);
            return self.git.push("origin", commit, target, lease, false);
        }
        let branch = format!("refs/heads/{target}");
        Ok(self.git.update_ref(&branch, commit, Some(tip))?)
    }

    /// Returns the git identity for commits of the queue.
    pub(crate) fn identity(&self) -> Identity {
        Identity {
            name: format!("{}/refinery", self.rig.name()),
            email: "refinery@gastown.local".to_owned(),
        }
    }
}

impl<'a> MergeJob<'a> {
    pub(crate) fn new(queue: MergeQueue<'a>, request: Bead) -> Self {
        Self {
            queue,
            is_branch_deleted: false,
            receipt: merge_request::receipt_of(&request),
            request,
        }
    }

    /// Fetches the target of the request and returns its tip.
    pub(crate) fn fetch_target(&self) -> anyhow::Result<Option<String>> {
        self.queue.fetch_target(&self.receipt.target)
    }

    /// Returns the request in the form of events.
    pub(crate) fn merge_ref(&self) -> MergeRef {
        MergeRef {
            mr: self.request.id.clone(),
            rig: self.queue.rig.name().to_owned(),
            bead: merge_request::source_bead_of(&self.request),
            worker: self.receipt.worker.clone(),
            branch: self.receipt.branch.clone(),
        }
    }
}
