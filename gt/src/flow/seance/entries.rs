//! Lists folders and files in the stores of agent programs.

use std::path::{Path, PathBuf};

use jiff::Timestamp;

/// Returns the entries of a folder, sorted. Empty if it cannot be read.
pub(super) fn list_entries(folder: &Path) -> Vec<PathBuf> {
    let read = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = read.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// Returns the time of a file's last change. None if it cannot be read.
pub(super) fn change_time(path: &Path) -> Option<Timestamp> {
    let changed = std::fs::metadata(path).and_then(|meta| meta.modified());
    Timestamp::try_from(changed.ok()?).ok()
}
