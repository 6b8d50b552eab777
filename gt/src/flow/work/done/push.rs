//! Pushes the branch and reads its tip back. A rig without a remote keeps the branch in its own
//! repository, which then serves as the remote.

use bd::git::{GitError, PushError, PushLease, PushRefusal};

use super::{HeldWorker, WorkProof};
use crate::record::polecat::{DoneStep, Slot};

#[derive(Debug, thiserror::Error)]
pub enum BranchPushError {
    #[error("origin does not take branch {branch}")]
    Refused {
        branch: String,
        #[source]
        source: PushError,
    },
    /// The tip on the remote differs from the pushed one.
    #[error("origin has {found} as tip of {branch}, not the pushed {tip:.12}")]
    ReadBack {
        branch: String,
        found: String,
        tip: String,
    },
    #[error(transparent)]
    Git(#[from] GitError),
}

impl BranchPushError {
    /// Returns the step of `gt done` that failed.
    pub fn step(&self) -> DoneStep {
        match self {
            Self::ReadBack { .. } => DoneStep::ReadBack,
            Self::Refused { .. } | Self::Git(_) => DoneStep::Push,
        }
    }

    /// Returns true if a retry can help without a user. False if a hook or a rule refused.
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

/// Pushes the proven tip to the branch on origin and reads it back.
pub(super) fn push_branch(
    worker: &HeldWorker,
    slot: &Slot,
    proof: &WorkProof,
) -> Result<(), BranchPushError> {
    let git = worker.git()?;
    let branch = slot.branch.as_str();
    if !proof.remote {
        let found = git
            .resolve(&format!("refs/heads/{branch}"))?
            .unwrap_or_else(|| "nothing".to_owned());
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
    let branch = branch.to_owned();
    let found = found.to_owned();
    let tip = tip.to_owned();
    Err(BranchPushError::ReadBack { branch, found, tip })
}
