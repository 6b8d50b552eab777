//! The writers' lock: a kernel lock on a file that is never renamed.
//!
//! The kernel releases the lock when its holder ends, in any way. After locking, the inode of the
//! file is compared with the one at the path, so that a lock on a removed file does not count.
//!
//! The kernel gives a free lock to the first process that asks, which may be a newcomer every time.
//! So a writer that has waited for some seconds also takes a shared lock on the folder. Newcomers
//! see that lock and wait until no process holds it.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::sys::file;

/// The time that a writer waits for others.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// The waiting time after which newcomers let a writer go first.
const TURN_WAIT: Duration = Duration::from_secs(3);

/// The maximum number of attempts if the lock file is removed while processes wait for it.
const MAX_ATTEMPTS: usize = 20;

/// The reason why the lock was not acquired.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// The file cannot be locked.
    #[error("cannot lock {path}")]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    /// Others held the lock for the whole waiting time.
    #[error("another process has held {path} for {seconds}s")]
    Held { path: PathBuf, seconds: u64 },
}

/// A lock of a file or folder, held until this value is dropped.
#[derive(Debug)]
pub struct LockGuard {
    file: File,
}

impl Drop for LockGuard {
    /// Closing the file is not enough: a child that another thread is just starting has a copy of it
    /// until its program runs.
    fn drop(&mut self) {
        self.file.unlock().ok();
    }
}

/// Waits for the lock for at most `patience`.
pub fn acquire_lock(path: &Path, patience: Duration) -> Result<LockGuard, LockError> {
    acquire_in_turn(path, patience, Some(TURN_WAIT))
}

/// Waits for a lock of the folder other than the writers' lock. It has no turns, because a process
/// that waits for it must not block writers for which its holder may be waiting.
pub fn acquire_separate_lock(path: &Path, patience: Duration) -> Result<LockGuard, LockError> {
    acquire_in_turn(path, patience, None)
}

fn acquire_in_turn(
    path: &Path,
    patience: Duration,
    turn: Option<Duration>,
) -> Result<LockGuard, LockError> {
    let failed = |source| LockError::Io {
        path: path.to_owned(),
        source,
    };
    let began = Instant::now();
    for _ in 0..MAX_ATTEMPTS {
        let opened = file::open_append(path, file::SHARED).map_err(failed)?;
        let left = || patience.saturating_sub(began.elapsed());
        if turn.is_some() && !yield_to_waiting(path, left()).map_err(failed)? {
            break;
        }
        // No process waits longer than its patience, so this limits the turn too.
        let turn = turn.unwrap_or(patience);
        match lock_with_timeout(opened, path, left(), turn).map_err(failed)? {
            Some(lock) if file::is_at(&lock.file, path) => return Ok(lock),
            Some(_) => {}
            None => break,
        }
    }
    Err(LockError::Held {
        path: path.to_owned(),
        seconds: patience.as_secs(),
    })
}

/// Waits while any process has waited long. Returns false if that took the whole time.
fn yield_to_waiting(path: &Path, patience: Duration) -> io::Result<bool> {
    // If a folder cannot be locked, no process has locked it.
    let Some(folder) = path.parent().and_then(|folder| File::open(folder).ok()) else {
        return Ok(true);
    };
    match folder.try_lock() {
        Ok(()) => {
            drop(LockGuard { file: folder });
            return Ok(true);
        }
        Err(TryLockError::WouldBlock) if !patience.is_zero() => {}
        // A process without patience asks once.
        Err(_) => return Ok(true),
    }
    let (answer, waiting) = channel();
    wait_in_thread(folder, File::lock, answer, |locked| locked)?;
    Ok(waiting.recv_timeout(patience).is_ok())
}

/// The result of a lock call in a thread.
enum LockAttempt {
    Lock(io::Result<LockGuard>),
    /// The turn: no process that starts to wait later gets the lock first.
    Turn(io::Result<LockGuard>),
}

/// Locks the file; `None` if others held the lock for the whole time.
fn lock_with_timeout(
    file: File,
    path: &Path,
    patience: Duration,
    turn: Duration,
) -> io::Result<Option<LockGuard>> {
    match file.try_lock() {
        Ok(()) => return Ok(Some(LockGuard { file })),
        Err(TryLockError::Error(error)) => return Err(error),
        Err(TryLockError::WouldBlock) if patience.is_zero() => return Ok(None),
        Err(TryLockError::WouldBlock) => {}
    }
    let began = Instant::now();
    let (answer, waiting) = channel();
    wait_in_thread(file, File::lock, answer.clone(), LockAttempt::Lock)?;
    let mut answer = Some(answer);
    let mut own_turn = None;
    loop {
        let left = patience.saturating_sub(began.elapsed());
        let limit = if answer.is_some() {
            left.min(turn)
        } else {
            left
        };
        match waiting.recv_timeout(limit) {
            Ok(LockAttempt::Lock(locked)) => {
                drop(own_turn);
                return locked.map(Some);
            }
            // If the folder cannot be locked, the order is left to chance.
            Ok(LockAttempt::Turn(locked)) => own_turn = locked.ok(),
            Err(RecvTimeoutError::Timeout) => {
                let folder = path.parent().and_then(|folder| File::open(folder).ok());
                match (answer.take(), folder) {
                    (Some(answer), Some(folder)) if left > turn => {
                        wait_in_thread(folder, File::lock_shared, answer, LockAttempt::Turn)?;
                    }
                    (Some(_), _) if left > turn => {}
                    _ => return Ok(None),
                }
            }
            Err(RecvTimeoutError::Disconnected) => return Err(io::Error::other("waiting stopped")),
        }
    }
}

