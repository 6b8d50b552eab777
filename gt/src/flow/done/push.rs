//! Pushing the branch and reading its tip back. A rig without a remote keeps the branch in its own
//! repository, which then takes the remote's place.

use bd::git::{Git, GitError, PushError, PushLease, PushRefusal};

use super::{HeldWorker, WorkProof};
use crate::host::LiveTown;
use crate::record::polecat::Slot;

/// Why the branch is not where it should be.
#[derive(Debug, thiserror::Error)]
pub enum BranchPushError {
    /// The push was refused.
    #[error("origin does not take branch {branch}")]
    Refused {
        /// The branch.
        branch: String,
        /// How it was refused.
        #[source]
        source: PushError,
    },
    /// The tip read back is not ours.
    #[error("origin has {found} as tip of {branch}, not the pushed {tip:.12}")]
    ReadBack {
        /// The branch.
        branch: String,
        /// What origin says.
        found: String,
        /// What was pushed.
        tip: String,
    },
    /// Git failed.
    #[error(transparent)]
    Git(#[from] GitError),
}

impl BranchPushError {
    /// The step of `gt done` that this stops.
    pub fn step(&self) -> &'static str {
        match self {
            Self::ReadBack { .. } => "read back",
            Self::Refused { .. } | Self::Git(_) => "push",
        }
    }

    /// Whether trying again can help without a person: not where a hook or a rule said no.
    pub fn can_retry(&self) -> bool {
        !matches!(
            self,
            Self::Refused {
                source: PushError::Refused(PushRefusal::Declined(_)),
                ..
            }
        )
    }
}

/// Pushes the proven tip to the branch's name on origin and reads it back.
pub(super) fn push_branch(
    _town: &LiveTown,
    worker: &HeldWorker,
    slot: &Slot,
    proof: &WorkProof,
) -> Result<(), BranchPushError> {
    let git = Git::at(worker.sandbox());
    let branch = slot.branch.as_str();
    if !proof.remote {
        let found = git
            .resolve(&format!("refs/heads/{branch}"))?
            .unwrap_or_default();
        return check_read_back(branch, &found, &proof.tip);
    }
    let seen = git.ls_remote("origin", branch)?;
    if seen.as_deref() != Some(proof.tip.as_str()) {
        let lease = seen.as_deref().map_or(PushLease::Absent, PushLease::At);
        git.push("origin", &proof.tip, branch, lease, true)
            .map_err(|source| BranchPushError::Refused {
                branch: branch.to_owned(),
                source,
            })?;
    }
    let found = git
        .ls_remote("origin", branch)?
        .unwrap_or_else(|| "nothing".to_owned());
    check_read_back(branch, &found, &proof.tip)
}

fn check_read_back(branch: &str, found: &str, tip: &str) -> Result<(), BranchPushError> {
    if found == tip {
        return Ok(());
    }
    let (branch, found, tip) = (branch.to_owned(), found.to_owned(), tip.to_owned());
    Err(BranchPushError::ReadBack { branch, found, tip })
}
