//! Puts `issues.jsonl` in place and keeps a copy of it.
//!
//! This module owns `issues.kept` (the issues as this clone last wrote or accepted them) and
//! `issues.found` (the issues as they last came from outside). Every writer of the issues (the
//! fold, and the exchange with the shared branch) uses it, so that the bytes that git rolls back or
//! another program overwrites still exist in the copy.

use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use tempfile::TempPath;

use crate::store::StoreError;
use crate::store::disk::identity::{FileKey, is_same_content};
use crate::store::disk::paths::StorePaths;
use kit::sys::file::{self, PlacedFile, ReplacementFile};

/// Puts issues that we wrote in place, and keeps them.
pub(crate) fn place_issues(issues: ReplacementFile, paths: &StorePaths) -> io::Result<PlacedFile> {
    let kept = copy_beside(issues.path(), &paths.kept());
    let placed = issues.put(paths.issues())?;
    if kept.and_then(|copy| put_copy(copy, &paths.kept())).is_err() {
        // An older copy would make these issues look like an external change.
        file::remove_file(&paths.kept())?;
    }
    Ok(placed)
}

/// Keeps the issues that were compared with the kept ones, if they have this key. If others are
/// there by now, because git does not respect our lock, the next command compares them.
pub(super) fn keep_compared(paths: &StorePaths, key: &FileKey) -> Result<bool, StoreError> {
    let kept = paths.kept();
    let copy = copy_beside(paths.issues(), &kept);
    if !is_same_content(&FileKey::at(paths.issues()), key) {
        return Ok(false);
    }
    match copy {
        Ok(copy) => put_copy(copy, &kept),
        Err(_) if key.exists == 0 => file::remove_file(&kept),
        Err(error) => Err(error),
    }
    .map_err(|error| StoreError::io("write", &kept, error))?;
    Ok(true)
}

/// Keeps issues that came from outside, if they have this key.
pub(crate) fn keep_found(paths: &StorePaths, key: &FileKey) -> Result<(), StoreError> {
    if !keep_compared(paths, key)? {
        return Ok(());
    }
    let found = paths.found();
    let replaced = file::remove_file(&found).and_then(|()| match key.exists {
        0 => Ok(()),
        // No program writes into the copy, so that a second name suffices. Not every file system
        // supports one.
        _ => fs::hard_link(paths.kept(), &found)
            .or_else(|_| put_copy(copy_beside(&paths.kept(), &found)?, &found)),
    });
    replaced.map_err(|error| StoreError::io("write", &found, error))
}

/// Returns true if the issues with this key are the kept ones. A second name of the same file is no
/// copy: a program that writes into the issues would change both.
pub(super) fn is_kept(key: &FileKey, kept: &Metadata) -> bool {
    let kept_key = (kept.len(), kept.mtime(), kept.mtime_nsec());
    let is_copy = (key.device, key.inode) != (kept.dev(), kept.ino());
    key.exists == 1 && is_copy && (key.size, key.modified_s, key.modified_ns) == kept_key
}

/// Copies a file, with its modification time, to a temporary file beside another one.
fn copy_beside(from: &Path, place: &Path) -> io::Result<TempPath> {
    let file = file::open_regular_file(from)?;
    let time = file.metadata()?.modified()?;
    let copy = tempfile::Builder::new().prefix(".tmp-").make_in(
        place.parent().unwrap_or(place),
        |name| {
            let mut copy = File::create_new(name)?;
            io::copy(&mut &file, &mut copy)?;
            copy.set_modified(time)
        },
    )?;
    Ok(copy.into_temp_path())
}

fn put_copy(copy: TempPath, place: &Path) -> io::Result<()> {
    copy.persist(place).map_err(|error| error.error)
}