/// Waits for a lock in a thread, because the kernel has no time limit for locks. A thread whose
/// caller has given up stays until it gets the lock, and then releases it.
fn wait_in_thread<T: Send + 'static>(
    file: File,
    lock: fn(&File) -> io::Result<()>,
    answer: Sender<T>,
    got: fn(io::Result<LockGuard>) -> T,
) -> io::Result<()> {
    let waiting = thread::Builder::new().spawn(move || {
        let locked = loop {
            match lock(&file) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                done => break done.map(|()| LockGuard { file }),
            }
        };
        // If the caller is gone, the guard is dropped, which releases the lock.
        answer.send(got(locked)).ok();
    });
    waiting.map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_writer_times_out_with_the_path_of_the_lock() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".lock");
        let held = acquire_lock(&path, Duration::ZERO).unwrap();
        let error = acquire_lock(&path, Duration::from_millis(20)).unwrap_err();
        assert!(error.to_string().contains(".lock"), "{error}");
        // As a child has it that another thread is just starting.
        let _inherited = held.file.try_clone().unwrap();
        drop(held);
        acquire_lock(&path, Duration::ZERO).unwrap();
    }

    #[test]
    fn a_turn_ends_although_a_starting_child_has_a_copy_of_the_folder() {
        let keep = tempfile::tempdir().unwrap();
        let folder = File::open(keep.path()).unwrap();
        let _inherited = folder.try_clone().unwrap();
        for lock in [File::lock_shared, File::lock] {
            let (answer, waiting) = channel();
            let copy = folder.try_clone().unwrap();
            wait_in_thread(copy, lock, answer, |locked| locked).unwrap();
            let turn = waiting.recv().unwrap().unwrap();
            let other = File::open(keep.path()).unwrap();
            assert!(other.try_lock().is_err());
            drop(turn);
            other.try_lock().unwrap();
        }
        // The question whether a process waits leaves no lock, either.
        let path = keep.path().join(".lock");
        assert!(yield_to_waiting(&path, Duration::ZERO).unwrap());
        File::open(keep.path()).unwrap().try_lock().unwrap();
    }

    #[test]
    fn waiting_for_another_lock_does_not_block_writers() {
        let folder = tempfile::tempdir().unwrap();
        let (writers, other) = (
            folder.path().join(".lock"),
            folder.path().join(".sync.lock"),
        );
        let _held = acquire_separate_lock(&other, Duration::ZERO).unwrap();
        let waiting = {
            let other = other.clone();
            thread::spawn(move || {
                acquire_separate_lock(&other, Duration::from_millis(300)).map(drop)
            })
        };
        while !waiting.is_finished() {
            let turn = Some(Duration::from_millis(1));
            acquire_in_turn(&writers, Duration::from_secs(20), turn).unwrap();
        }
        assert!(waiting.join().unwrap().is_err());
    }

    #[test]
    fn a_waiting_writer_gets_the_lock_when_it_is_released() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".lock");
        let held = acquire_lock(&path, Duration::ZERO).unwrap();
        let others: Vec<_> = (0..4)
            .map(|_| {
                let path = path.clone();
                thread::spawn(move || acquire_lock(&path, PATIENCE).map(drop))
            })
            .collect();
        drop(held);
        for other in others {
            other.join().unwrap().unwrap();
        }
    }

    #[test]
    fn a_removed_lock_file_is_recreated() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".lock");
        let _first = acquire_lock(&path, Duration::ZERO).unwrap();
        std::fs::remove_file(&path).unwrap();
        acquire_lock(&path, Duration::ZERO).unwrap();
    }

    #[test]
    fn a_long_waiting_writer_goes_before_newcomers() {
        for _ in 0..20 {
            // One of its own each time: a thread of the last one may still be giving its turn back.
            let keep = tempfile::tempdir().unwrap();
            let path = keep.path().join(".lock");
            let folder = File::open(keep.path()).unwrap();
            let held = acquire_lock(&path, Duration::ZERO).unwrap();
            let (tell, reports) = channel();
            let waiting = |name: &'static str, turn: Duration| {
                let (path, tell) = (path.clone(), tell.clone());
                thread::spawn(move || {
                    let guard = acquire_in_turn(&path, PATIENCE, Some(turn)).unwrap();
                    tell.send(name).unwrap();
                    drop(guard);
                })
            };
            let first = waiting("first", Duration::ZERO);
            // Seen twice, for it looks whether there is anyone itself, once.
            let has_its_turn = || {
                let is_shared = folder.try_lock_shared().is_ok();
                folder.unlock().unwrap();
                let is_locked = folder.try_lock().is_err();
                folder.unlock().unwrap();
                is_shared && is_locked
            };
            while !(has_its_turn() && has_its_turn()) {
                thread::yield_now();
            }
            let newcomer = waiting("newcomer", TURN_WAIT);
            assert!(acquire_lock(&path, Duration::ZERO).is_err());
            drop(held);
            assert_eq!(
                [reports.recv().unwrap(), reports.recv().unwrap()],
                ["first", "newcomer"]
            );
            first.join().unwrap();
            newcomer.join().unwrap();
        }
    }
}
