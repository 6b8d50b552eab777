//! The writers' lock: a kernel lock on a file that is never renamed.
//!
//! The kernel frees it when its holder ends, however it ends. After locking, the file's inode is compared
//! with the one at the path, so that a lock on a file that someone removed does not count.

use std::fs::{File, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use super::StoreError;
use crate::sys::file;

/// How long a writer waits for the others.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// How often the lock file may be taken away under those who wait for it.
const TRIES: usize = 20;

/// The lock, held until this is dropped.
#[derive(Debug)]
pub struct Guard {
    _file: File,
}

/// Waits for the lock, at most `patience`.
pub fn acquire(path: &Path, patience: Duration) -> Result<Guard, StoreError> {
    let failed = |source| StoreError::io("lock", path, source);
    for _ in 0..TRIES {
        let opened = file::open_append(path, 0o644).map_err(failed)?;
        match locked(opened, patience).map_err(failed)? {
            Some(file) if is_at(&file, path) => return Ok(Guard { _file: file }),
            Some(_) => {}
            None => break,
        }
    }
    Err(StoreError::Locked {
        path: path.to_owned(),
        seconds: patience.as_secs(),
    })
}

/// The file with its lock; `None` where others held it all the time.
///
/// The kernel has no lock with a time limit, so a thread waits for it. One that waits in vain stays until
/// it gets the lock, finds nobody waiting for it, and gives it back.
fn locked(file: File, patience: Duration) -> io::Result<Option<File>> {
    match file.try_lock() {
        Ok(()) => return Ok(Some(file)),
        Err(TryLockError::Error(error)) => return Err(error),
        Err(TryLockError::WouldBlock) if patience.is_zero() => return Ok(None),
        Err(TryLockError::WouldBlock) => {}
    }
    let (answer, waiting) = channel();
    let wait = move || {
        let locked = loop {
            match file.lock() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                done => break done.map(|()| file),
            }
        };
        // With nobody there the file is closed, which frees the lock.
        answer.send(locked).ok();
    };
    thread::Builder::new().spawn(wait)?;
    match waiting.recv_timeout(patience) {
        Ok(locked) => locked.map(Some),
        Err(RecvTimeoutError::Timeout) => Ok(None),
        Err(RecvTimeoutError::Disconnected) => Err(io::Error::other("waiting stopped")),
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
        acquire(&path, PATIENCE).unwrap();
    }

    #[test]
    fn who_waits_gets_the_lock_when_it_is_freed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".lock");
        let held = acquire(&path, Duration::ZERO).unwrap();
        let others: Vec<_> = (0..4)
            .map(|_| {
                let path = path.clone();
                thread::spawn(move || acquire(&path, PATIENCE).map(drop))
            })
            .collect();
        drop(held);
        for other in others {
            other.join().unwrap().unwrap();
        }
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
