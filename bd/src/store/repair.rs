//! Checks and repairs the files of a store.

use std::fs;
use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp};

use crate::bead::Stamp;
use crate::store::commit::fold::FoldOutcome;
use crate::store::disk::files;
use crate::store::view::source::OpenFiles;
use crate::store::{Store, StoreError, index};
use kit::sys::Clock;

/// The age from which a temporary file is no longer being written. A process that was suspended
/// this long while it wrote one without the lock, an index, continues without it.
const LEFTOVER_AGE: SignedDuration = SignedDuration::from_hours(1);

impl Store {
    /// Returns the unfinished files of commands that were killed an hour ago or earlier.
    pub fn find_leftovers(&self, clock: &Clock) -> Vec<PathBuf> {
        let mut folders = vec![self.dir().to_owned(), self.paths.damaged()];
        folders.push(self.dir().join("archive"));
        folders.extend(folders_in(&self.paths.events()));
        let mut found = Vec::new();
        for entry in folders.iter().flat_map(fs::read_dir).flatten().flatten() {
            let is_temporary = entry.file_name().to_string_lossy().starts_with(".tmp-");
            // For a link, the age of the link itself counts.
            let meta = entry
                .metadata()
                .ok()
                .filter(|meta| is_temporary && meta.is_file());
            let written = meta.and_then(|meta| Timestamp::try_from(meta.modified().ok()?).ok());
            if written.is_some_and(|at| clock.now().duration_since(at) >= LEFTOVER_AGE) {
                found.push(entry.path());
            }
        }
        found.sort();
        found
    }

    /// Removes the leftovers, under the writers' lock. One that cannot be removed takes space, and
    /// nothing else.
    pub(in crate::store) fn remove_old_leftovers(&self) {
        for path in self.find_leftovers(&Clock::System) {
            files::remove_store_file(&path).ok();
        }
    }

    /// Removes the leftovers while no writer is active, and returns their number.
    pub fn remove_leftovers(&self, clock: &Clock) -> Result<usize, StoreError> {
        let _guard = self.hold_writers()?;
        let found = self.find_leftovers(clock);
        for path in &found {
            files::remove_store_file(path)?;
        }
        Ok(found.len())
    }

    /// Returns true if the issues are sorted by id, ids are unique and every line can be parsed.
    pub fn is_canonical(&self) -> Result<bool, StoreError> {
        let snapshot = self.snapshot()?;
        let durable = snapshot
            .index
            .rows()
            .iter()
            .filter(|row| row.file == index::ISSUES);
        let notes = snapshot.index.notes();
        let damaged = notes
            .iter()
            .any(|note| note.file == index::ISSUES && !note.is_foreign());
        Ok(!damaged && durable.map(|row| row.offset).is_sorted())
    }

    /// Rewrites the issues if they are not canonical. Returns true if it did.
    pub fn rewrite(&self, clock: &Clock) -> Result<bool, StoreError> {
        self.wait_until_settled();
        let _guard = self.hold_writers()?;
        let snapshot = self.prepare(clock)?;
        let notes = snapshot.index.notes();
        let is_sound = !notes.iter().any(|note| note.reason.is_some()) && self.is_canonical()?;
        if is_sound {
            return Ok(false);
        }
        let now = Stamp::from(clock.now());
        if self.run_fold(snapshot, &now, true)? != FoldOutcome::Done {
            return Err(StoreError::Restless(self.paths.issues().to_owned()));
        }
        Ok(true)
    }

    /// Returns true if the index agrees with a new parse of the files for every bead.
    pub fn is_index_correct(&self) -> Result<bool, StoreError> {
        let Some(now) = index::Index::open(&self.paths.index()) else {
            return Ok(true);
        };
        let new = OpenFiles::build_fresh_index(&self.paths)?;
        let is_same = |at: u32| {
            let there = new.find(now.id(at)).and_then(|at| new.row(at));
            let (Some(stored_row), Some(new_row)) = (now.row(at), there) else {
                return false;
            };
            (
                stored_row.hash,
                stored_row.offset,
                stored_row.status,
                stored_row.priority,
            ) == (
                new_row.hash,
                new_row.offset,
                new_row.status,
                new_row.priority,
            )
        };
        let knows_all = (0..new.len()).all(|at| now.find(new.id(at)).is_some());
        Ok(knows_all && (0..now.len()).all(is_same))
    }

    /// Removes an index that disagrees with the files. Returns true if it did.
    pub fn remove_wrong_index(&self) -> Result<bool, StoreError> {
        let _guard = self.hold_writers()?;
        if self.is_index_correct()? {
            return Ok(false);
        }
        files::remove_store_file(&self.paths.index())?;
        Ok(true)
    }
}

fn folders_in(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;

    #[test]
    fn only_old_unfinished_files_are_removed() {
        let keep = tempfile::tempdir().unwrap();
        let dir = keep.path().join(".beads");
        let store = Store::create(&dir, "bd").unwrap();
        let clock = Clock::stepped("2026-01-01T00:00:00Z".parse().unwrap());
        let now = u64::try_from(clock.now().as_second()).unwrap();
        let place = |name: &str, minutes: u64| {
            let path = dir.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            let file = fs::File::create(&path).unwrap();
            let written = UNIX_EPOCH + Duration::from_secs(now - 60 * minutes);
            file.set_modified(written).unwrap();
            path
        };
        let old = [
            place(".tmp-a", 61),
            place("damaged/.tmp-b", 600),
            place("events/c1/.tmp-c", 90),
        ];
        let young = place(".tmp-d", 30);
        let other = place("notes.txt", 600);
        fs::create_dir(dir.join(".tmp-folder")).unwrap();
        let mut sorted = old.to_vec();
        sorted.sort();
        assert_eq!(store.find_leftovers(&clock), sorted);
        assert_eq!(store.remove_leftovers(&clock).unwrap(), 3);
        assert!(old.iter().all(|path| !path.exists()));
        assert!(young.exists() && other.exists());
        assert!(store.find_leftovers(&clock).is_empty());
    }

    #[test]
    fn a_fold_removes_the_unfinished_files_of_killed_writers() {
        let keep = tempfile::tempdir().unwrap();
        let dir = keep.path().join(".beads");
        let store = Store::create(&dir, "bd").unwrap();
        let names = [".tmp-old", ".tmp-new"];
        for name in names {
            fs::write(dir.join(name), "half").unwrap();
        }
        let old = fs::File::options().write(true).open(dir.join(names[0]));
        old.unwrap().set_modified(UNIX_EPOCH).unwrap();
        store.fold(&Clock::System).unwrap();
        assert_eq!(names.map(|name| dir.join(name).exists()), [false, true]);
    }
}
