//! The exchange between the store and its branch: the shared part of the store, and the import of
//! other clones' changes.
//!
//! The issues, the archive and history are shared; everything else is local. During an exchange the
//! store has no journal and the writers' lock is held. Incoming changes are on disk before anything
//! is committed. A file that another program changed in the meantime is not overwritten.
//!
//! Steps of an exchange:
//! 1. Fold the journal.
//! 2. Read the store's side.
//! 3. Unite it with the other side, with a function of the caller.
//! 4. Write the files of other clones' history and of the archive.
//! 5. Record the overruled values in history.
//! 6. Rename the issues into place.
//! 7. Remove restored beads from the archive.
//! 8. Move our own history to its files in git.

mod base;
mod month;

use crate::store::disk::{clone_id, identity};
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;

pub use super::disk::identity::FileKey;
pub use base::SyncBase;
pub(crate) use base::record_first_base;

use super::{FOLD_TRIES, SETTLE_PAUSE, SETTLE_TRIES, Store, StoreError};
use crate::bead::Stamp;
use crate::merge::OverruledValue;
use crate::store::commit::issues_file;
use crate::store::disk::{files, ignore, mark};
use crate::store::index;
use crate::store::log::history;
use crate::store::view::source::OpenFiles;
use kit::sys::file::ReplacementFile;
use kit::sys::lock;
use kit::sys::{Clock, RandomSource, clock, file};

/// The content of files by their names below a folder of the store.
pub type StoreFiles = BTreeMap<String, Vec<u8>>;

/// The store's own side.
#[derive(Debug, Clone, Default)]
pub struct StoreSide {
    pub issues: Vec<u8>,
    pub archive: StoreFiles,
}

/// The result of uniting both sides.
#[derive(Debug, Clone, Default)]
pub struct UnitedStore {
    pub issues: Vec<u8>,
    pub archive: StoreFiles,
    /// The required content of history files, by their names below `events/`.
    pub events: StoreFiles,
    pub lost: Vec<OverruledValue>,
}

/// The store after an exchange with the other side.
#[derive(Debug, Clone)]
pub struct ExchangedStore {
    /// The content of the store.
    pub side: StoreSide,
    /// The identity of its issues.
    pub version: FileKey,
}

impl Store {
    /// Exchanges changes with another side: `unite` gets the content of the store and returns the
    /// new content. It is called again if another program changed a file in the meantime.
    pub fn exchange<E: From<StoreError>>(
        &self,
        clock: &Clock,
        random: &RandomSource,
        mut unite: impl FnMut(&StoreSide) -> Result<UnitedStore, E>,
    ) -> Result<ExchangedStore, E> {
        let _guard = self.hold_writers()?;
        ignore::exclude_local_files(self.dir());
        let clone = clone_id::ensure_clone_id(self.dir(), random)?;
        for _ in 0..FOLD_TRIES {
            let now = Stamp::from(clock.now());
            self.fold_and_settle(clock, &now)?;
            let version = FileKey::at(self.paths.issues());
            let current_side = self.store_side()?;
            let united = unite(&current_side)?;
            let Some(version) = self.write_united(&current_side, &united, version, &now)? else {
                continue;
            };
            let notice = month::move_waiting_history(&self.paths, &clone, &now)?;
            self.reports.notice_all(notice);
            self.remove_old_leftovers();
            let side = StoreSide {
                issues: united.issues,
                archive: united.archive,
            };
            return Ok(ExchangedStore { side, version });
        }
        Err(StoreError::Restless(self.paths.issues().to_owned()).into())
    }

    /// Folds, and waits until no other program seems to be writing the issues.
    fn fold_and_settle(&self, clock: &Clock, now: &Stamp) -> Result<(), StoreError> {
        for _ in 0..SETTLE_TRIES {
            let snapshot = self.prepare(clock)?;
            if !snapshot.source.state.text.is_empty() {
                self.run_folds(snapshot, now)?;
            } else if snapshot.source.is_unsettled() {
                clock::pause_thread(SETTLE_PAUSE);
            } else {
                return Ok(());
            }
        }
        Err(StoreError::Restless(self.paths.issues().to_owned()))
    }

    fn store_side(&self) -> Result<StoreSide, StoreError> {
        Ok(StoreSide {
            issues: files::read_or_empty(self.paths.issues())?,
            archive: read_years(&self.paths.archive())?,
        })
    }

    /// Writes the new content and returns the new identity of the issues; `None` if another program
    /// changed them in the meantime.
    fn write_united(
        &self,
        current_side: &StoreSide,
        united: &UnitedStore,
        version: FileKey,
        now: &Stamp,
    ) -> Result<Option<FileKey>, StoreError> {
        let path = self.paths.issues();
        let failed = |error| StoreError::io("write", path, error);
        for (name, content) in &united.events {
            write_store_file(self.dir(), &self.paths.events().join(name), content)?;
        }
        // A bead is in the archive before it leaves the issues, and leaves the archive after it is
        // back in the issues.
        let years = self.paths.archive();
        let is_other = |(name, content): &(&String, &Vec<u8>)| {
            current_side.archive.get(*name) != Some(content)
        };
        for (name, content) in united.archive.iter().filter(is_other) {
            let old = current_side
                .archive
                .get(name)
                .map_or(&[][..], Vec::as_slice);
            write_store_file(
                self.dir(),
                &years.join(name),
                &append_missing_lines(content, old),
            )?;
        }
        let issues = if current_side.issues == united.issues {
            None
        } else {
            let mut beside = ReplacementFile::new(path, file::SHARED).map_err(failed)?;
            beside.write_all(&united.issues).map_err(failed)?;
            beside.sync().map_err(failed)?;
            Some(beside)
        };
        let merged =
            history::group_losses_by_bead(&united.lost, [&current_side.issues, &united.issues]);
        let merge_event = history::build_merge_event(&merged, now);
        if FileKey::at(path) != version {
            return Ok(None);
        }
        history::append_history(&self.paths, merge_event.as_slice())?;
        // Checked again, because the writes took time.
        if FileKey::at(path) != version {
            return Ok(None);
        }
        let version = match issues {
            None => version,
            Some(beside) => {
                let placed = issues_file::place_issues(beside, &self.paths).map_err(failed)?;
                self.reload_own_side();
                mark::touch_mark(&self.paths);
                identity::file_key(&placed.there)
            }
        };
        for (name, content) in united.archive.iter().filter(is_other) {
            write_store_file(self.dir(), &years.join(name), content)?;
        }
        Ok(Some(version))
    }

