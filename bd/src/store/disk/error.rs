//! The errors of the store.

use std::io;
use std::path::{Path, PathBuf};

use crate::bead::validate::ValidationError;
use crate::config::ConfigError;
use kit::sys::lock::LockError;

/// The reason why a store operation failed.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the names of the fields say it")]
pub enum StoreError {
    /// The folder holds no beads.
    #[error("no beads database found in {0}")]
    NotAProject(PathBuf),
    /// The beads are in the database of another program, and in no file.
    #[error("the beads of {dir} are in a {backend} database, which bd does not read")]
    SqlBackend { dir: PathBuf, backend: String },
    /// A file cannot be read or written.
    #[error("cannot {what} {path}")]
    Io {
        what: &'static str,
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    /// A file of the store is a link, a pipe or a device.
    #[error("refusing to use {path}")]
    NotRegular {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    /// The beads folder is a symbolic link that the repository tracks.
    #[error("refusing to use {0}: it is a symbolic link that the repository tracks")]
    TrackedLink(PathBuf),
    /// The line of a bead cannot be parsed.
    #[error("cannot read {path}, {place}: {id}")]
    Line {
        path: PathBuf,
        place: String,
        id: String,
        #[source]
        source: io::Error,
    },
    /// Another writer held the lock for the whole waiting time.
    #[error("another process has held {path} for {seconds}s")]
    Locked { path: PathBuf, seconds: u64 },
    /// A worker of a town changes a bead that is not its own.
    #[error(
        "{worker} is a worker: it may not change {id}, which is neither its own nor made by it"
    )]
    NotOwnBead { id: String, worker: String },
    /// An agent of a town writes a record or a rating of finished work.
    #[error(
        "{agent} is an agent: it may not write {id}, because workers are compared by such records"
    )]
    WorkerRecord { id: String, agent: String },
    /// A merge is not finished.
    #[error("{path} has a git conflict marker in line {line}")]
    Conflict { path: PathBuf, line: usize },
    /// A rewrite would drop beads that were not deleted.
    #[error("writing {path} would lose {}", ids.join(", "))]
    WouldLose { path: PathBuf, ids: Vec<String> },
    /// The journal could not be written.
    #[error("cannot write {path}{}", if *undone { "; nothing was changed" } else { ", and its unfinished end could not be taken back" })]
    Append {
        path: PathBuf,
        undone: bool,
        #[source]
        source: io::Error,
    },
    /// No prefix is configured, and the beads have several.
    #[error("issues have mixed prefixes, please set issue-prefix in .beads/config.yaml")]
    MixedPrefixes,
    /// A file keeps changing while it is folded.
    #[error("{0} keeps changing")]
    Restless(PathBuf),
    /// A line is no longer where it was when the file was opened.
    #[error(
        "{path} was changed while {id} was read from it; nothing was written, run the command again"
    )]
    Moved { path: PathBuf, id: String },
    /// A bead to be restored was not archived.
    #[error("{0} is neither in the archive nor deleted")]
    NotArchived(String),
    /// A bead to be restored was removed without a tombstone.
    #[error("{id} was deleted permanently{}", crate::bead::id::format_deleter(by))]
    Removed {
        id: String,
        by: String,
        event: String,
    },
    /// The rolled-back lines are no longer readable.
    #[error(
        "{}:{line} cannot be read, and may hold a change that a rollback took; correct the line by hand",
        path.display()
    )]
    DamagedRollback { path: PathBuf, line: usize },
    /// Only wisps are erased without a trace.
    #[error("{0} is not a wisp")]
    NotAWisp(String),
    /// The folder is already a project.
    #[error("beads are already initialized in {0}")]
    AlreadyInitialized(PathBuf),
    /// A bead has a value that is not allowed.
    #[error("validation failed: {0}")]
    Invalid(#[from] ValidationError),
    /// The settings cannot be read.
    #[error(transparent)]
    Config(#[from] ConfigError),
}

impl From<LockError> for StoreError {
    fn from(error: LockError) -> Self {
        match error {
            LockError::Io { path, source } => Self::io("lock", &path, source),
            LockError::Held { path, seconds } => Self::Locked { path, seconds },
        }
    }
}

impl StoreError {
    pub fn io(what: &'static str, path: &Path, source: io::Error) -> Self {
        Self::Io {
            what,
            path: path.to_owned(),
            source,
        }
    }

    /// Returns the same read error again, for a report in another place.
    pub(crate) fn copy_error(&self) -> Self {
        match self {
            Self::Io { what, path, source } => Self::io(what, path, copy_of(source)),
            Self::Line {
                path,
                place,
                id,
                source,
            } => Self::Line {
                path: path.clone(),
                place: place.clone(),
                id: id.clone(),
                source: copy_of(source),
            },
            Self::Moved { path, id } => Self::Moved {
                path: path.clone(),
                id: id.clone(),
            },
            other => Self::io(
                "read",
                Path::new("the store"),
                io::Error::other(other.to_string()),
            ),
        }
    }
}

/// Returns a copy of an I/O error.
pub(crate) fn copy_of(error: &std::io::Error) -> std::io::Error {
    match error.raw_os_error() {
        Some(code) => std::io::Error::from_raw_os_error(code),
        None => std::io::Error::new(error.kind(), error.to_string()),
    }
}
