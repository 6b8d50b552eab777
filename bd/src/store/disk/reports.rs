//! What was noticed in stores, and what is still to be done for them once a command has answered.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::store::disk::error::StoreError;

/// Collects what stores notice and what is still to be done for them. Clones share it: a program has one for all its
/// stores, and empties it at its end.
#[derive(Debug, Clone, Default)]
pub struct StoreReports(Arc<Mutex<CollectedReports>>);

#[derive(Debug, Default)]
struct CollectedReports {
    /// Stores with a journal that may have grown old.
    old: BTreeSet<PathBuf>,
    /// Stores to be folded once nobody else seems to be writing them.
    unsettled: BTreeSet<PathBuf>,
    notices: Vec<String>,
    failure: Option<StoreError>,
    is_unread: bool,
}

impl StoreReports {
    /// Reports that nobody reads, as those of a shell's completion. What is reported once waits for another command.
    pub fn unread() -> Self {
        let reports = Self::default();
        reports.lock().is_unread = true;
        reports
    }

    pub(in crate::store) fn are_unread(&self) -> bool {
        self.lock().is_unread
    }

    fn lock(&self) -> MutexGuard<'_, CollectedReports> {
        // A panic between two pushes leaves sound lists.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The journal of a store may have grown old.
    pub(in crate::store) fn fold_when_old(&self, dir: &Path) {
        self.lock().old.insert(dir.to_owned());
    }

    /// The journal of a store is to be folded once nobody else seems to be writing the issues.
    pub(in crate::store) fn fold_when_settled(&self, dir: &Path) {
        self.lock().unsettled.insert(dir.to_owned());
    }

    /// Adds something that users should know, once.
    pub(in crate::store) fn notice(&self, notice: String) {
        let mut due = self.lock();
        if !due.notices.contains(&notice) {
            due.notices.push(notice);
        }
    }

    /// Adds several.
    pub(in crate::store) fn notice_all(&self, notices: impl IntoIterator<Item = String>) {
        for notice in notices {
            self.notice(notice);
        }
    }

    /// A record that is there could not be read; the first one counts.
    pub(in crate::store) fn fail(&self, error: StoreError) {
        self.lock().failure.get_or_insert(error);
    }

    /// Takes what was noticed since the last time.
    pub fn take_notices(&self) -> Vec<String> {
        std::mem::take(&mut self.lock().notices)
    }

    /// Takes the first failure since the last time: the command's answer is then not to be trusted.
    pub fn take_failure(&self) -> Option<StoreError> {
        self.lock().failure.take()
    }

    pub(in crate::store) fn take_unsettled(&self) -> BTreeSet<PathBuf> {
        std::mem::take(&mut self.lock().unsettled)
    }

    pub(in crate::store) fn take_old(&self) -> BTreeSet<PathBuf> {
        std::mem::take(&mut self.lock().old)
    }
}
