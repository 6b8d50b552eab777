//! Reads and writes in a folder whose content others control, such as a work tree of a repository.
//!
//! No link is followed below that folder, so nothing outside of it is written. Each part of a path
//! is opened relative to its parent, and a file is put in place by a rename.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags};
use rustix::io::Errno;

use super::entry::{self, EntryError};

/// A folder that writes cannot leave.
#[derive(Debug)]
pub struct ConfinedFolder {
    top: OwnedFd,
    path: PathBuf,
}

/// The reason why a file was not read, written or removed.
#[derive(Debug, thiserror::Error)]
pub enum InsideError {
    /// A file of an unexpected type has the name.
    #[error(
        "{} is in the way: it is {found} where {expected} is needed, and nothing is written through it; remove it or \
         give it another name, in the repository if that has it",
        path.display()
    )]
    InTheWay {
        path: PathBuf,
        found: &'static str,
        expected: &'static str,
    },
    /// The path leads out of the folder, or into a repository's own files.
    #[error("{} is no path of a file below {}", path.display(), top.display())]
    NotBelow { path: PathBuf, top: PathBuf },
    /// A file cannot be read, written or removed.
    #[error("cannot access {}", path.display())]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

impl ConfinedFolder {
    /// Opens the folder. The caller chose the path, so it may contain links.
    pub fn open(path: &Path) -> Result<Self, InsideError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let top = rustix::fs::openat(CWD, path, flags, Mode::empty())
            .map_err(|error| io_error(path, error))?;
        let path = path.to_owned();
        Ok(Self { top, path })
    }

    /// Replaces the content of a file, whole or not at all. Creates missing folders. An existing
    /// file keeps its mode. Nothing is synced.
    pub fn write(&self, below: &str, content: &[u8], mode: u32) -> Result<(), InsideError> {
        let (folder, name) = self.parent(below)?;
        let path = self.path.join(below);
        let mode = match rustix::fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => convert_mode(mode),
            Err(error) => return Err(io_error(&path, error)),
            Ok(there) => match FileType::from_raw_mode(there.st_mode) {
                FileType::RegularFile => Mode::from_raw_mode(there.st_mode & 0o7777),
                other => return Err(in_the_way_error(path, other, "a file")),
            },
        };
        let temporary = format!(".tmp-{}-{name}", std::process::id());
        put_file(&folder, &temporary, name, content, mode).map_err(|source| {
            // The temporary file of a failed write is useless. The failure is reported.
            rustix::fs::unlinkat(&folder, &temporary, AtFlags::empty()).ok();
            InsideError::Io { path, source }
        })
    }

    /// Opens the `.git` of the folder, in which others write as well.
    pub fn git_folder(&self) -> Result<Self, InsideError> {
        let path = self.path.join(".git");
        let top = open_subfolder(&self.top, ".git", &path)?;
        Ok(Self { top, path })
    }

    /// Writes the `.git` of a folder, which links it with the repository of a submodule. Whatever
    /// has the name is replaced, unless it is a folder.
    pub fn write_git_link(&self, folder: &str, content: &[u8]) -> Result<(), InsideError> {
        // Any name serves to open the folder.
        let (inside, _) = self.parent(&format!("{folder}/git"))?;
        let path = self.path.join(folder).join(".git");
        let temporary = format!(".tmp-{}-git", std::process::id());
        let mode = Mode::from_raw_mode(0o644);
        put_file(&inside, &temporary, ".git", content, mode).map_err(|source| {
            // The temporary file of a failed write is useless. The failure is reported.
            rustix::fs::unlinkat(&inside, &temporary, AtFlags::empty()).ok();
            InsideError::Io { path, source }
        })
    }

    /// Reads a regular file of at most `limit` bytes; `None` if it does not exist. Anything else at
    /// the path is an error.
    pub fn read(&self, below: &str, limit: u64) -> Result<Option<Vec<u8>>, InsideError> {
        let Some(file) = self.open_file(below)? else {
            return Ok(None);
        };
        let path = self.path.join(below);
        let mut content = Vec::new();
        let read = file.take(limit.saturating_add(1)).read_to_end(&mut content);
        match read {
            Ok(length) if length as u64 > limit => Err(InsideError::Io {
                path,
                source: io::ErrorKind::FileTooLarge.into(),
            }),
            Ok(_) => Ok(Some(content)),
            Err(source) => Err(InsideError::Io { path, source }),
        }
    }

    /// Opens a regular file for reading; `None` if it does not exist. Anything else at the path is
    /// an error.
    pub fn open_file(&self, below: &str) -> Result<Option<File>, InsideError> {
        let path = self.path.join(below);
        let Some((folder, name)) = self.existing_parent(below)? else {
            return Ok(None);
        };
        let opened = entry::open_file(&folder, name);
        let opened = opened.map_err(|error| entry_error(&path, error, "a file"))?;
        Ok(opened.map(|(file, _)| file))
    }

    /// Removes a file or a link, if there is one.
    pub fn remove(&self, below: &str) -> Result<(), InsideError> {
        let Some((folder, name)) = self.existing_parent(below)? else {
            return Ok(());
        };
        match rustix::fs::unlinkat(&folder, name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(io_error(&self.path.join(below), error)),
        }
    }

    /// Like [`Self::parent`], but creates no folder; `None` if one is missing.
    fn existing_parent<'a>(
        &self,
        below: &'a str,
    ) -> Result<Option<(OwnedFd, &'a str)>, InsideError> {
        let (folders, name) = self.split(below)?;
        let mut path = self.path.clone();
        let mut folder = self.reopen()?;
        for part in folders {
            path.push(part);
            folder = match open_existing_subfolder(&folder, part, &path)? {
                Some(folder) => folder,
                None => return Ok(None),
            };
        }
        Ok(Some((folder, name)))
    }

    /// Splits a path into the folders and the name of the file.
    fn split<'a>(&self, below: &'a str) -> Result<(Vec<&'a str>, &'a str), InsideError> {
        let mut parts: Vec<&str> = below.split('/').collect();
        let is_below = parts
            .iter()
            .all(|part| !matches!(*part, "" | "." | "..") && !part.eq_ignore_ascii_case(".git"));
        match parts.pop().filter(|_| is_below) {
            Some(name) => Ok((parts, name)),
            None => {
                let path = PathBuf::from(below);
                let top = self.path.clone();
                Err(InsideError::NotBelow { path, top })
            }
        }
    }

    fn reopen(&self) -> Result<OwnedFd, InsideError> {
        rustix::io::fcntl_dupfd_cloexec(&self.top, 0).map_err(|error| io_error(&self.path, error))
    }

    /// Opens the folder that contains a file, and returns it with the file's name.
    fn parent<'a>(&self, below: &'a str) -> Result<(OwnedFd, &'a str), InsideError> {
        let (folders, name) = self.split(below)?;
        let mut path = self.path.clone();
        let mut folder = self.reopen()?;
        for part in folders {
            path.push(part);
            folder = open_subfolder(&folder, part, &path)?;
        }
        Ok((folder, name))
    }
}

