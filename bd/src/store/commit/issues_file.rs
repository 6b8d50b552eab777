//! Puts `issues.jsonl` in place and keeps it under a second name.
//!
//! This module owns `issues.kept` (the issues as this clone last wrote or accepted them) and
//! `issues.found` (the issues as they last came from outside). Every writer of the issues (the fold, and the exchange with the shared
//! branch) uses it, so that the bytes that git rolls back still exist under the second name.

use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use super::issues_copy;
use super::kept_copy::{KeptCopy, inode_of};
use crate::store::StoreError;
use crate::store::disk::identity::FileKey;
use crate::store::disk::paths::StorePaths;
use crate::store::index::ISSUES;
use crate::store::view::source::StoreRead;
use kit::sys::file::{self, PlacedFile, ReplacementFile};

/// Puts issues that we wrote in place, and keeps them.
pub(crate) fn place_issues(issues: ReplacementFile, paths: &StorePaths) -> io::Result<PlacedFile> {
    let kept = KeptCopy::from_file(issues.path(), &paths.kept());
    if kept.as_ref().is_ok_and(|kept| !kept.is_copy) {
        // Without its earlier state, only a program that replaces the file is noticed.
        issues_copy::keep_previous(paths).ok();
    }
    let mut placed = issues.put(paths.issues())?;
    if kept.and_then(KeptCopy::put).is_err() {
        // An older found file would make these issues look like an external change.
        file::remove_file(&paths.kept())?;
    }
    // A second name changes the inode time of the first.
    let now = fs::metadata(paths.issues());
    if let Some(now) = now
        .ok()
        .filter(|now| inode_of(now) == inode_of(&placed.there))
    {
        placed.there = now;
    }
    Ok(placed)
}

/// Starts to keep issues that were just read from a commit.
pub(crate) fn keep_fetched(paths: &StorePaths) -> Result<(), StoreError> {
    let key = FileKey::at(paths.issues());
    keep_as(paths, &[paths.found(), paths.kept()], &key).map(drop)
}

/// Keeps the issues that were read and compared. If others are there by now, because git does not
/// respect our lock, the next command compares them with the kept ones.
pub(super) fn accept_found(read: &StoreRead, places: &[PathBuf]) -> Result<(), StoreError> {
    let source = &read.source;
    if keep_as(&source.paths, places, source.read_key(ISSUES))? {
        read.write_linked_index();
    }
    Ok(())
}

/// Keeps the issues if they have this key.
fn keep_as(paths: &StorePaths, places: &[PathBuf], key: &FileKey) -> Result<bool, StoreError> {
    for place in places {
        let failed = |error| StoreError::io("write", place, error);
        let kept = match KeptCopy::from_file(paths.issues(), place) {
            Ok(kept) if kept.is_unchanged_since(key) => kept.put(),
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            Err(_) if key.exists == 0 => file::remove_file(place),
            _ => return Ok(false),
        };
        kept.map_err(failed)?;
    }
    issues_copy::forget_copy(paths)
        .map_err(|error| StoreError::io("write", &paths.folded(), error))?;
    Ok(true)
}

/// Returns true if the issues with this key are the kept ones.
pub(super) fn is_kept(key: &FileKey, kept: &Metadata) -> bool {
    let kept_key = (kept.len(), kept.mtime(), kept.mtime_nsec());
    key.exists == 1 && (key.size, key.modified_s, key.modified_ns) == kept_key
}
