//! Kernel locks on files that are never renamed or removed. The kernel frees a lock when its holder
//! dies in any way.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use kit::sys::{clock, file};

/// Longer than a check for a free lock takes.
const A_LOOK: Duration = Duration::from_millis(200);

/// A held lock, freed on drop.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

impl Drop for Lock {
    /// Closing the file is not enough: a child that another thread is just starting has a copy of it
    /// until its program runs.
    fn drop(&mut self) {
        self.file.unlock().ok();
    }
}

#[derive(Debug, thiserror::Error)]
pub enum LockError {
    #[error("{} is held by another process", path.display())]
    Held { path: PathBuf },
    #[error("cannot use the lock file {}; {}", path.display(), hint_for(source))]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

/// Returns a hint for making a lock file usable.
fn hint_for(source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::IsADirectory => "a folder has its name: move it away",
        io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists => {
            "a file is where its folder should be: move it away"
        }
        io::ErrorKind::PermissionDenied => "make it writable for this user",
        io::ErrorKind::ReadOnlyFilesystem => "its file system is read-only: make it writable",
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "the disk is full: free some space"
        }
        _ => "it must be a file on a file system that has locks",
    }
}

impl Lock {
    /// Takes the lock if no process works under it. A process that only checks if the lock is free
    /// holds it for a moment, which is waited out.
    pub fn try_take(path: &Path) -> Result<Self, LockError> {
        Self::take(path, A_LOOK)
    }

    /// Tries once. With `is_made`, creates a missing file.
    fn try_once(path: &Path, is_made: bool) -> Result<Self, LockError> {
        let build_error = |source| LockError::Io {
            path: path.to_owned(),
            source,
        };
        let mut options = OpenOptions::new();
        options.write(true);
        let opened = match options.open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && is_made => {
                if let Some(folder) = path.parent() {
                    file::create_folder(folder, 0o700).map_err(build_error)?;
                }
                options.create(true).truncate(false).open(path)
            }
            opened => opened,
        };
        let file = opened.map_err(build_error)?;
        match file.try_lock() {
            Ok(()) => Ok(Self { file }),
            Err(TryLockError::WouldBlock) => Err(LockError::Held {
                path: path.to_owned(),
            }),
            Err(TryLockError::Error(source)) => Err(build_error(source)),
        }
    }

    /// Takes the lock and waits at most `limit` for its holder.
    pub fn take(path: &Path, limit: Duration) -> Result<Self, LockError> {
        clock::wait_for(limit, || match Self::try_once(path, true) {
            Err(LockError::Held { .. }) => None,
            other => Some(other),
        })
        .unwrap_or_else(|| {
            Err(LockError::Held {
                path: path.to_owned(),
            })
        })
    }

    /// Returns true if no process holds the lock now. True also for a lock file that cannot be
    /// used. Taking it gives the error.
    pub fn is_free(path: &Path) -> bool {
        !matches!(Self::try_once(path, false), Err(LockError::Held { .. }))
    }
}

/// Returns true if the error is that another process holds a lock.
pub fn is_lock_held_error(error: &anyhow::Error) -> bool {
    error
        .chain()
        .any(|cause| matches!(cause.downcast_ref(), Some(LockError::Held { .. })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_held_lock_is_reported_and_released_on_drop() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("locks/nux.slot");
        let held = Lock::try_take(&path).unwrap();
        assert!(matches!(Lock::try_take(&path), Err(LockError::Held { .. })));
        assert!(!Lock::is_free(&path));
        // As a child has it that another thread is just starting.
        let _inherited = held.file.try_clone().unwrap();
        drop(held);
        assert!(Lock::is_free(&path));
    }

    #[test]
    fn an_unusable_lock_file_is_an_immediate_error_without_a_holder() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("nux.slot");
        std::fs::create_dir(&path).unwrap();
        // A wait would last an hour.
        let error = Lock::take(&path, Duration::from_secs(3600)).unwrap_err();
        let words = error.to_string();
        assert!(words.contains("nux.slot; a folder has its name"), "{words}");
        assert!(Lock::is_free(&path));
        let below = folder.path().join("file/nux.slot");
        std::fs::write(folder.path().join("file"), "").unwrap();
        let words = Lock::try_take(&below).unwrap_err().to_string();
        assert!(
            words.contains("a file is where its folder should be"),
            "{words}"
        );
    }

    #[test]
    fn a_check_that_holds_the_lock_for_a_moment_is_waited_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("nux.slot");
        drop(Lock::try_take(&path).unwrap());
        for _ in 0..200 {
            let (sender, receiver) = std::sync::mpsc::channel();
            let look = Lock::try_take(&path).unwrap();
            let looker = std::thread::spawn(move || {
                receiver.recv().unwrap();
                drop(look);
            });
            sender.send(()).unwrap();
            // A busy machine may stop the other thread for longer than `A_LOOK`.
            Lock::take(&path, Duration::from_secs(60)).unwrap();
            looker.join().unwrap();
        }
    }
}
