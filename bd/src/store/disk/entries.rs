//! Refuses a beads folder in which a repository put links, pipes or devices in place of files.
//!
//! A repository can track a symbolic link under any name, and a checkout creates it. A store that
//! followed it would write to files of the user. The functions of [`kit::sys::file`] follow no link
//! either; this check also covers the subfolders, and its error comes before anything is read.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::git::Git;
use crate::store::StoreError;
use kit::sys::file;

/// Checks that each entry of a beads folder is a regular file or a folder, and that the folder is
/// not a tracked link.
pub(in crate::store) fn check_entries(dir: &Path) -> Result<(), StoreError> {
    if is_tracked_link(dir) {
        return Err(StoreError::TrackedLink(dir.to_owned()));
    }
    let failed = |error| StoreError::io("read", dir, error);
    for entry in fs::read_dir(dir).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let kind = match entry.file_type() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            kind => kind.map_err(failed)?,
        };
        if kind.is_file() || kind.is_dir() || !is_opened(&entry.file_name()) {
            continue;
        }
        file::check_kind(kind).map_err(|source| StoreError::NotRegular {
            path: entry.path(),
            source,
        })?;
    }
    Ok(())
}

/// The names without one of the usual endings under which a store opens files and folders.
const OPENED_NAMES: [&str; 12] = [
    "archive",
    "clone-id",
    "damaged",
    "events",
    "issues.found",
    "issues.kept",
    "last-touched",
    "redirect",
    "sync-base",
    ".lock",
    ".sync.lock",
    ".local_version",
];

/// Returns true for the names that a store opens. Others, such as the locks of editors, the sockets
/// of other trackers and linked formulas, are left alone.
fn is_opened(name: &OsStr) -> bool {
    let has_usual_ending = Path::new(name).extension().is_some_and(|ending| {
        ["jsonl", "json", "yaml", "bin", "db"]
            .iter()
            .any(|own| ending == *own)
    });
    let is_hidden = name.as_encoded_bytes().first() == Some(&b'.');
    (has_usual_ending && !is_hidden) || OPENED_NAMES.iter().any(|own| name == *own)
}

/// Returns true if a path is a link that git tracks, so that everyone who can push decides where it
/// leads.
pub fn is_tracked_link(link: &Path) -> bool {
    if !fs::symlink_metadata(link).is_ok_and(|found| found.is_symlink()) {
        return false;
    }
    let (Some(folder), Some(name)) = (link.parent(), link.file_name()) else {
        return false;
    };
    let name = PathBuf::from(name);
    let listed = Git::at(folder)
        .plumbing(["ls-files", "--"])
        .args([&name])
        .text();
    listed.is_ok_and(|listed| !listed.is_empty())
}
