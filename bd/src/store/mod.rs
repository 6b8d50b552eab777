//! The store: beads in JSONL files under git, safe for many writers at once.
//!
//! What is promised: readers never wait; a write that was acknowledged survives the death of the process
//! and of the machine; a transaction over many beads, wisps among them, happens whole or not at all; lines
//! that nobody changed keep their bytes; nothing that was read is dropped.
//!
//! A write, step by step: take the lock ([`lock`]); read the files with the journal over them
//! ([`Snapshot`]); run the change ([`Tx`]); append one line to the [`journal`] and sync it, which is the
//! acknowledgement; fold it into the files (`fold.rs`).

pub mod archive;
pub mod create;
pub mod find;
mod fold;
mod identity;
mod ignore;
pub mod journal;
pub mod lines;
pub mod lock;
pub mod mark;
pub mod paths;
pub mod route;
mod snapshot;
mod tx;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

pub use find::find;
pub use route::Routes;
pub use snapshot::{Damaged, Snapshot};
pub use tx::Tx;

use crate::bead::Stamp;
use crate::bead::validate::Invalid;
use crate::config::ConfigError;
use crate::sys::Clock;
use fold::{Fold, Folded, home_number};
use journal::Entry;
use paths::Paths;

/// How often a fold that someone else overtook is done again.
const FOLD_TRIES: usize = 5;

/// Who writes.
#[derive(Debug, Clone, Default)]
pub struct Author {
    /// The name that goes into `created_by` and comments.
    pub actor: String,
    /// The agent session, where there is one.
    pub session: String,
    /// The e-mail address that goes into `owner` of new beads.
    pub owner: String,
}

