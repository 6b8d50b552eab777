//! The store and its branch: what of it is shared, and how what others did gets in.
//!
//! Shared are the issues, the archive and history; all else is local. What must always hold: whoever takes
//! part in an exchange sees a store without a journal, under the writers' lock; what comes in is on the disk before
//! anything is committed; a file that someone else changed meanwhile is not written over.
//!
//! Steps of an exchange: fold; read; unite with the other side (the caller knows how); files of other clones'
//! history and of the archive are written; what lost a conflict goes to history; the issues are renamed in;
//! beads that came back leave the archive; our own history moves to its files in git.

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
use crate::store::commit::place_issues;
use crate::store::disk::{files, ignore, mark};
use crate::store::index;
use crate::store::log::history;
use crate::store::view::source::OpenFiles;
use kit::sys::file::ReplacementFile;
use kit::sys::lock;
use kit::sys::{Clock, RandomSource, clock, file};

/// Files by their names below a folder of the store.
pub type StoreFiles = BTreeMap<String, Vec<u8>>;

/// The store's own side.
#[derive(Debug, Clone, Default)]
pub struct StoreSide {
    /// The issues.
    pub issues: Vec<u8>,
    /// The archive, by year.
    pub archive: StoreFiles,
}

/// What came of both sides.
#[derive(Debug, Clone, Default)]
pub struct UnitedStore {
    /// The issues.
    pub issues: Vec<u8>,
    /// The archive, by year.
    pub archive: StoreFiles,
    /// Files of history that have to be as here, by their names below `events/`.
    pub events: StoreFiles,
    /// What conflicts took away.
    pub lost: Vec<OverruledValue>,
}

/// A store as it was when it was brought together with the other side.
#[derive(Debug, Clone)]
pub struct ExchangedStore {
    /// What is in it now.
    pub own: StoreSide,
    /// The version of its issues.
    pub version: FileKey,
}

impl Store {
    /// Brings the store together with another side: `unite` gets what the store has and says what it is to
    /// have. It may be asked again where someone else changed a file meanwhile.
    pub fn exchange<E: From<StoreError>>(
        &self,
        clock: &Clock,
        random: &RandomSource,
        mut unite: impl FnMut(&StoreSide) -> Result<UnitedStore, E>,
    ) -> Result<ExchangedStore, E> {
        let _guard = self.lock()?;
        ignore::exclude_local_files(self.dir());
        let clone = clone_id::ensure_clone_id(self.dir(), random)?;
        for _ in 0..FOLD_TRIES {
            let now = Stamp::from(clock.now());
            self.fold_and_settle(clock, &now)?;
            let version = FileKey::at(self.paths.issues());
            let own = self.store_side()?;
            let united = unite(&own)?;
            let Some(version) = self.write_united(&own, &united, version, &now)? else {
                continue;
            };
            let notice = month::move_waiting_history(&self.paths, &clone, &now)?;
            self.reports.notice_all(notice);
            let own = StoreSide {
                issues: united.issues,
                archive: united.archive,
            };
            return Ok(ExchangedStore { own, version });
        }
        Err(StoreError::Restless(self.paths.issues().to_owned()).into())
    }

    /// Folds, and waits until nobody else seems to be writing the issues.
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

