//! Creates temporary folders.
//!
//! Only the owner can read a folder, and it is removed at the end of its use, even when a signal
//! ends the program. Gates, hooks and plugins that run then end with the program.

use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::thread;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use tempfile::TempDir;

use crate::town::process;

/// The folders in use.
static IN_USE: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
/// True if a signal ends this process at once.
static ENDS_AT_ONCE: AtomicBool = AtomicBool::new(false);
static WATCH: Once = Once::new();

/// Returns the signals that ask a program to end. A signal that the parent process set to be
/// ignored (`nohup`) stays ignored.
pub fn ending_signals() -> impl Iterator<Item = i32> {
    [SIGHUP, SIGINT, SIGTERM]
        .into_iter()
        .filter(|signal| !process::is_signal_ignored(*signal))
}

/// Removes the temporary folders of this process, and ends its gates, hooks and plugins, before a
/// signal ends it. Not for a program that handles these signals itself.
pub fn remove_on_signals() {
    ENDS_AT_ONCE.store(true, Ordering::Relaxed);
}

/// Begins to wait for signals, before a folder is created or a long child is started.
pub(crate) fn prepare_for_signals() {
    if ENDS_AT_ONCE.load(Ordering::Relaxed) {
        // Without handlers a signal leaves folders and children behind, which is acceptable.
        WATCH.call_once(|| drop(watch_signals()));
    }
}

fn watch_signals() -> io::Result<()> {
    let mut signals = Signals::new(ending_signals())?;
    thread::spawn(move || {
        for signal in signals.forever() {
            // Both are held until the end, so that no further child or folder is created.
            let _stopped = kit::sys::exec::kill_stoppable_children();
            let folders = in_use();
            for folder in folders.iter() {
                // The process ends now even if a removal fails.
                fs::remove_dir_all(folder).ok();
            }
            signal_hook::low_level::emulate_default_handler(signal).ok();
        }
    });
    Ok(())
}

/// A temporary folder that only its owner can read.
#[derive(Debug)]
pub(crate) struct TemporaryFolder {
    folder: TempDir,
}

impl TemporaryFolder {
    /// Creates a folder whose name begins with `prefix`.
    pub(crate) fn new(prefix: &str) -> io::Result<Self> {
        Self::make(|private| {
            tempfile::Builder::new()
                .prefix(prefix)
                .permissions(private)
                .tempdir()
        })
    }

    /// Creates the folder at this path. A folder that a killed program left there is removed first.
    pub(crate) fn at(path: &Path) -> io::Result<Self> {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(io::ErrorKind::InvalidFilename.into());
        };
        kit::sys::file::create_folder(parent, 0o700)?;
        match fs::remove_dir_all(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        Self::make(|private| {
            let mut builder = tempfile::Builder::new();
            let builder = builder.prefix(name).rand_bytes(0).permissions(private);
            builder.tempdir_in(parent)
        })
    }

    fn make(make: impl FnOnce(Permissions) -> io::Result<TempDir>) -> io::Result<Self> {
        prepare_for_signals();
        // A signal waits until the folder is registered.
        let mut in_use = in_use();
        let folder = make(Permissions::from_mode(0o700))?;
        in_use.insert(folder.path().to_owned());
        Ok(Self { folder })
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Keeps the folder on drop.
    pub(crate) fn keep(&mut self) {
        self.folder.disable_cleanup(true);
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        in_use().remove(self.folder.path());
    }
}

/// A poisoned lock means a panic between two plain changes of the set, so the set is still valid.
fn in_use() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    IN_USE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_temporary_folder_is_private_and_removed_after_use() {
        let folder = TemporaryFolder::new("gt-test-").unwrap();
        let path = folder.path().to_owned();
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        drop(folder);
        assert!(!path.exists());
    }

    #[test]
    fn leftovers_of_a_killed_program_are_removed_before_the_folder_is_recreated() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("own/session");
        let mut killed = TemporaryFolder::at(&path).unwrap();
        fs::write(killed.path().join("left"), "").unwrap();
        killed.keep();
        drop(killed);
        assert!(path.join("left").exists());
        let folder = TemporaryFolder::at(&path).unwrap();
        assert_eq!(folder.path(), path);
        assert_eq!(fs::read_dir(&path).unwrap().count(), 0);
        drop(folder);
        assert!(!path.exists());
    }
}