/// Why the store cannot do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The folder holds no beads.
    #[error("no beads database found in {0}")]
    NotAProject(PathBuf),
    /// A file cannot be read or written.
    #[error("cannot {what} {path}")]
    Io {
        /// What was to be done.
        what: &'static str,
        /// With which file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// Other writers held the lock all the time.
    #[error("another process has held {path} for {seconds}s")]
    Locked {
        /// The lock file.
        path: PathBuf,
        /// How long we waited.
        seconds: u64,
    },
    /// A merge is not finished.
    #[error("{path} has a git conflict marker in line {line}")]
    Conflict {
        /// The file.
        path: PathBuf,
        /// The first line with a marker.
        line: usize,
    },
    /// A rewrite would drop beads that nobody deleted.
    #[error("writing {path} would lose {}", ids.join(", "))]
    WouldLose {
        /// The file.
        path: PathBuf,
        /// The beads.
        ids: Vec<String>,
    },
    /// The journal could not be written.
    #[error("cannot write {path}{}", if *undone { "; nothing was changed" } else { ", and its unfinished end could not be taken back" })]
    Append {
        /// The journal.
        path: PathBuf,
        /// Whether it is as it was before.
        undone: bool,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// No prefix is configured and the beads have several.
    #[error("issues have mixed prefixes, please set issue-prefix in .beads/config.yaml")]
    MixedPrefixes,
    /// Only wisps are erased without a trace.
    #[error("{0} is not a wisp")]
    NotAWisp(String),
    /// The folder already is a project.
    #[error("beads are already initialized in {0}")]
    AlreadyInitialized(PathBuf),
    /// A bead has a value that it may not have.
    #[error("validation failed: {0}")]
    Invalid(#[from] Invalid),
    /// The settings cannot be read.
    #[error(transparent)]
    Config(#[from] ConfigError),
}

impl StoreError {
    pub(crate) fn io(what: &'static str, path: &Path, source: io::Error) -> Self {
        Self::Io {
            what,
            path: path.to_owned(),
            source,
        }
    }
}

/// A handle on one beads folder: paths only.
#[derive(Debug, Clone)]
pub struct Store {
    paths: Paths,
    notices: Arc<Mutex<Vec<String>>>,
}

impl Store {
    /// Opens a beads folder; redirects were followed before.
    pub fn open(dir: &Path) -> Result<Self, StoreError> {
        if !paths::is_project(dir) {
            return Err(StoreError::NotAProject(dir.to_owned()));
        }
        Ok(Self::at(dir))
    }

    /// Makes a beads folder with all that belongs into it; see [`create`].
    pub fn create(dir: &Path, prefix: &str) -> Result<Self, StoreError> {
        create::create(dir, prefix)?;
        Ok(Self::at(dir))
    }

    fn at(dir: &Path) -> Self {
        Self {
            paths: Paths::of(dir),
            notices: Arc::default(),
        }
    }

    /// The folder.
    pub fn dir(&self) -> &Path {
        self.paths.dir()
    }

    /// The file of durable beads.
    pub fn issues_file(&self) -> &Path {
        self.paths.issues()
    }

    /// The prefix of new ids.
    pub fn prefix(&self) -> Result<String, StoreError> {
        let config = crate::config::Config::of_dir(self.dir())?;
        match config.get("issue-prefix") {
            Some(prefix) => Ok(prefix.trim_end_matches('-').to_owned()),
            None => self.snapshot()?.prefix(),
        }
    }

    /// All beads now, without waiting for anyone.
    pub fn snapshot(&self) -> Result<Snapshot, StoreError> {
        Snapshot::read(&self.paths)
    }

    /// Messages for people that came up while writing, each given once.
    pub fn take_notices(&self) -> Vec<String> {
        std::mem::take(&mut self.notices())
    }

    fn notices(&self) -> std::sync::MutexGuard<'_, Vec<String>> {
        // A panic while a text was pushed leaves a sound list.
        self.notices.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes beads: `change` sees all of them, alone, and what it did happens whole when it returns `Ok`
    /// and not at all when it returns `Err`.
    pub fn transact<T>(
        &self,
        author: &Author,
        clock: &Clock,
        change: impl FnOnce(&mut Tx<'_>) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let _guard = lock::acquire(&self.paths.lock(), lock::PATIENCE)?;
        let snapshot = self.prepare(clock)?;
        let mut tx = Tx::new(snapshot, author, clock);
        let answer = change(&mut tx)?;
        let at = tx.now();
        let (changes, mut snapshot) = tx.finish();
        if changes.is_empty() {
            return Ok(answer);
        }
        let entry = Entry {
            tx: format!("{:x}", at.instant().as_nanosecond()),
            at: at.to_string(),
            actor: author.actor.clone(),
            session: author.session.clone(),
            changes,
        };
        self.acknowledge(&entry)?;
        snapshot.pending.push(entry);
        self.fold_acknowledged(snapshot, &at);
        Ok(answer)
    }

    /// Folds what is left in the journal, and nothing else.
    pub fn fold(&self, clock: &Clock) -> Result<(), StoreError> {
        let _guard = lock::acquire(&self.paths.lock(), lock::PATIENCE)?;
        self.prepare(clock).map(drop)
    }

    /// The beads under the lock, after what an earlier writer left in the journal was folded.
    fn prepare(&self, clock: &Clock) -> Result<Snapshot, StoreError> {
        for _ in 0..FOLD_TRIES {
            let snapshot = Snapshot::read_locked(&self.paths)?;
            if let Some(line) = snapshot.issues.conflict {
                return Err(StoreError::Conflict {
                    path: self.paths.issues().to_owned(),
                    line,
                });
            }
            if snapshot.pending.is_empty() && snapshot.torn.is_empty() {
                return Ok(snapshot);
            }
            self.run_fold(&snapshot, &Stamp::from(clock.now()))?;
        }
        Snapshot::read_locked(&self.paths)
    }

    fn acknowledge(&self, entry: &Entry) -> Result<(), StoreError> {
        let path = self.paths.journal();
        if !path.exists() {
            ignore::hide(self.paths.dir());
        }
        journal::append(&path, &journal::encode(entry)).map_err(|failed| StoreError::Append {
            path: path.clone(),
            undone: failed.undone,
            source: failed.source,
        })
    }

    /// Folds what is safe in the journal. Where that fails the entry stays there, is read from
    /// there, and the next writer folds it.
    fn fold_acknowledged(&self, mut snapshot: Snapshot, now: &Stamp) {
        let mut failure = None;
        for _ in 0..FOLD_TRIES {
            match self.run_fold(&snapshot, now) {
                Ok(Folded::Done) => return,
                Ok(Folded::Overtaken) => match Snapshot::read_locked(&self.paths) {
                    Ok(again) => snapshot = again,
                    Err(error) => {
                        failure = Some(error);
                        break;
                    }
                },
                Err(error) => {
                    failure = Some(error);
                    break;
                }
            }
        }
        let reason = failure.map_or_else(
            || "it keeps changing".to_owned(),
            |error| with_source(&error),
        );
        self.notices().push(format!(
            "the change is saved in {}, but not yet in {}: {reason}",
            self.paths.journal().display(),
            self.paths.issues().display()
        ));
    }

    /// Folds the entries that a snapshot has over the files.
    fn run_fold(&self, snapshot: &Snapshot, now: &Stamp) -> Result<Folded, StoreError> {
        let changes = || snapshot.pending.iter().flat_map(|entry| &entry.changes);
        let removed: BTreeSet<String> = changes()
            .filter(|change| change.line.is_none())
            .map(|change| change.id.clone())
            .collect();
        let fold = Fold {
            paths: &self.paths,
            snapshot,
            homes: changes().map(|change| home_number(change.store)).collect(),
            removed: &removed,
            now,
        };
        if let Some(line) = snapshot.issues.conflict {
            return Err(StoreError::Conflict {
                path: self.paths.issues().to_owned(),
                line,
            });
        }
        let mut notices = Vec::new();
        let folded = fold.run(&mut notices);
        self.notices().extend(notices);
        folded
    }
}

/// An error and its cause on one line.
fn with_source(error: &StoreError) -> String {
    match std::error::Error::source(error) {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}
