//! Reads a folder whose content someone else may change at any time, such as the repository of a
//! worker.
//!
//! No link is followed and nothing but regular files is read, so nothing outside of the folder is
//! read, and no pipe or device keeps the reader waiting.

use std::ffi::OsString;
use std::fs::{File, Metadata};
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Dir, FileType};

use super::entry::{self, EntryError};

/// An open folder that others write.
#[derive(Debug)]
pub struct ForeignFolder {
    folder: OwnedFd,
    path: PathBuf,
}

/// An entry of a folder that others write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignEntry {
    pub name: OsString,
    pub is_folder: bool,
}

impl ForeignFolder {
    /// Opens a folder; `None` if nothing has the name. The folders above it are trusted, so only
    /// its own name must not be a link.
    pub fn open(path: &Path) -> io::Result<Option<Self>> {
        open_folder(CWD, path, path)
    }

    /// Opens a folder in this one; `None` if nothing has the name.
    pub fn subfolder(&self, name: impl AsRef<Path>) -> io::Result<Option<Self>> {
        let name = name.as_ref();
        open_folder(&self.folder, check_name(name)?, &self.path.join(name))
    }

    /// The path by which the folder was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads a file; `None` if nothing has the name. More than `limit` bytes are an error.
    pub fn read_file(&self, name: impl AsRef<Path>, limit: u64) -> io::Result<Option<Vec<u8>>> {
        let Some((file, _)) = self.open_file(name.as_ref(), limit)? else {
            return Ok(None);
        };
        let mut bytes = Vec::new();
        file.take(limit + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > limit {
            return Err(self.too_large_error(name.as_ref(), limit));
        }
        Ok(Some(bytes))
    }

    /// Returns the metadata of a regular file; `None` if nothing has the name.
    pub fn metadata(&self, name: impl AsRef<Path>) -> io::Result<Option<Metadata>> {
        Ok(self
            .open_file(name.as_ref(), u64::MAX)?
            .map(|(_, metadata)| metadata))
    }

    /// Copies a file to a path that does not exist yet, with its modification time, and returns its
    /// length; `None` if nothing has the name. More than `limit` bytes are an error.
    pub fn copy_file(
        &self,
        name: impl AsRef<Path>,
        to: &Path,
        limit: u64,
    ) -> io::Result<Option<u64>> {
        let Some((file, metadata)) = self.open_file(name.as_ref(), limit)? else {
            return Ok(None);
        };
        let mut copy = File::create_new(to)?;
        let length = io::copy(&mut file.take(limit + 1), &mut copy)?;
        if length > limit {
            return Err(self.too_large_error(name.as_ref(), limit));
        }
        copy.flush()?;
        copy.set_modified(metadata.modified()?)?;
        Ok(Some(length))
    }

    /// Lists the files and folders; links and special files are left out.
    pub fn entries(&self) -> io::Result<Vec<ForeignEntry>> {
        let mut entries = Vec::new();
        for entry in Dir::read_from(&self.folder)? {
            let entry = entry?;
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            let kind = match entry.file_type() {
                FileType::Unknown => {
                    let found = rustix::fs::statat(&self.folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
                    FileType::from_raw_mode(found.st_mode)
                }
                known => known,
            };
            if matches!(kind, FileType::RegularFile | FileType::Directory) {
                entries.push(ForeignEntry {
                    name: OsString::from_vec(name.to_bytes().to_vec()),
                    is_folder: kind == FileType::Directory,
                });
            }
        }
        Ok(entries)
    }

    fn open_file(&self, name: &Path, limit: u64) -> io::Result<Option<(File, Metadata)>> {
        let path = self.path.join(name);
        let opened = entry::open_file(&self.folder, check_name(name)?);
        let opened = opened.map_err(|error| describe(&path, "file", error))?;
        match &opened {
            Some((_, metadata)) if metadata.len() > limit => Err(self.too_large_error(name, limit)),
            _ => Ok(opened),
        }
    }

    fn too_large_error(&self, name: &Path, limit: u64) -> io::Error {
        let path = self.path.join(name);
        let problem = format!("{} is larger than {limit} bytes", path.display());
        io::Error::new(io::ErrorKind::FileTooLarge, problem)
    }
}

/// Refuses everything but the name of an entry.
fn check_name(name: &Path) -> io::Result<&Path> {
    let mut parts = name.components();
    match (parts.next(), parts.next()) {
        (Some(std::path::Component::Normal(_)), None) => Ok(name),
        _ => {
            let problem = format!("{} is no name of a file", name.display());
            Err(io::Error::new(io::ErrorKind::InvalidFilename, problem))
        }
    }
}

fn open_folder(
    parent: impl std::os::fd::AsFd,
    name: &Path,
    path: &Path,
) -> io::Result<Option<ForeignFolder>> {
    let opened = entry::open_folder(parent, name);
    let opened = opened.map_err(|error| describe(path, "folder", error))?;
    Ok(opened.map(|folder| ForeignFolder {
        folder,
        path: path.to_owned(),
    }))
}

fn describe(path: &Path, expected: &str, error: EntryError) -> io::Error {
    let path = path.display();
    match error {
        EntryError::Other(_) => {
            let problem = format!("{path} is no {expected}, and nothing is read through it");
            io::Error::new(io::ErrorKind::InvalidData, problem)
        }
        EntryError::System(error) => {
            let kind = io::Error::from(error).kind();
            io::Error::new(kind, format!("cannot read {path}: {error}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn only_regular_files_inside_the_folder_are_read() {
        let place = tempfile::tempdir().unwrap();
        let top = place.path().join("top");
        fs::create_dir_all(top.join("sub")).unwrap();
        fs::write(place.path().join("secret"), "secret").unwrap();
        fs::write(top.join("plain"), "text").unwrap();
        symlink(place.path().join("secret"), top.join("link")).unwrap();
        symlink(place.path(), top.join("way")).unwrap();
        rustix::fs::mkfifoat(CWD, top.join("pipe"), 0o600.into()).unwrap();
        let folder = ForeignFolder::open(&top).unwrap().unwrap();
        assert_eq!(folder.read_file("plain", 10).unwrap().unwrap(), b"text");
        assert!(folder.read_file("none", 10).unwrap().is_none());
        assert!(folder.subfolder("none").unwrap().is_none());
        assert!(folder.subfolder("sub").unwrap().is_some());
        for name in ["link", "pipe", "sub", "../secret", "way/secret", "", "."] {
            assert!(folder.read_file(name, 10).is_err(), "{name}");
        }
        for name in ["way", "link", "plain", "..", "."] {
            assert!(folder.subfolder(name).is_err(), "{name}");
        }
        let error = folder.read_file("plain", 3).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        let mut names: Vec<_> = folder.entries().unwrap();
        names.sort_by(|a, b| a.name.cmp(&b.name));
        let names: Vec<_> = names.iter().map(|entry| &entry.name).collect();
        assert_eq!(names, ["plain", "sub"]);
        assert!(ForeignFolder::open(&top.join("way")).is_err());
    }

    #[test]
    fn a_copy_has_the_time_of_its_file_and_replaces_nothing() {
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join("file"), "text").unwrap();
        let folder = ForeignFolder::open(place.path()).unwrap().unwrap();
        let copy = place.path().join("copy");
        assert_eq!(folder.copy_file("file", &copy, 10).unwrap(), Some(4));
        let time = |path: &Path| fs::metadata(path).unwrap().modified().unwrap();
        assert_eq!(time(&copy), time(&place.path().join("file")));
        assert!(folder.copy_file("file", &copy, 10).is_err());
    }
}