    /// Builds the index of issues that we wrote. No reader has to wait for another program to
    /// finish writing them.
    fn reload_own_side(&self) {
        let Ok(read) = OpenFiles::read(&self.paths) else {
            return;
        };
        let keys = index::IndexKeys {
            outside: 0,
            built_at: identity::file_time_now(),
            ..read.index.keys()
        };
        let written =
            file::DerivedFile::write(&self.paths.index(), read.index.bytes(), file::SHARED);
        let put = written.and_then(|file| file.put_with(&read.index.header_with(&keys)));
        // If the index cannot be written, readers build their own.
        put.ok();
    }

    /// Returns the lines of all durable beads, including those in the journal.
    pub fn durable_lines(&self) -> Result<Vec<u8>, StoreError> {
        let snapshot = self.snapshot()?;
        let mut text = Vec::new();
        for bead in snapshot.bead_refs().filter(|head| !head.is_ephemeral()) {
            if let Some(line) = snapshot.line(bead.id())? {
                text.extend_from_slice(&line.bytes);
                text.push(b'\n');
            }
        }
        Ok(text)
    }

    /// Returns the files of history in git with their sizes, by their names below `events/`.
    pub fn history_files(&self) -> BTreeMap<String, u64> {
        let mut found = BTreeMap::new();
        for path in history::list_history_files(&self.paths) {
            let Ok(inside) = path.strip_prefix(self.paths.events()) else {
                continue;
            };
            let (Some(name), Ok(meta)) = (inside.to_str(), fs::metadata(&path)) else {
                continue;
            };
            if is_history_name(name) {
                found.insert(name.to_owned(), meta.len());
            }
        }
        found
    }

    /// Returns a file of history by its name below `events/`.
    pub fn history_file(&self, name: &str) -> Result<Vec<u8>, StoreError> {
        files::read_or_empty(&self.paths.events().join(name))
    }

    /// Prevents other processes from syncing this store until the guard is dropped.
    pub fn lock_sync(&self) -> Result<lock::LockGuard, StoreError> {
        Ok(lock::acquire_separate_lock(
            &self.dir().join(".sync.lock"),
            SYNC_WAIT,
        )?)
    }
}

/// The time that a sync waits for another one.
const SYNC_WAIT: std::time::Duration = std::time::Duration::from_secs(30);

/// Returns true if a name below `events/` is a valid history file. A name must not lead elsewhere.
pub fn is_history_name(name: &str) -> bool {
    let Some((clone, month)) = name.split_once('/') else {
        return false;
    };
    is_plain(clone) && is_archive_name(month)
}

/// Returns true if a name below `archive/` is a valid archive file. A name must not lead elsewhere.
pub fn is_archive_name(name: &str) -> bool {
    name.strip_suffix(".jsonl").is_some_and(is_plain)
}

fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
}

fn read_years(folder: &Path) -> Result<StoreFiles, StoreError> {
    let mut years = StoreFiles::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        // A file behind a link must be neither read nor shared.
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if is_archive_name(&name) && is_file {
            years.insert(name, files::read_or_empty(&entry.path())?);
        }
    }
    Ok(years)
}

/// Writes a file of the store in `dir`, unless it is a link or lies behind one, which may lead
/// anywhere.
fn write_store_file(dir: &Path, path: &Path, content: &[u8]) -> Result<(), StoreError> {
    if path
        .ancestors()
        .take_while(|above| *above != dir)
        .any(|path| fs::symlink_metadata(path).is_ok_and(|meta| meta.is_symlink()))
    {
        let why = "it is, or lies behind, a link that leads out of the beads folder";
        return Err(StoreError::io("write", path, std::io::Error::other(why)));
    }
    if files::read_if_exists(path)?.as_deref() == Some(content) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        files::create_store_folder(folder)?;
    }
    files::replace_store_file(path, content)
}

/// Returns the lines of `content`, followed by the lines of `old` that it lacks.
fn append_missing_lines(content: &[u8], old: &[u8]) -> Vec<u8> {
    let there: std::collections::HashSet<&[u8]> = content.split(|byte| *byte == b'\n').collect();
    let mut all = content.to_vec();
    for line in old.split(|byte| *byte == b'\n') {
        if !line.is_empty() && !there.contains(line) {
            all.extend_from_slice(line);
            all.push(b'\n');
        }
    }
    all
}

#[cfg(test)]
mod tests;
