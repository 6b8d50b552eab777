//! The proof that work is finished: what is said to be done is committed, on the right branch, and is
//! nothing but work.

use bd::git::{CommitInfo, Git, GitError};

use super::Worker;
use crate::polecat::{DoneRecord, Slot};
use crate::town::Town;

/// Proven work.
#[derive(Debug, Clone)]
pub struct Proof {
    /// The tip of the branch.
    pub tip: String,
    /// The commit that the branch started from.
    pub base: String,
    /// The commits, oldest first; empty where there is no change.
    pub commits: Vec<CommitInfo>,
    /// The files they change.
    pub files: Vec<String>,
    /// Whether the rig has a remote.
    pub remote: bool,
}

/// Why work does not count as finished.
#[derive(Debug, thiserror::Error)]
pub enum ProofError {
    /// The sandbox is on another branch.
    #[error(
        "the sandbox is on {found}, but the work belongs on {expected} (git switch {expected})"
    )]
    WrongBranch {
        /// Where it is.
        found: String,
        /// Where it should be.
        expected: String,
    },
    /// There are uncommitted files.
    #[error(
        "{count} files are not committed: {files} (commit them, or say so in a commit that removes them)"
    )]
    Uncommitted {
        /// How many.
        count: usize,
        /// The first few.
        files: String,
    },
    /// There is no commit.
    #[error(
        "branch {branch} has no commit beyond {base}: nothing to merge (commit your work, or give the \
         reason with --no-change \"why\")"
    )]
    NothingDone {
        /// The branch.
        branch: String,
        /// Where it started.
        base: String,
    },
    /// There are commits, and the worker says there are none.
    #[error("--no-change was given, but branch {branch} has {count} commits beyond {base}")]
    HasCommits {
        /// The branch.
        branch: String,
        /// How many.
        count: usize,
        /// Where it started.
        base: String,
    },
    /// The work touches beads.
    #[error(
        "the branch changes beads, which a sandbox must not: {files}. Drop them from it: \
         git restore --source {base} --staged --worktree -- {files} and commit"
    )]
    TouchesBeads {
        /// The files.
        files: String,
        /// Where the branch started.
        base: String,
    },
    /// Git failed.
    #[error(transparent)]
    Git(#[from] GitError),
}

/// Proves the work in the worker's sandbox.
pub(super) fn prove(
    _town: &Town,
    worker: &Worker,
    slot: &Slot,
    record: &DoneRecord,
) -> Result<Proof, ProofError> {
    let git = Git::at(worker.sandbox());
    let remote = git.remote_url("origin")?.is_some();
    let branch = git.head_branch()?;
    // A `gt done` that was killed at its very end has let go of the branch already.
    let tip = git.resolve("HEAD")?.unwrap_or_default();
    let let_go = branch.is_none() && !record.tip.is_empty() && record.tip == tip;
    if branch.as_deref() != Some(slot.branch.as_str()) && !let_go {
        let found = branch.unwrap_or_else(|| format!("no branch ({tip:.12})"));
        return Err(ProofError::WrongBranch {
            found,
            expected: slot.branch.clone(),
        });
    }
    let changes = git.status()?;
    if !changes.is_empty() {
        let files: Vec<&str> = changes
            .iter()
            .take(5)
            .map(|change| change.path.as_str())
            .collect();
        return Err(ProofError::Uncommitted {
            count: changes.len(),
            files: files.join(", "),
        });
    }
    let commits = git.commits(&slot.base, &tip)?;
    let (branch, base) = (slot.branch.clone(), format!("{:.12}", slot.base));
    match (&record.no_change, commits.len()) {
        (None, 0) => return Err(ProofError::NothingDone { branch, base }),
        (Some(_), count @ 1..) => {
            return Err(ProofError::HasCommits {
                branch,
                count,
                base,
            });
        }
        _ => {}
    }
    let files = git.changed_files(&slot.base, &tip)?;
    let beads: Vec<&str> = files
        .iter()
        .map(String::as_str)
        .filter(|f| is_beads(f))
        .collect();
    if !beads.is_empty() {
        return Err(ProofError::TouchesBeads {
            files: beads.join(" "),
            base,
        });
    }
    Ok(Proof {
        tip,
        base: slot.base.clone(),
        commits,
        files,
        remote,
    })
}

/// Whether a file of the repository holds beads.
pub(crate) fn is_beads(file: &str) -> bool {
    file.starts_with(".beads/")
}
