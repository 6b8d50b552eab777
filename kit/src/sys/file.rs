//! Writes files: replaced whole or appended to, never half.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::sys::parallel::drop_in_background;

/// The number of bytes per write call for a new file.
const CHUNK: usize = 256 * 1024;

/// The number of bytes after which the system is asked to start writing a file that will be synced,
/// so that the disk works while the rest is still being produced.
const EARLY: u64 = 2 << 20;

/// The size from which a replaced file is closed in another thread.
const LARGE: u64 = 4 << 20;

/// The number of bytes per write call for a file that will be mapped.
const SMALL: usize = 32 * 1024;

/// Replaces the content of `path`: writes a temporary file beside it, syncs it, renames it over
/// `path`, and syncs the folder. A link is followed, so that its target is replaced. The mode of
/// the old file is kept; a new file gets `mode`.
pub fn replace_file(path: &Path, content: &[u8], mode: u32) -> io::Result<()> {
    replace_file_with(path, mode, |file| file.write_all(content))
}

/// Like [`replace_file`], with the content that `write` writes. The content is not held in memory.
/// If `write` fails, the old content stays.
pub fn replace_file_with<T>(
    path: &Path,
    mode: u32,
    write: impl FnOnce(&mut dyn Write) -> io::Result<T>,
) -> io::Result<T> {
    let target = resolve_link(path);
    let folder = target
        .parent()
        .ok_or_else(|| io::Error::other("a file needs a folder"))?;
    let mut temporary = tempfile::Builder::new()
        .prefix(".tmp-")
        .tempfile_in(folder)?;
    let mut buffer = io::BufWriter::with_capacity(CHUNK, temporary.as_file_mut());
    let written = write(&mut buffer)?;
    buffer.flush()?;
    drop(buffer);
    let mode = fs::metadata(&target).map_or(mode, |old| mode_of(&old));
    set_mode(temporary.as_file(), mode)?;
    temporary.as_file().sync_all()?;
    temporary.persist(&target).map_err(|error| error.error)?;
    File::open(folder)?.sync_all()?;
    Ok(written)
}

/// New content of a file, written beside it and put in place at the end. If it is dropped before
/// that, nothing remains.
#[derive(Debug)]
pub struct ReplacementFile {
    file: tempfile::NamedTempFile,
    written: u64,
    /// The offset up to which the system was asked to write the data to disk.
    flushed_to: u64,
}

impl ReplacementFile {
    /// Creates the file in the folder of `path`, with the mode of the existing file or else `mode`.
    pub fn new(path: &Path, mode: u32) -> io::Result<Self> {
        let target = resolve_link(path);
        let folder = target
            .parent()
            .ok_or_else(|| io::Error::other("a file needs a folder"))?;
        let file = tempfile::Builder::new()
            .prefix(".tmp-")
            .tempfile_in(folder)?;
        let mode = fs::metadata(&target).map_or(mode, |old| mode_of(&old));
        set_mode(file.as_file(), mode)?;
        Ok(Self {
            file,
            written: 0,
            flushed_to: 0,
        })
    }

    /// The temporary path.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Sets the modification time. A time in the past guarantees that every later write changes it.
    pub fn set_modified(&self, when: SystemTime) -> io::Result<()> {
        self.file.as_file().set_modified(when)
    }

    /// Syncs the written data.
    pub fn sync(&self) -> io::Result<()> {
        self.file.as_file().sync_all()
    }

    /// Renames the file over `path`, following a link, and syncs the folder.
    pub fn put(self, path: &Path) -> io::Result<PlacedFile> {
        let target = resolve_link(path);
        let written = self.file.as_file().metadata()?;
        let file = self.file.persist(&target).map_err(|error| error.error)?;
        if let Some(folder) = target.parent() {
            File::open(folder)?.sync_all()?;
        }
        let there = file.metadata()?;
        Ok(PlacedFile { written, there })
    }
}