/// Converts permission bits to the type that the system has for them.
fn convert_mode(mode: u32) -> Mode {
    fn narrow<T: TryFrom<u32>>(bits: u32) -> Option<T> {
        T::try_from(bits).ok()
    }
    narrow(mode & 0o7777).map_or(Mode::RUSR | Mode::WUSR, Mode::from_raw_mode)
}

fn put_file(
    folder: &OwnedFd,
    temporary: &str,
    name: &str,
    content: &[u8],
    mode: Mode,
) -> io::Result<()> {
    // A file with this name was left by a process that died, because process ids are reused.
    rustix::fs::unlinkat(folder, temporary, AtFlags::empty()).ok();
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let initial_mode = Mode::from_raw_mode(0o600);
    let mut file = File::from(rustix::fs::openat(folder, temporary, flags, initial_mode)?);
    file.write_all(content)?;
    rustix::fs::fchmod(&file, mode)?;
    Ok(rustix::fs::renameat(folder, temporary, folder, name)?)
}

/// Opens a folder in another one. Creates it if the name is free.
fn open_subfolder(folder: &OwnedFd, name: &str, path: &Path) -> Result<OwnedFd, InsideError> {
    match rustix::fs::mkdirat(folder, name, Mode::from_raw_mode(0o755)) {
        Ok(()) | Err(Errno::EXIST) => {}
        Err(error) => return Err(io_error(path, error)),
    }
    open_existing_subfolder(folder, name, path)?.ok_or_else(|| io_error(path, Errno::NOENT))
}

/// Opens a folder in another one; `None` if there is nothing with its name.
fn open_existing_subfolder(
    folder: &OwnedFd,
    name: &str,
    path: &Path,
) -> Result<Option<OwnedFd>, InsideError> {
    entry::open_folder(folder, name).map_err(|error| entry_error(path, error, "a folder"))
}

