//! Keeps the content of a file under another name: in a copy, or as another name of the file.

use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::store::disk::identity::{FileKey, file_key, is_same_content};
use kit::sys::file;

/// The size up to which the kept issues are a copy. Larger ones are another name of the file, and
/// `issues_copy` keeps a copy.
pub(super) const LINKED_FROM: u64 = 1 << 20;

/// The issues under a second name that is not in place yet.
pub(super) struct KeptCopy {
    name: tempfile::TempPath,
    place: PathBuf,
    /// The file that holds the issues.
    of: FileKey,
    /// True for a copy, false for another name of the same file.
    pub(super) is_copy: bool,
}

impl KeptCopy {
    /// Keeps the content of a file, which no bd writes into, in a copy or under another name.
    pub(super) fn from_file(from: &Path, place: &Path) -> io::Result<Self> {
        Self::keep(from, place, LINKED_FROM)
    }

    /// Copies a file of any size.
    pub(super) fn copy_file(from: &Path, place: &Path) -> io::Result<Self> {
        Self::keep(from, place, u64::MAX)
    }

    /// Keeps the content of a file in a copy, if it has at most `copied` bytes.
    fn keep(from: &Path, place: &Path, copied: u64) -> io::Result<Self> {
        let folder = place.parent().unwrap_or(place);
        // Another program may replace the file in the meantime.
        let file = file::open_regular_file(from)?;
        let meta = file.metadata()?;
        let is_it =
            |name: &Path| fs::metadata(name).is_ok_and(|there| inode_of(&there) == inode_of(&meta));
        let copy = |name: &Path| {
            let mut copy = File::create_new(name)?;
            io::copy(&mut &file, &mut copy)?;
            copy.set_modified(meta.modified()?)
        };
        let name = tempfile::Builder::new()
            .prefix(".tmp-")
            .make_in(folder, |name| {
                // Not every file system supports hard links.
                if meta.len() <= copied || fs::hard_link(from, name).is_err() {
                    return copy(name);
                }
                if is_it(name) {
                    return Ok(());
                }
                fs::remove_file(name)?;
                copy(name)
            })?;
        Ok(Self {
            is_copy: !is_it(name.path()),
            name: name.into_temp_path(),
            place: place.to_owned(),
            of: file_key(&meta),
        })
    }

    /// Returns true if the content is still what was read. The second name changed the inode's
    /// time.
    pub(super) fn is_unchanged_since(&self, key: &FileKey) -> bool {
        let bare = |key: &FileKey| FileKey {
            changed_s: 0,
            changed_ns: 0,
            ..*key
        };
        is_same_content(&bare(&self.of), &bare(key))
    }

    /// Renames the second name into place.
    pub(super) fn put(self) -> io::Result<()> {
        // A rename between two names of one file has no effect.
        let inode = |path: &Path| fs::metadata(path).map(|meta| inode_of(&meta)).ok();
        if inode(&self.name) == inode(&self.place) {
            return self.name.close();
        }
        if self.is_copy {
            return self.name.persist(&self.place).map_err(|error| error.error);
        }
        file::put_unflushed(self.name, &self.place)
    }
}

pub(super) fn inode_of(meta: &Metadata) -> (u64, u64) {
    (meta.dev(), meta.ino())
}
