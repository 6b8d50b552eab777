//! Owns git: the only place that reads or changes a repository.
//!
//! What must always hold: every child git runs through [`Call`] (run.rs), with the caller's `GIT_*`
//! removed, messages in English, no terminal prompt and a time limit; our own plumbing runs no hook of
//! the repository; nothing here is forced but with a lease on a tip that was seen.
//!
//! libgit2 answers questions about refs and history (read.rs) and who the user is (user.rs), because it is some ten
//! times faster than a process; where it cannot open the repository (reftable, SHA-256, partial clones) the git command
//! answers. The git command does the rest: status (libgit2 knows no skip-worktree), everything over the
//! network (credentials), merges and rebases (merge drivers), commits (hooks, signatures), worktrees.

mod change;
mod combine;
mod driver;
mod folders;
pub mod past;
mod read;
mod redact;
mod remote;
pub mod rescue;
mod run;
mod setup;
mod tree;
mod user;
mod wait;
mod without;
mod worktree;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;

use kit::sys::ExecError;

pub use combine::{Containment, TreeMerge};
pub(crate) use folders::find_git_folders;
pub use read::Stash;
pub use redact::redact_urls;
pub use remote::{PushError, PushLease, PushRefusal, RemoteHead};
pub use run::GitCall;
pub use tree::{TreeEntries, TreeEntry};
pub use user::GitUser;
pub use wait::{limit_remotes, report_slow_remotes};
pub use without::PathFilter;
pub use worktree::Worktree;

/// A repository seen from one of its folders: a work tree or a bare repository.
#[derive(Debug, Clone)]
pub struct Git {
    folder: PathBuf,
    env: Vec<(OsString, OsString)>,
    /// How long a command that asks a remote may take.
    network: Duration,
}

/// How long a remote may take where much may go over the network or a hook runs first.
pub const NETWORK: Duration = Duration::from_secs(600);

/// Why a git operation gave no result.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the names of the fields say it")]
pub enum GitError {
    /// The folder is not there or is not a repository.
    #[error("{} is not a git repository", path.display())]
    NotARepository { path: PathBuf },
    /// The git command ended with a failure.
    #[error("`{command}` failed in {}: {words}", folder.display())]
    Failed {
        command: String,
        folder: PathBuf,
        code: Option<i32>,
        words: String,
    },
    /// The git command could not be run, or not to its end.
    #[error("`{command}` gave no result in {}", folder.display())]
    Run {
        command: String,
        folder: PathBuf,
        #[source]
        source: ExecError,
    },
    /// The remote was given up.
    #[error("{url} did not answer `{command}` within {}s", limit.as_secs_f64())]
    NoAnswer {
        command: String,
        url: String,
        limit: Duration,
    },
    /// libgit2 refused.
    #[error("cannot {action} in {}", folder.display())]
    Library {
        action: &'static str,
        folder: PathBuf,
        #[source]
        source: git2::Error,
    },
    /// A file beside the repository could not be read or written.
    #[error("cannot use {}", path.display())]
    File {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    /// Git answered in a form that is not known here.
    #[error("`{command}` answered {output:?}, which is not understood")]
    Unreadable { command: String, output: String },
}

/// One commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitInfo {
    /// Its id.
    pub id: String,
    /// The first line of its message.
    pub subject: String,
    /// Who wrote it.
    pub author_name: String,
    /// The author's address.
    pub author_email: String,
    /// When it was written.
    pub time: Timestamp,
}

/// One file that differs from what is committed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// Relative to the top of the work tree. A nested repository ends in `/`.
    pub path: String,
    /// How it differs.
    pub kind: ChangeKind,
}

/// How a file differs from what is committed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    /// In the index only: the work tree agrees with the index.
    Staged,
    /// In the work tree, whether or not also in the index.
    Unstaged,
    /// Not known to git and not ignored.
    Untracked,
    /// In the middle of a merge.
    Conflicted,
}

/// Who a commit is by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// Name.
    pub name: String,
    /// Address.
    pub email: String,
}

impl Git {
    /// The repository that `folder` belongs to. Nothing is looked at yet.
    pub fn at(folder: impl AsRef<Path>) -> Self {
        Self {
            folder: folder.as_ref().to_owned(),
            env: Vec::new(),
            network: wait::remote_limit(),
        }
    }

    /// The folder it was made with.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The same environment for another folder.
    #[must_use]
    pub fn in_folder(&self, folder: impl AsRef<Path>) -> Self {
        Self {
            folder: folder.as_ref().to_owned(),
            env: self.env.clone(),
            network: self.network,
        }
    }

    /// Commands that ask a remote may take so long.
    #[must_use]
    pub fn with_network(mut self, limit: Duration) -> Self {
        self.network = limit;
        self
    }

    /// Sets a variable for every git command of this value.
    #[must_use]
    pub fn with_env(mut self, key: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.env.push((key.into(), value.into()));
        self
    }

    /// Commits made through this value are by `who`, unless the call says otherwise.
    #[must_use]
    pub fn with_identity(self, who: &Identity) -> Self {
        self.with_env("GIT_AUTHOR_NAME", &who.name)
            .with_env("GIT_AUTHOR_EMAIL", &who.email)
            .with_env("GIT_COMMITTER_NAME", &who.name)
            .with_env("GIT_COMMITTER_EMAIL", &who.email)
    }

    fn file_error(path: &Path, source: std::io::Error) -> GitError {
        GitError::File {
            path: path.to_owned(),
            source,
        }
    }
}

#[cfg(test)]
mod tests;
