//! Places the receipt's commits on the target as it is now, in a tree of the queue's own.

use bd::git::{GitError, Identity, RebaseOutcome};

use super::queue::Job;
use crate::done::is_beads;

/// What came of it.
pub(super) enum Rebased {
    /// This commit holds target and work.
    Candidate(String),
    /// The work does not fit.
    Conflict {
        /// The files in conflict.
        files: Vec<String>,
        /// What git said.
        detail: String,
    },
    /// A commit of the receipt is not there.
    Gone {
        /// Which.
        commit: String,
    },
}

/// Rebases the commits named in the receipt onto `target`.
pub(super) fn rebase(job: &Job, target: &str) -> Result<Rebased, GitError> {
    let (base, tip) = (&job.receipt.base, &job.receipt.tip);
    let gone = |commit: &str| Rebased::Gone {
        commit: commit.to_owned(),
    };
    if job.git.resolve(tip)?.is_none() {
        return Ok(gone(tip));
    }
    let base = match base.as_str() {
        // Requests of older towns do not say where their work began.
        "" => job.git.merge_base(tip, target)?.unwrap_or_default(),
        base => base.to_owned(),
    };
    if job.git.resolve(&base)?.is_none() {
        return Ok(gone(&base));
    }
    match job.git.rebase(target, &base, tip)? {
        RebaseOutcome::Conflict { files, detail } => Ok(Rebased::Conflict { files, detail }),
        RebaseOutcome::Done(candidate) => {
            let files = job.git.changed_files(target, &candidate)?;
            if files.iter().any(|file| is_beads(file)) {
                return restore_beads(job, target, &candidate).map(Rebased::Candidate);
            }
            Ok(Rebased::Candidate(candidate))
        }
    }
}

/// The second door: whatever the commits do to beads is taken back in one commit on top.
fn restore_beads(job: &Job, target: &str, candidate: &str) -> Result<String, GitError> {
    let tree = job.git.tree_with(candidate, ".beads", target)?;
    let author = Identity {
        name: format!("{}/refinery", job.rig.name()),
        email: "refinery@gastown.local".to_owned(),
    };
    let message = "Keep beads as they are on the target\n\nWork branches do not change beads.\n";
    job.git.commit_tree(&tree, &[candidate], message, &author)
}
