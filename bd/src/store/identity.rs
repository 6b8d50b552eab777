//! Which content of a file was read, so that a change by someone else is noticed.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::StoreError;

/// Which content of a file was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
}

impl Identity {
    /// The identity of the file at a path now; `None` where there is none.
    pub(super) fn of(path: &Path) -> Option<Self> {
        fs::metadata(path).ok().map(|meta| Self {
            device: meta.dev(),
            inode: meta.ino(),
            size: meta.len(),
            modified: (meta.mtime(), meta.mtime_nsec()),
        })
    }
}

/// A journal held open while the other files are read.
pub(super) struct OpenJournal {
    file: Option<File>,
    /// What was in it.
    pub(super) text: Vec<u8>,
}

impl OpenJournal {
    /// Opens and reads it; none is as good as an empty one.
    pub(super) fn open(path: &Path) -> Result<Self, StoreError> {
        let failed = |source| StoreError::io("read", path, source);
        let mut file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Self {
                    file: None,
                    text: Vec::new(),
                });
            }
            Err(error) => return Err(failed(error)),
        };
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(failed)?;
        Ok(Self {
            file: Some(file),
            text,
        })
    }

    /// Whether it is still the journal, and as long as when it was read. The open file keeps its inode
    /// from being given to another.
    pub(super) fn is_current(&self, path: &Path) -> bool {
        let there = fs::metadata(path).ok();
        match (&self.file, there) {
            (None, None) => true,
            (Some(file), Some(there)) => file.metadata().is_ok_and(|own| {
                let same = (own.dev(), own.ino()) == (there.dev(), there.ino());
                same && usize::try_from(there.len()) == Ok(self.text.len())
            }),
            _ => false,
        }
    }
}
