//! Finds the file for which git waited in a work tree that someone else writes.
//!
//! Git opens some files by their names in each folder, also if one of them is a pipe, and then waits
//! for its other end. To look for such files before each command would cost more than the command. So
//! the first command that runs into its time limit looks, and remembers the file: until it is gone,
//! no git runs there.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use kit::sys::file;

use super::run::path_of_bytes;
use super::{Git, GitError};

/// The files that git opens by name.
const READ_BY_NAME: [&str; 4] = [".gitattributes", ".gitignore", ".gitmodules", ".mailmap"];

/// The number of entries of a work tree that are looked at.
const MAX_ENTRIES: usize = 500_000;

/// The record of the file, beside the index.
const RECORD_NAME: &str = "gt-stalling-file";

impl Git {
    /// Fails while the file is there for which git has waited in this work tree.
    pub fn check_stalling_file(&self) -> Result<(), GitError> {
        let Some(separate) = &self.separate else {
            return Ok(());
        };
        let record = separate.git_dir.join(RECORD_NAME);
        let failed = |error: io::Error| Self::file_error(&record, error);
        let Some(bytes) = file::read_file_if_exists(&record).map_err(failed)? else {
            return Ok(());
        };
        let path = path_of_bytes(&bytes);
        if is_stalling(&path) {
            return Err(GitError::StallingFile { path });
        }
        file::remove_file(&record).map_err(failed)
    }

    /// Returns the error for a command that did not end in its time, if a file explains it, and
    /// remembers the file.
    pub(super) fn explain_time_limit(&self) -> Option<GitError> {
        let separate = self.separate.as_ref()?;
        let path = find_stalling_file(&separate.top)?;
        let record = separate.git_dir.join(RECORD_NAME);
        let bytes = path.clone().into_os_string().into_vec();
        // Without the record, the next command waits, too.
        file::replace_file_relaxed(&record, &bytes, 0o600).ok();
        Some(GitError::StallingFile { path })
    }
}

/// Returns true if git would wait for the file at a path.
fn is_stalling(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| {
        let kind = found.file_type();
        !kind.is_file() && !kind.is_dir() && !kind.is_symlink()
    })
}

/// Returns the first file of a work tree for which git would wait, the upper folders first. No link is
/// followed.
pub fn find_stalling_file(top: &Path) -> Option<PathBuf> {
    let mut folders = VecDeque::from([top.to_owned()]);
    let mut count = 0;
    while let Some(folder) = folders.pop_front() {
        // An unreadable folder has no file that is known to stall.
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            count += 1;
            if count > MAX_ENTRIES {
                return None;
            }
            let name = entry.file_name();
            if is_read_by_name(&name) && is_stalling(&entry.path()) {
                return Some(entry.path());
            }
            if name != ".git" && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push_back(entry.path());
            }
        }
    }
    None
}

fn is_read_by_name(name: &OsStr) -> bool {
    READ_BY_NAME
        .iter()
        .any(|known| name.as_bytes() == known.as_bytes())
}
