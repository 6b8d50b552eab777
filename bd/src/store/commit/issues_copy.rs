//! A second copy of large issues, for a program that opens the file for writing and so changes the
//! kept issues, which are another name of it.
//!
//! This module owns `issues.before` and `journal.folded`, which give the issues together. A fold
//! keeps the file that it replaces and the entries that it applies, so nothing is copied. Issues
//! that come from outside are copied, with no entries. The modification time of `journal.folded` is
//! that of the issues that both give.

use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::SystemTime;

use sha2::{Digest, Sha256};

use super::kept_copy::{KeptCopy, LINKED_FROM, inode_of};
use crate::bead::hash::encode_hex;
use crate::store::disk::identity::FileKey;
use crate::store::disk::paths::StorePaths;
use crate::store::disk::{files, ignore};
use crate::store::log::journal;
use crate::store::{Store, StoreError};
use kit::sys::{clock, file};

/// Returns true if the kept issues are another name of the issues with this key, and another
/// program has written into that file.
pub(super) fn is_overwritten(key: &FileKey, kept: &Metadata, paths: &StorePaths) -> bool {
    inode_of(kept) == (key.device, key.inode)
        && fs::metadata(paths.folded()).is_ok_and(|folded| {
            (folded.mtime(), folded.mtime_nsec()) != (key.modified_s, key.modified_ns)
        })
}

/// Keeps the issues that a fold is about to replace.
pub(super) fn keep_previous(paths: &StorePaths) -> io::Result<()> {
    if !paths.folded().exists() {
        ignore::exclude_local_files(paths.dir());
    }
    KeptCopy::from_file(paths.issues(), &paths.before())?.put()
}

/// Keeps the entries of a fold that has replaced the issues, before the journal is emptied.
pub(super) fn keep_entries(paths: &StorePaths) -> io::Result<()> {
    if fs::metadata(paths.issues())?.len() <= LINKED_FROM {
        return Ok(());
    }
    KeptCopy::from_file(&paths.journal(), &paths.folded())?.put()?;
    date_entries(paths)
}

/// Gives `journal.folded` the time of the issues.
fn date_entries(paths: &StorePaths) -> io::Result<()> {
    let time = fs::metadata(paths.issues())?.modified()?;
    let folded = file::open_for_update(&paths.folded(), file::SHARED)?;
    folded.set_modified(time)
}

/// Forgets the copy, because the issues are others.
pub(crate) fn forget_copy(paths: &StorePaths) -> io::Result<()> {
    file::remove_file(&paths.folded())
}

/// Copies large issues that have no copy yet. Does nothing if another program changes them in the
/// meantime: the next command compares them.
pub(crate) fn copy_issues(paths: &StorePaths) -> io::Result<()> {
    if !is_copy_missing(paths) {
        return Ok(());
    }
    ignore::exclude_local_files(paths.dir());
    let key = FileKey::at(paths.issues());
    KeptCopy::copy_file(paths.issues(), &paths.before())?.put()?;
    if FileKey::at(paths.issues()) == key {
        file::replace_derived_file(&paths.folded(), b"", file::SHARED)?;
        date_entries(paths)?;
    }
    Ok(())
}

/// Returns true if the kept issues are another name of the issues and there is no copy of them.
pub(crate) fn is_copy_missing(paths: &StorePaths) -> bool {
    let inode = |path: &Path| fs::metadata(path).map(|meta| inode_of(&meta)).ok();
    let kept = inode(&paths.kept());
    kept.is_some() && kept == inode(paths.issues()) && !paths.folded().exists()
}

/// Replaces the kept issues, into which another program has written, by their earlier content.
/// Returns false if the copy is incomplete, as after a kill.
pub(super) fn rebuild_kept(paths: &StorePaths) -> Result<bool, StoreError> {
    let failed = |error| StoreError::io("restore", &paths.kept(), error);
    let time = fs::metadata(paths.folded()).and_then(|meta| meta.modified());
    let folder = tempfile::Builder::new()
        .prefix(".tmp-")
        .tempdir_in(paths.dir())
        .map_err(failed)?;
    let Some(rebuilt) = rebuild_in(folder.path(), paths)? else {
        return Ok(false);
    };
    let replace = |time: SystemTime| {
        File::open(&rebuilt)?.set_modified(time)?;
        fs::rename(&rebuilt, paths.kept())
    };
    time.and_then(replace).map_err(failed)?;
    Ok(true)
}

/// Applies the kept entries to the file before them, in a store of its own, and returns the new
/// file, if it is what the fold wrote.
fn rebuild_in(folder: &Path, paths: &StorePaths) -> Result<Option<std::path::PathBuf>, StoreError> {
    let entries = files::read_or_empty(&paths.folded())?;
    let store = Store::at(folder);
    let issues = folder.join("issues.jsonl");
    match fs::hard_link(paths.before(), &issues) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        linked => linked.map_err(|error| StoreError::io("read", &paths.before(), error))?,
    }
    let Some(mark) = journal::decode_journal(&entries).mark else {
        // A copy without entries is complete; entries without a mark are not.
        return Ok(entries.is_empty().then_some(issues));
    };
    files::replace_store_file(&folder.join("journal.jsonl"), &entries)?;
    store.fold(&clock::Clock::System)?;
    let text = files::read_or_empty(&issues)?;
    let is_same = encode_hex(&Sha256::digest(&text)) == mark.fold;
    Ok(is_same.then_some(issues))
}
