//! Temporary folders beside repositories, which killed processes leave behind.
//!
//! A process holds a kernel lock on each folder that it uses. A folder without one was left by a
//! process that is gone, and the next one that needs a temporary folder in the same place removes it.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::time::Duration;

use tempfile::TempDir;

/// The names of temporary folders, without their random ends.
const PREFIXES: [&str; 7] = [
    ".git-",
    "attributes-",
    "beads-index-",
    "hidden-",
    "index-",
    "rescue-",
    "taking-",
];

/// The number of random letters and digits at the end of a name.
const RANDOM_LENGTH: usize = 6;

/// The age below which a folder may be one that its process has not locked yet.
const LOCKING_TIME: Duration = Duration::from_secs(60);

/// A temporary folder, which is removed on drop.
#[derive(Debug)]
pub struct ScratchFolder {
    folder: TempDir,
    _lock: File,
}

impl ScratchFolder {
    /// Creates a folder whose name begins with one of [`PREFIXES`], and removes those that
    /// killed processes left beside it.
    pub(super) fn create(place: &Path, prefix: &str) -> io::Result<Self> {
        let folder = tempfile::Builder::new()
            .prefix(prefix)
            .rand_bytes(RANDOM_LENGTH)
            .tempdir_in(place)?;
        let lock = File::open(folder.path())?;
        // A file system without locks only keeps what killed processes left.
        lock.try_lock().ok();
        remove_left_folders(folder.path());
        Ok(Self {
            folder,
            _lock: lock,
        })
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Removes the folders beside a new one whose processes are gone. Their age is relative to the new
/// one.
fn remove_left_folders(new: &Path) {
    let changed = |path: &Path| fs::symlink_metadata(path).and_then(|found| found.modified());
    let (Ok(now), Some(place)) = (changed(new), new.parent()) else {
        return;
    };
    for entry in fs::read_dir(place).into_iter().flatten().flatten() {
        let path = entry.path();
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if !is_folder || !is_scratch_name(&entry.file_name()) {
            continue;
        }
        // A folder from the future is not old.
        let age = changed(&path)
            .ok()
            .and_then(|then| now.duration_since(then).ok());
        let is_unused = || File::open(&path).is_ok_and(|folder| folder.try_lock().is_ok());
        if age.is_some_and(|age| age > LOCKING_TIME) && is_unused() {
            // A folder that cannot be removed only takes space.
            fs::remove_dir_all(&path).ok();
        }
    }
}

fn is_scratch_name(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| {
        PREFIXES.iter().any(|prefix| {
            name.strip_prefix(prefix).is_some_and(|random| {
                random.len() == RANDOM_LENGTH
                    && random.bytes().all(|byte| byte.is_ascii_alphanumeric())
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    #[test]
    fn folders_of_killed_processes_are_removed_and_those_in_use_stay() {
        let place = tempfile::tempdir().unwrap();
        let make_old = |path: &Path| {
            let folder = File::open(path).unwrap();
            folder.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        };
        let used = ScratchFolder::create(place.path(), "taking-").unwrap();
        make_old(used.path());
        let mut left = Vec::new();
        for name in ["taking-aBc123", ".git-000000", "index-zzzzzz"] {
            let path = place.path().join(name);
            fs::create_dir_all(path.join("objects")).unwrap();
            make_old(&path);
            left.push(path);
        }
        let mut kept = Vec::new();
        for name in ["taking-young1", "taking-mine", "objects", "rescued-files"] {
            let path = place.path().join(name);
            fs::create_dir(&path).unwrap();
            if name != "taking-young1" {
                make_old(&path);
            }
            kept.push(path);
        }
        drop(ScratchFolder::create(place.path(), "index-").unwrap());
        assert!(used.path().exists());
        assert!(kept.iter().all(|path| path.exists()));
        assert!(left.iter().all(|path| !path.exists()));
    }
}
