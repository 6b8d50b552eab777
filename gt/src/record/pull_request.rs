//! Records the pull request by which a merge request lands: on the request for readers, and in a
//! small local file what only this machine may vouch for.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::state_file;
use crate::town::RigLayout;

/// A pull request, as a part of its merge request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PullRequest {
    /// The number at the forge.
    pub number: u64,
    pub url: String,
    /// The branch of the remote with the commits to merge.
    pub branch: String,
    pub state: PullRequestState,
    /// The message of the forge about the state.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// The refusal of the push for which the request does not land directly.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub because: String,
    /// The time at which the forge first accepted the merge of the commits, RFC 3339.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub accepted: String,
    /// The ids of the reviews that the commits answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub answered: Vec<String>,
}

/// The step that a pull request is at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PullRequestState {
    #[default]
    Opened,
    /// The checks of the forge run.
    Checks,
    ChecksFailed,
    /// A review is missing.
    Review,
    ChangesRequested,
    Draft,
    /// The branch conflicts with its target, or must stand on the tip of the target.
    Outdated,
    /// The branch has commits that the queue did not push.
    Changed,
    /// The user has to merge it.
    Approved,
    /// The forge accepted the merge and has not done it yet.
    Merging,
    /// The forge refused the merge.
    MergeRefused,
    Merged,
    /// Closed without a merge.
    Closed,
}

impl PullRequest {
    /// Returns true if it was neither merged nor closed.
    pub fn is_open(&self) -> bool {
        !matches!(
            self.state,
            PullRequestState::Merged | PullRequestState::Closed
        )
    }

    /// Returns true if it goes on only if a user reviews or merges it at the forge.
    pub fn needs_person(&self) -> bool {
        matches!(
            self.state,
            PullRequestState::Review
                | PullRequestState::Draft
                | PullRequestState::Changed
                | PullRequestState::Approved
                | PullRequestState::MergeRefused
        )
    }
}

/// Describes the pull request and its state on one line.
impl fmt::Display for PullRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = match self.state {
            PullRequestState::Opened => "open",
            PullRequestState::Checks => "its checks run",
            PullRequestState::ChecksFailed => "its checks failed",
            PullRequestState::Review => "it needs a review",
            PullRequestState::ChangesRequested => "changes are requested",
            PullRequestState::Draft => "it is a draft",
            PullRequestState::Outdated => "its target has moved",
            PullRequestState::Changed => "others have pushed to it, so the user has to merge it",
            PullRequestState::Approved => "the user has to merge it",
            PullRequestState::Merging => "the forge merges it",
            PullRequestState::MergeRefused => "the forge refused to merge it",
            PullRequestState::Merged => "merged",
            PullRequestState::Closed => "closed without a merge",
        };
        write!(f, "{} ({state}", self.url)?;
        if !self.detail.is_empty() {
            write!(f, ": {}", self.detail)?;
        }
        f.write_str(")")
    }
}

/// The queue's own knowledge about the pull request of a branch. Beads are synced, so the commit
/// that this machine has checked is not read from them. If the file is lost, the commits are built,
/// checked and pushed again.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct PullRequestLook {
    /// The commit that passed the gates and was pushed. Empty if unknown.
    pub head: String,
    /// The time of that push.
    pub pushed_at: Option<Timestamp>,
    /// The time of the last look at the forge.
    pub at: Option<Timestamp>,
}

impl PullRequestLook {
    pub(crate) fn load(rig: &RigLayout, branch: &str) -> anyhow::Result<Self> {
        state_file::read_state_or_default(&rig.pull_request(branch))
    }

    pub(crate) fn save(&self, rig: &RigLayout, branch: &str) -> anyhow::Result<()> {
        state_file::write_state(&rig.pull_request(branch), self)
    }

    /// Removes the file of a pull request that was merged or closed.
    pub(crate) fn remove(rig: &RigLayout, branch: &str) {
        std::fs::remove_file(rig.pull_request(branch)).ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pull_request_is_described_with_its_state_and_the_words_of_the_forge() {
        let mut pull_request = PullRequest {
            url: "https://github.com/a/b/pull/7".to_owned(),
            ..PullRequest::default()
        };
        assert_eq!(
            pull_request.to_string(),
            "https://github.com/a/b/pull/7 (open)"
        );
        pull_request.state = PullRequestState::MergeRefused;
        pull_request.detail = "gh: not mergeable".to_owned();
        assert_eq!(
            pull_request.to_string(),
            "https://github.com/a/b/pull/7 (the forge refused to merge it: gh: not mergeable)"
        );
    }
}