/// A new file in its final place.
#[derive(Debug)]
pub struct PlacedFile {
    /// The metadata before other processes could write to the file.
    pub written: fs::Metadata,
    pub there: fs::Metadata,
}

/// Asks the system to start writing a part of a file to disk. Only the later sync counts, so the
/// result is ignored.
#[cfg(target_os = "linux")]
fn begin_sync(file: &File, from: u64, to: u64) {
    use std::os::fd::AsRawFd;
    let (Ok(from), Ok(to)) = (i64::try_from(from), i64::try_from(to)) else {
        return;
    };
    #[expect(unsafe_code, reason = "no crate that we have wraps this call")]
    // SAFETY: the descriptor is open, and all other arguments are numbers.
    unsafe {
        libc::sync_file_range(
            file.as_raw_fd(),
            from,
            to - from,
            libc::SYNC_FILE_RANGE_WRITE,
        );
    }
}

#[cfg(not(target_os = "linux"))]
fn begin_sync(_file: &File, _from: u64, _to: u64) {}

impl Write for ReplacementFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let some = self.file.write(bytes)?;
        self.written += some as u64;
        if self.written - self.flushed_to >= EARLY {
            begin_sync(self.file.as_file(), self.flushed_to, self.written);
            self.flushed_to = self.written;
        }
        Ok(some)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Creates a file with this content unless there is one, whole or not at all. Never overwrites a
/// file that another process created in the meantime. Returns true if the file was created.
pub fn create_file(path: &Path, content: &[u8], mode: u32) -> io::Result<bool> {
    let folder = path
        .parent()
        .ok_or_else(|| io::Error::other("a file needs a folder"))?;
    let mut temporary = tempfile::Builder::new()
        .prefix(".tmp-")
        .tempfile_in(folder)?;
    temporary.write_all(content)?;
    set_mode(temporary.as_file(), mode)?;
    temporary.as_file().sync_all()?;
    match temporary.persist_noclobber(path) {
        Ok(_) => File::open(folder)?.sync_all().map(|()| true),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error.error),
    }
}

/// Replaces a file of local state without a sync: whole or not at all, but the content may be lost
/// with the machine's power.
pub fn replace_file_relaxed(path: &Path, content: &[u8], mode: u32) -> io::Result<()> {
    let target = resolve_link(path);
    let temporary = write_unsynced(&target, content, mode)?;
    temporary.persist(&target).map_err(|error| error.error)?;
    Ok(())
}

/// Replaces a file that can be rebuilt at any time. Like [`replace_file_relaxed`], but without the
/// flush that file systems such as ext4 do when a file is renamed over another: the two files are
/// exchanged, and the old one is removed. After a loss of power the file may be empty or have
/// holes.
pub fn replace_derived_file(path: &Path, content: &[u8], mode: u32) -> io::Result<()> {
    DerivedFile::write(path, content, mode)?.put()
}

/// A replacement as for [`replace_derived_file`] that is written but not in place yet. If it is
/// dropped, the file is removed.
#[derive(Debug)]
pub struct DerivedFile {
    target: PathBuf,
    temporary: tempfile::NamedTempFile,
}

impl DerivedFile {
    /// Writes the replacement beside the file.
    pub fn write(path: &Path, content: &[u8], mode: u32) -> io::Result<Self> {
        let target = resolve_link(path);
        let temporary = write_unsynced(&target, content, mode)?;
        Ok(Self { target, temporary })
    }

    /// Puts the file in place, with its first bytes replaced by `beginning`.
    pub fn put_with(self, beginning: &[u8]) -> io::Result<()> {
        self.temporary.as_file().write_all_at(beginning, 0)?;
        self.put()
    }

    pub fn put(self) -> io::Result<()> {
        put_unflushed(self.temporary.into_temp_path(), &self.target)
    }
}

