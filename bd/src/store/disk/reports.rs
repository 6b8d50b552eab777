//! Collects notices and postponed work of stores until a command has answered.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::store::disk::error::StoreError;

/// Collects notices and postponed work of stores. Clones share one collection: a program has one
/// for all its stores, and empties it before it exits.
#[derive(Debug, Clone, Default)]
pub struct StoreReports(Arc<Mutex<CollectedReports>>);

/// A fold of a store that waits until a command has answered, in the order of execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::store) enum PostponedFold {
    /// Fold the journal once no other program seems to be writing the issues.
    WhenSettled,
    /// Fold the lines of beads that have several.
    Versions,
    /// Fold the journal if it became old.
    WhenOld,
}

#[derive(Debug, Default)]
struct CollectedReports {
    postponed: BTreeSet<(PostponedFold, PathBuf)>,
    notices: Vec<String>,
    failure: Option<StoreError>,
    is_unread: bool,
}

impl StoreReports {
    /// Creates reports that are never printed, as for shell completion. One-time notices stay for
    /// another command.
    pub fn unread() -> Self {
        let reports = Self::default();
        reports.lock().is_unread = true;
        reports
    }

    pub(in crate::store) fn are_unread(&self) -> bool {
        self.lock().is_unread
    }

    fn lock(&self) -> MutexGuard<'_, CollectedReports> {
        // A panic between two pushes leaves the lists consistent.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(in crate::store) fn postpone(&self, fold: PostponedFold, dir: &Path) {
        self.lock().postponed.insert((fold, dir.to_owned()));
    }

    /// Adds a notice for the user, once.
    pub(in crate::store) fn notice(&self, notice: String) {
        let mut due = self.lock();
        if !due.notices.contains(&notice) {
            due.notices.push(notice);
        }
    }

    pub(in crate::store) fn notice_all(&self, notices: impl IntoIterator<Item = String>) {
        for notice in notices {
            self.notice(notice);
        }
    }

    /// Records that an existing record could not be read. Only the first failure counts.
    pub(in crate::store) fn fail(&self, error: StoreError) {
        self.lock().failure.get_or_insert(error);
    }

    /// Takes the notices since the last call.
    pub fn take_notices(&self) -> Vec<String> {
        std::mem::take(&mut self.lock().notices)
    }

    /// Takes the first failure since the last call. After a failure the command's answer cannot be
    /// trusted.
    pub fn take_failure(&self) -> Option<StoreError> {
        self.lock().failure.take()
    }

    pub(in crate::store) fn take_postponed(&self) -> BTreeSet<(PostponedFold, PathBuf)> {
        std::mem::take(&mut self.lock().postponed)
    }
}
