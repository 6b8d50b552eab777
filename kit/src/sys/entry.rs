//! Opens the entries of a folder in which others write. No link is followed, and no pipe or device
//! keeps the caller waiting.

use std::fs::{File, Metadata};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;

const FOLDER_FLAGS: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

const FILE_FLAGS: OFlags = OFlags::RDONLY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

/// Why an entry was not opened.
#[derive(Debug, Clone, Copy)]
pub(super) enum EntryError {
    /// Something of this type has the name.
    Other(FileType),
    System(Errno),
}

impl From<Errno> for EntryError {
    fn from(error: Errno) -> Self {
        Self::System(error)
    }
}

/// Opens a folder; `None` if nothing has the name.
pub(super) fn open_folder(
    parent: impl AsFd,
    name: impl AsRef<Path>,
) -> Result<Option<OwnedFd>, EntryError> {
    open(parent, name.as_ref(), FOLDER_FLAGS)
}

/// Opens a regular file for reading; `None` if nothing has the name.
pub(super) fn open_file(
    parent: impl AsFd,
    name: impl AsRef<Path>,
) -> Result<Option<(File, Metadata)>, EntryError> {
    let Some(opened) = open(parent, name.as_ref(), FILE_FLAGS)? else {
        return Ok(None);
    };
    let kind = FileType::from_raw_mode(rustix::fs::fstat(&opened)?.st_mode);
    if kind != FileType::RegularFile {
        return Err(EntryError::Other(kind));
    }
    let file = File::from(opened);
    let metadata = file
        .metadata()
        .map_err(|error| EntryError::System(Errno::from_io_error(&error).unwrap_or(Errno::IO)))?;
    Ok(Some((file, metadata)))
}

fn open(parent: impl AsFd, name: &Path, flags: OFlags) -> Result<Option<OwnedFd>, EntryError> {
    match rustix::fs::openat(&parent, name, flags, Mode::empty()) {
        Ok(opened) => Ok(Some(opened)),
        Err(Errno::NOENT) => Ok(None),
        Err(Errno::LOOP | Errno::NOTDIR | Errno::MLINK | Errno::NXIO) => {
            let there = rustix::fs::statat(&parent, name, AtFlags::SYMLINK_NOFOLLOW)?;
            Err(EntryError::Other(FileType::from_raw_mode(there.st_mode)))
        }
        Err(error) => Err(error.into()),
    }
}
