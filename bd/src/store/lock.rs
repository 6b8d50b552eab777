//! The writers' lock: a kernel lock on a file that is never renamed.
//!
//! The kernel frees it when its holder ends, however it ends. After locking, the file's inode is compared
//! with the one at the path, so that a lock on a file that someone removed does not count.

use std::fs::{File, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

use super::StoreError;
use crate::sys::{clock, file};

/// How long a writer waits for the others.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// The lock, held until this is dropped.
#[derive(Debug)]
pub struct Guard {
    _file: File,
}

/// Waits for the lock, at most `patience`.
pub fn acquire(path: &Path, patience: Duration) -> Result<Guard, StoreError> {
    let failed = |source| StoreError::io("lock", path, source);
    let attempt = || -> Option<io::Result<File>> {
        let opened = match file::open_append(path, 0o644) {
            Ok(opened) => opened,
            Err(error) => return Some(Err(error)),
        };
        match opened.try_lock() {
            Ok(()) => is_at(&opened, path).then_some(Ok(opened)),
            Err(TryLockError::WouldBlock) => None,
            Err(TryLockError::Error(error)) => Some(Err(error)),
        }
    };
    match clock::wait_for(patience, attempt) {
        Some(Ok(file)) => Ok(Guard { _file: file }),
        Some(Err(error)) => Err(failed(error)),
        None => Err(StoreError::Locked {
            path: path.to_owned(),
            seconds: patience.as_secs(),
        }),
    }
}

/// Whether the open file is still the one at the path.
fn is_at(file: &File, path: &Path) -> bool {
    match (file.metadata(), path.metadata()) {
        (Ok(own), Ok(there)) => (own.dev(), own.ino()) == (there.dev(), there.ino()),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_writer_waits_and_then_is_told_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".lock");
        let held = acquire(&path, Duration::ZERO).unwrap();
        let error = acquire(&path, Duration::from_millis(20)).unwrap_err();
        assert!(error.to_string().contains(".lock"), "{error}");
        drop(held);
        acquire(&path, Duration::ZERO).unwrap();
    }

    #[test]
    fn a_removed_lock_file_is_made_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".lock");
        let _first = acquire(&path, Duration::ZERO).unwrap();
        std::fs::remove_file(&path).unwrap();
        acquire(&path, Duration::ZERO).unwrap();
    }
}