/// Puts a file in place. A rename over an old file makes some systems write the new one to disk
/// first; an exchange does not.
pub fn put_unflushed(temporary: tempfile::TempPath, target: &Path) -> io::Result<()> {
    let old = File::open(target).ok();
    let old = old.filter(|old| old.metadata().is_ok_and(|meta| meta.len() >= LARGE));
    if exchange_files(&temporary, target).is_ok() {
        temporary.close()?;
        if old.is_some() {
            drop_in_background(old);
        }
        return Ok(());
    }
    temporary.persist(target).map_err(|error| error.error)
}

/// Returns true if an open file is the one at a path.
pub fn is_at(file: &File, path: &Path) -> bool {
    match (file.metadata(), path.metadata()) {
        (Ok(opened), Ok(there)) => (opened.dev(), opened.ino()) == (there.dev(), there.ino()),
        _ => false,
    }
}

/// Exchanges two files. Not every system supports this.
#[cfg(any(target_os = "linux", target_os = "macos"))]
fn exchange_files(first: &Path, second: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(
        CWD,
        first,
        CWD,
        second,
        RenameFlags::EXCHANGE,
    )?)
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn exchange_files(_one: &Path, _other: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Writes a file with this content beside the one that it will replace.
fn write_unsynced(target: &Path, content: &[u8], mode: u32) -> io::Result<tempfile::NamedTempFile> {
    let folder = target
        .parent()
        .ok_or_else(|| io::Error::other("a file needs a folder"))?;
    let mut temporary = tempfile::Builder::new()
        .prefix(".tmp-")
        .tempfile_in(folder)?;
    // Written in small pieces, because the system caches a file in pieces as large as it was
    // written, and a process that maps it would load whole pieces for single bytes.
    for piece in content.chunks(SMALL) {
        temporary.write_all(piece)?;
    }
    set_mode(temporary.as_file(), mode)?;
    Ok(temporary)
}

/// Writes `line` as the first line of a file in place, and blanks the rest. Readers of the first
/// line see the old or the new one, whole. Nothing is synced.
pub fn put_first_line(path: &Path, line: &str, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt;
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .mode(mode)
        .open(path)?;
    let mut bytes = [line.as_bytes(), b"\n"].concat();
    let before = usize::try_from(file.metadata()?.len()).unwrap_or_default();
    bytes.resize(bytes.len().max(before.min(SMALL)), b'\n');
    file.write_all_at(&bytes, 0)
}

/// Text at the end of a file that is not on disk before it is synced.
#[derive(Debug)]
pub struct AppendedText {
    file: File,
    before: u64,
}

impl AppendedText {
    /// Appends text with a single write. If that fails, the file is cut back to its previous
    /// length.
    pub fn write(path: &Path, text: &[u8], mode: u32) -> Result<Self, AppendError> {
        Self::write_with(path, mode, |file| file.write_all(text))
    }

    /// Like [`Self::write`], with the content that `write` writes.
    pub fn write_with(
        path: &Path,
        mode: u32,
        write: impl FnOnce(&mut File) -> io::Result<()>,
    ) -> Result<Self, AppendError> {
        let untouched = |source| AppendError {
            source,
            undone: true,
        };
        let mut file = open_append(path, mode).map_err(untouched)?;
        let before = file.metadata().map_err(untouched)?.len();
        let written = write(&mut file);
        let appended = Self { file, before };
        match written {
            Ok(()) => Ok(appended),
            Err(source) => Err(appended.failed(source)),
        }
    }

    /// Asks the system to start writing the text to disk. The sync is still necessary.
    #[must_use]
    pub fn begin_writeback(self) -> Self {
        let to = self.file.metadata().map_or(self.before, |now| now.len());
        begin_sync(&self.file, self.before, to);
        self
    }

    /// Syncs the text. If that fails, the file is cut back to its previous length, and nothing is
    /// retried.
    pub fn sync(&self) -> Result<(), AppendError> {
        self.file.sync_data().map_err(|source| self.failed(source))
    }

    /// Cuts the text off again.
    pub fn undo(&self) -> io::Result<()> {
        self.file.set_len(self.before)?;
        self.file.sync_data()
    }

    fn failed(&self, source: io::Error) -> AppendError {
        AppendError {
            source,
            undone: self.undo().is_ok(),
        }
    }
}

/// The reason why text was not appended.
#[derive(Debug)]
pub struct AppendError {
    pub source: io::Error,
    /// True if the file is in its previous state.
    pub undone: bool,
}

/// Appends one record with a single write, so that concurrent writers do not mix. Creates the file
/// with `mode`.
pub fn append_to_file(path: &Path, record: &[u8], mode: u32) -> io::Result<()> {
    let mut file = open_append(path, mode)?;
    file.write_all(record)
}

pub fn open_append(path: &Path, mode: u32) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    OpenOptions::new()
        .create(true)
        .append(true)
        .read(true)
        .mode(mode)
        .open(path)
}