    /// Writes what is new; `None` where someone else changed the issues meanwhile. Gives their version now.
    fn write_united(
        &self,
        own: &StoreSide,
        united: &UnitedStore,
        version: FileKey,
        now: &Stamp,
    ) -> Result<Option<FileKey>, StoreError> {
        let path = self.paths.issues();
        let failed = |error| StoreError::io("write", path, error);
        for (name, content) in &united.events {
            write_store_file(self.dir(), &self.paths.events().join(name), content)?;
        }
        // A bead is in the archive before it leaves the issues, and leaves it after it came back.
        let years = self.paths.archive();
        let is_other =
            |(name, content): &(&String, &Vec<u8>)| own.archive.get(*name) != Some(content);
        for (name, content) in united.archive.iter().filter(is_other) {
            let old = own.archive.get(name).map_or(&[][..], Vec::as_slice);
            write_store_file(
                self.dir(),
                &years.join(name),
                &append_missing_lines(content, old),
            )?;
        }
        let issues = if own.issues == united.issues {
            None
        } else {
            let mut beside = ReplacementFile::new(path, 0o644).map_err(failed)?;
            beside.write_all(&united.issues).map_err(failed)?;
            beside.sync().map_err(failed)?;
            Some(beside)
        };
        let merged = history::group_losses_by_bead(&united.lost, [&own.issues, &united.issues]);
        let told = history::build_merge_event(&merged, now);
        if FileKey::at(path) != version {
            return Ok(None);
        }
        history::append_history(&self.paths, told.as_slice())?;
        // Once more: that took its time.
        if FileKey::at(path) != version {
            return Ok(None);
        }
        let version = match issues {
            None => version,
            Some(beside) => {
                let placed = place_issues::place_issues(beside, &self.paths).map_err(failed)?;
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

    /// Makes the index of issues that we wrote ourselves: nobody has to wait for another to end writing them.
    fn reload_own_side(&self) {
        let Ok(read) = OpenFiles::read(&self.paths) else {
            return;
        };
        let keys = index::IndexKeys {
            outside: 0,
            built_at: identity::file_time_now(),
            ..read.index.keys()
        };
        let written = file::DerivedFile::write(&self.paths.index(), read.index.bytes(), 0o644);
        let put = written.and_then(|file| file.put_with(&read.index.header_with(&keys)));
        // Where it cannot be written readers make it for themselves.
        put.ok();
    }

    /// The lines of all durable beads as they are now, those of the journal among them.
    pub fn durable_lines(&self) -> Result<Vec<u8>, StoreError> {
        let snapshot = self.snapshot()?;
        let mut text = Vec::new();
        for head in snapshot.bead_refs().filter(|head| !head.is_ephemeral()) {
            if let Some(line) = snapshot.line(head.id())? {
                text.extend_from_slice(&line.bytes);
                text.push(b'\n');
            }
        }
        Ok(text)
    }

    /// The files of history in git, with their sizes, by their names below `events/`.
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

    /// A file of history by its name below `events/`.
    pub fn history_file(&self, name: &str) -> Result<Vec<u8>, StoreError> {
        files::read_or_empty(&self.paths.events().join(name))
    }

    /// Lets nobody else bring this store together with its branch until the guard is dropped.
    pub fn lock_sync(&self) -> Result<lock::LockGuard, StoreError> {
        Ok(lock::acquire_separate_lock(
            &self.dir().join(".sync.lock"),
            TURN,
        )?)
    }
}

/// How long a sync waits for another one.
const TURN: std::time::Duration = std::time::Duration::from_secs(30);

/// Whether a name below `events/` is that of a file of history: nothing that leads elsewhere.
pub fn is_history_name(name: &str) -> bool {
    let Some((clone, month)) = name.split_once('/') else {
        return false;
    };
    is_plain(clone) && is_archive_name(month)
}

/// Whether a name below `archive/` is that of a file of the archive: nothing that leads elsewhere.
pub fn is_archive_name(name: &str) -> bool {
    name.strip_suffix(".jsonl").is_some_and(is_plain)
}

fn is_plain(name: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
    !name.is_empty() && name.bytes().all(plain)
}

fn read_years(folder: &Path) -> Result<StoreFiles, StoreError> {
    let mut years = StoreFiles::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        // What lies behind a link is not ours to read or to share.
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if is_archive_name(&name) && is_file {
            years.insert(name, files::read_or_empty(&entry.path())?);
        }
    }
    Ok(years)
}

/// Writes a file of the store of `dir`, unless it is or lies behind a link: that may lead anywhere.
fn write_store_file(dir: &Path, path: &Path, content: &[u8]) -> Result<(), StoreError> {
    let is_link = |path: &Path| fs::symlink_metadata(path).is_ok_and(|meta| meta.is_symlink());
    if path
        .ancestors()
        .take_while(|above| *above != dir)
        .any(is_link)
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

/// These lines, and behind them those of `old` that they have not.
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
