//! What the store had when it was last brought together with its branch: the common state of the next merge,
//! and how to see cheaply that nothing is new since.
//!
//! Local and derived from what was done: without it the next merge has no common state, and keeps what either side has.

use crate::store::disk::identity::FileKey;
use std::fs::{self};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::store::commit::place_issues;
use crate::store::disk::files;
use crate::store::{Store, StoreError};
use kit::sys::Clock;

/// The last time that store and branch were brought together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SyncBase {
    /// The branch.
    pub branch: String,
    /// Its commit, which the store has all of.
    pub commit: String,
    /// When.
    pub at: String,
    /// The issues as they were then.
    pub issues: FileKey,
}

/// Remembers that the issues of a folder were just read from a commit.
pub(crate) fn record_first_base(
    dir: &Path,
    branch: &str,
    commit: &str,
    clock: &Clock,
) -> Result<(), StoreError> {
    let store = Store::at(dir);
    place_issues::keep_fetched(&store.paths)?;
    store.set_base(&SyncBase {
        branch: branch.to_owned(),
        commit: commit.to_owned(),
        at: clock.now().to_string(),
        issues: FileKey::at(store.issues_file()),
    })
}

impl Store {
    /// The last time that this store and its branch were brought together.
    pub fn base(&self) -> Option<SyncBase> {
        let text = fs::read(self.paths.base()).ok()?;
        serde_json::from_slice(&text).ok()
    }

    /// Remembers that the store has all of a commit.
    pub fn set_base(&self, base: &SyncBase) -> Result<(), StoreError> {
        let mut text = serde_json::to_vec(base).unwrap_or_default();
        text.push(b'\n');
        files::replace_store_file(&self.paths.base(), &text)
    }

    /// Whether anything durable changed since then, as far as it is folded. Looks at three files and reads one
    /// short one.
    pub fn has_changes_since_base(&self) -> bool {
        let waits = fs::metadata(self.paths.local_events()).is_ok_and(|meta| meta.len() > 0);
        let issues = FileKey::at(self.paths.issues());
        waits || self.base().is_none_or(|base| base.issues != issues)
    }

    /// When the issues or the history that waits last changed, in seconds since 1970.
    pub fn last_changed(&self) -> i64 {
        let files = [self.paths.issues().to_owned(), self.paths.local_events()];
        let times = files.iter().filter_map(|path| fs::metadata(path).ok());
        times.map(|meta| meta.mtime()).max().unwrap_or_default()
    }
}