fn entry_error(path: &Path, error: EntryError, expected: &'static str) -> InsideError {
    match error {
        EntryError::Other(kind) => in_the_way_error(path.to_owned(), kind, expected),
        EntryError::System(error) => io_error(path, error),
    }
}

fn in_the_way_error(path: PathBuf, kind: FileType, expected: &'static str) -> InsideError {
    let found = match kind {
        FileType::Symlink => "a symbolic link",
        FileType::Directory => "a folder",
        FileType::RegularFile => "a file",
        _ => "a special file",
    };
    InsideError::InTheWay {
        path,
        found,
        expected,
    }
}

fn io_error(path: &Path, error: Errno) -> InsideError {
    InsideError::Io {
        path: path.to_owned(),
        source: error.into(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn files_are_replaced_atomically_and_keep_their_mode() {
        let folder = tempfile::tempdir().unwrap();
        let inside = ConfinedFolder::open(folder.path()).unwrap();
        inside.write("a/b/c", b"one", 0o640).unwrap();
        inside.write("a/b/c", b"two", 0o600).unwrap();
        let path = folder.path().join("a/b/c");
        assert_eq!(fs::read(&path).unwrap(), b"two");
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o7777, 0o640);
        let left = fs::read_dir(folder.path().join("a/b")).unwrap().count();
        assert_eq!(left, 1);
    }

    #[test]
    fn files_are_read_and_removed_without_following_links() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().join("top");
        fs::create_dir_all(top.join("a")).unwrap();
        fs::write(folder.path().join("secret"), "secret").unwrap();
        fs::write(top.join("a/file"), "text").unwrap();
        symlink("../secret", top.join("name")).unwrap();
        symlink("..", top.join("link")).unwrap();
        let inside = ConfinedFolder::open(&top).unwrap();
        assert_eq!(
            inside.read("a/file", 4).unwrap().as_deref(),
            Some(&b"text"[..])
        );
        for absent in ["none", "none/file", "a/none"] {
            assert_eq!(inside.read(absent, 4).unwrap(), None);
            inside.remove(absent).unwrap();
        }
        assert!(!top.join("none").exists());
        for refused in ["name", "link/secret", "a", "../secret", ".git/config"] {
            inside.read(refused, 100).unwrap_err();
        }
        let large = inside.read("a/file", 3).unwrap_err();
        assert!(matches!(large, InsideError::Io { .. }), "{large}");
        inside.remove("link/secret").unwrap_err();
        inside.remove("name").unwrap();
        inside.remove("a/file").unwrap();
        assert!(folder.path().join("secret").exists() && !top.join("a/file").exists());
    }

    #[test]
    fn nothing_is_written_through_a_link_or_outside_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let (top, outside) = (folder.path().join("top"), folder.path().join("outside"));
        fs::create_dir_all(&top).unwrap();
        fs::create_dir_all(&outside).unwrap();
        fs::write(outside.join("file"), "stays").unwrap();
        symlink(&outside, top.join("link")).unwrap();
        symlink(outside.join("file"), top.join("name")).unwrap();
        symlink(outside.join("none"), top.join("dangling")).unwrap();
        fs::write(top.join("plain"), "stays").unwrap();
        fs::create_dir(top.join("folder")).unwrap();
        let inside = ConfinedFolder::open(&top).unwrap();
        for (below, words) in [
            ("link/file", "top/link is in the way: it is a symbolic link"),
            ("link/new/file", "top/link is in the way"),
            ("name", "top/name is in the way: it is a symbolic link"),
            ("dangling", "top/dangling is in the way"),
            (
                "plain/file",
                "top/plain is in the way: it is a file where a folder",
            ),
            (
                "folder",
                "top/folder is in the way: it is a folder where a file",
            ),
            ("../outside/file", "no path of a file below"),
            ("/etc/x", "no path of a file below"),
            (".git/config", "no path of a file below"),
            ("", "no path of a file below"),
        ] {
            let error = inside.write(below, b"x", 0o644).unwrap_err().to_string();
            assert!(error.contains(words), "{below}: {error}");
        }
        assert_eq!(fs::read(outside.join("file")).unwrap(), b"stays");
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
        assert_eq!(fs::read(top.join("plain")).unwrap(), b"stays");
    }
}
