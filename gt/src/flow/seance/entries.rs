//! Lists folders in the stores of agent programs.

use std::path::{Path, PathBuf};

/// Returns the entries of a folder, sorted. Empty if it cannot be read.
pub(super) fn list_entries(folder: &Path) -> Vec<PathBuf> {
    let read = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = read.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}
