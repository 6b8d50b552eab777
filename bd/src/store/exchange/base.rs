//! The state of the store at its last exchange with the sync branch: the common base of the next
//! merge, and a cheap check for changes since then.
//!
//! The base is local and derived. Without it the next merge has no common base, and keeps the beads
//! of both sides.

use crate::store::disk::identity::FileKey;
use std::fs::{self};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::store::commit::issues_file;
use crate::store::disk::files;
use crate::store::{Store, StoreError};
use kit::sys::{Clock, file};

/// The number of bytes within which an event names its time.
const EVENT_HEAD_BYTES: usize = 256;

/// The last exchange of store and branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SyncBase {
    pub branch: String,
    /// The commit of the branch, which is completely in the store.
    pub commit: String,
    pub at: String,
    /// The identity of the issues at that time.
    pub issues: FileKey,
}

/// Records that the issues of a folder were just read from a commit.
pub(crate) fn record_first_base(
    dir: &Path,
    branch: &str,
    commit: &str,
    clock: &Clock,
) -> Result<(), StoreError> {
    let store = Store::at(dir);
    issues_file::keep_found(&store.paths, &FileKey::at(store.issues_file()))?;
    store.set_base(&SyncBase {
        branch: branch.to_owned(),
        commit: commit.to_owned(),
        at: clock.now().to_string(),
        issues: FileKey::at(store.issues_file()),
    })
}

impl Store {
    /// Returns the last exchange of this store and its branch.
    pub fn base(&self) -> Option<SyncBase> {
        let text = file::read_regular_file(&self.paths.base()).ok()??;
        serde_json::from_slice(&text).ok()
    }

    /// Records that a commit is completely in the store.
    pub fn set_base(&self, base: &SyncBase) -> Result<(), StoreError> {
        let path = self.paths.base();
        let mut text = serde_json::to_vec(base)
            .map_err(|error| StoreError::io("write", &path, error.into()))?;
        text.push(b'\n');
        files::replace_store_file(&path, &text)
    }

    /// Returns true if any durable bead changed since the last exchange, as far as the change is
    /// folded. Checks three files and reads a short one.
    pub fn has_changes_since_base(&self) -> bool {
        let waits = fs::metadata(self.paths.local_events()).is_ok_and(|meta| meta.len() > 0);
        let issues = FileKey::at(self.paths.issues());
        waits || self.base().is_none_or(|base| base.issues != issues)
    }

    /// Returns the time of the oldest change that waits for the next exchange.
    pub fn oldest_waiting_change(&self) -> Option<Timestamp> {
        let mut start = vec![0; EVENT_HEAD_BYTES];
        let events = file::open_regular_file(&self.paths.local_events()).ok()?;
        let length = events.read_at(&mut start, 0).ok()?;
        let head = String::from_utf8_lossy(&start[..length]);
        let (_, at) = head.lines().next()?.split_once("\"at\":\"")?;
        at.split('"').next()?.parse().ok()
    }

    /// The last change of the issues or of the waiting history, in seconds since 1970.
    pub fn last_changed(&self) -> i64 {
        let files = [self.paths.issues().to_owned(), self.paths.local_events()];
        files
            .iter()
            .filter_map(|path| fs::metadata(path).ok())
            .map(|meta| meta.mtime())
            .max()
            .unwrap_or_default()
    }
}