/// Reads a file; `None` if it does not exist.
pub fn read_file_if_exists(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Reads a file from an offset to its end; `None` if the file does not exist or is shorter.
pub fn read_file_from(path: &Path, from: u64) -> io::Result<Option<Vec<u8>>> {
    use std::io::{Read, Seek, SeekFrom};
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    if file.metadata()?.len() < from {
        return Ok(None);
    }
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// Creates a folder and its parents, the last one with `mode`. An existing folder stays unchanged.
pub fn create_folder(path: &Path, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    if path.is_dir() {
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    match fs::DirBuilder::new().mode(mode).create(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        other => other,
    }
}

/// Syncs a folder, so that the names in it are on disk.
pub fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Removes a file, if it exists.
pub fn remove_file(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Returns `path` with its last link followed, or unchanged if that is impossible.
fn resolve_link(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

fn mode_of(metadata: &fs::Metadata) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode() & 0o7777
}

fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(fs::Permissions::from_mode(mode))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replacing_a_file_keeps_its_mode_and_follows_a_link() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("real"), folder.path().join("link"));
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        replace_file(&link, b"new", 0o600).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        assert!(
            fs::symlink_metadata(&link)
                .unwrap()
                .file_type()
                .is_symlink()
        );
        assert_eq!(
            fs::metadata(&file).unwrap().permissions().mode() & 0o777,
            0o640
        );
    }

    #[test]
    fn a_line_that_replaces_a_longer_one_leaves_no_remainder() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("line");
        put_first_line(&path, "bd-abcdef", 0o600).unwrap();
        put_first_line(&path, "bd-1", 0o600).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap().trim_end(), "bd-1");
        put_first_line(&path, "bd-xyz12345678", 0o600).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "bd-xyz12345678\n");
    }

    #[test]
    fn derived_files_are_swapped_with_the_old_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("derived");
        for text in ["one", "two", "three"] {
            replace_derived_file(&path, text.as_bytes(), 0o600).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_failed_write_keeps_the_old_content_and_leaves_no_temporary_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "old").unwrap();
        let failed = replace_file_with(&path, 0o644, |file| {
            file.write_all(&vec![b'x'; 2 * CHUNK])?;
            Err::<(), _>(io::Error::other("no more"))
        });
        assert_eq!(failed.unwrap_err().to_string(), "no more");
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        let count = replace_file_with(&path, 0o644, |file| file.write_all(b"new").map(|()| 1));
        assert_eq!(count.unwrap(), 1);
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    }

    #[test]
    fn an_existing_file_is_not_created_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        assert!(create_file(&path, b"first", 0o644).unwrap());
        assert!(!create_file(&path, b"second", 0o644).unwrap());
        assert_eq!(fs::read_to_string(&path).unwrap(), "first");
    }

    #[test]
    fn a_missing_file_reads_as_none() {
        let folder = tempfile::tempdir().unwrap();
        assert!(
            read_file_if_exists(&folder.path().join("none"))
                .unwrap()
                .is_none()
        );
    }
}
