//! Owns git: the only place that reads or changes a repository.
//!
//! Every child git runs through [`GitCall`] (run.rs), with the caller's `GIT_*` removed, messages
//! in English, no terminal prompt and a time limit. Our own plumbing runs no hook of the
//! repository. A push is forced only with a lease on an observed tip.
//!
//! libgit2 answers questions about refs and history (read.rs) and about the user (user.rs), because
//! it is about ten times faster than a process. If libgit2 cannot open the repository (reftable,
//! SHA-256, partial clones), the git command answers. The git command does the rest: status
//! (libgit2 does not support skip-worktree), everything over the network (credentials), merges and
//! rebases (merge drivers), commits (hooks, signatures), worktrees.

mod change;
mod combine;
mod driven;
mod driver;
pub mod editor;
mod folders;
mod foreign;
mod hand_over;
mod ignored;
mod inner;
mod read;
mod redact;
mod remote;
pub mod rescue;
mod run;
mod scratch;
mod separate;
mod setup;
mod stalling_file;
mod submodule;
mod take_over;
mod taken_state;
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

use separate::SeparateRepository;

pub use change::CommitIdentities;
pub use combine::{Containment, TreeMerge};
pub use driven::DrivenFile;
pub(crate) use folders::find_git_folders;
pub use hand_over::HandOver;
pub use ignored::{IgnoreSource, LocallyIgnoredFile};
pub use read::Stash;
pub use redact::redact_urls;
pub use remote::{PushError, PushLease, PushRefusal, RemoteBranch, RemoteHead, is_unreachable};
pub use run::GitCall;
pub use scratch::ScratchFolder;
pub(crate) use setup::lines_to_append;
pub use stalling_file::find_stalling_file;
pub use submodule::{SubmoduleCommit, SubmoduleWork};
pub use tree::{TreeEntries, TreeEntry};
pub use user::GitUser;
pub use wait::{limit_remotes, report_slow_remotes};
pub use without::PathFilter;
pub use worktree::Worktree;

/// A repository, addressed by one of its folders: a work tree or a bare repository.
#[derive(Debug, Clone)]
pub struct Git {
    folder: PathBuf,
    env: Vec<(OsString, OsString)>,
    separate: Option<SeparateRepository>,
    /// The time limit of a command that contacts a remote.
    network: Duration,
}

/// The refs that were taken over from the repositories of workers.
const TAKEN_REFS: &str = "refs/gt/sandbox/";

/// The time limit of a remote command that transfers much data or runs a hook first.
pub const NETWORK: Duration = Duration::from_secs(600);

/// The reason why a git operation failed.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the names of the fields say it")]
pub enum GitError {
    /// The folder does not exist or is not a repository.
    #[error("{} is not a git repository", path.display())]
    NotARepository { path: PathBuf },
    /// The git command failed.
    #[error("`{command}` failed in {}: {}", folder.display(), run::drop_advice(words))]
    Failed {
        command: String,
        folder: PathBuf,
        code: Option<i32>,
        words: String,
    },
    /// The git command could not be started, or did not finish.
    #[error("`{command}` gave no result in {}", folder.display())]
    Run {
        command: String,
        folder: PathBuf,
        #[source]
        source: ExecError,
    },
    /// The remote did not answer within the time limit.
    #[error("{url} did not answer `{command}` within {}s", limit.as_secs_f64())]
    NoAnswer {
        command: String,
        url: String,
        limit: Duration,
    },
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
    /// The repository of a worker has a state that cannot be taken over.
    #[error("the repository in {} cannot be read: {problem}", path.display())]
    Foreign { path: PathBuf, problem: String },
    /// A work tree has a pipe, socket or device by the name of a file that git reads.
    #[error("git would wait for {}, which is no regular file: remove it", path.display())]
    StallingFile { path: PathBuf },
    /// The output of git has an unknown format.
    #[error("`{command}` answered {output:?}, which is not understood")]
    Unreadable { command: String, output: String },
}

/// One commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitInfo {
    pub id: String,
    /// The first line of the message.
    pub subject: String,
    pub author_name: String,
    pub author_email: String,
    pub time: Timestamp,
}

/// One file that differs from the last commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// The path relative to the top of the work tree. A nested repository ends in `/`.
    pub path: PathBuf,
    pub kind: ChangeKind,
}

/// The kind of difference from the last commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    /// Changed in the index only: the work tree agrees with the index.
    Staged,
    /// Changed in the work tree, and possibly in the index too.
    Unstaged,
    /// Neither tracked by git nor ignored.
    Untracked,
    /// In an unfinished merge.
    Conflicted,
}

/// The author or committer of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    pub name: String,
    pub email: String,
}

impl FileChange {
    /// Returns the path as text, for messages and reports.
    pub fn display_path(&self) -> String {
        self.path.to_string_lossy().into_owned()
    }
}

impl Git {
    /// Addresses the repository that `folder` belongs to. Does not access it yet.
    pub fn at(folder: impl AsRef<Path>) -> Self {
        Self {
            folder: folder.as_ref().to_owned(),
            env: Vec::new(),
            separate: None,
            network: wait::remote_limit(),
        }
    }

    /// The folder passed to [`Self::at`].
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Addresses another folder with the same environment.
    #[must_use]
    pub fn in_folder(&self, folder: impl AsRef<Path>) -> Self {
        Self {
            folder: folder.as_ref().to_owned(),
            env: self.env.clone(),
            separate: None,
            network: self.network,
        }
    }

    /// Sets the time limit of commands that contact a remote.
    #[must_use]
    pub fn with_network(mut self, limit: Duration) -> Self {
        self.network = limit;
        self
    }

    /// Sets an environment variable for all git commands of this value.
    #[must_use]
    pub fn with_env(mut self, key: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.env.push((key.into(), value.into()));
        self
    }

    /// Sets the default author and committer of commits made through this value.
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
