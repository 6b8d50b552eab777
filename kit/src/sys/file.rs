//! Reads regular files, and writes them: replaced whole or appended to, never half.
//!
//! Files often lie where a cloned repository brings its own. So nothing here writes through a
//! symbolic link (a caller that wants to uses [`follow_link`] first), or waits for a pipe or
//! device.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{FileExt, FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rustix::fs::OFlags;

use crate::sys::parallel::drop_in_background;

/// The number of bytes per write call for a new file.
const WRITE_SIZE: usize = 256 * 1024;

/// The number of bytes after which the system is asked to start writing a file that will be synced,
/// so that the disk works while the rest is still being produced.
const EARLY_WRITE_SIZE: u64 = 2 << 20;

/// The size from which a replaced file is closed in another thread.
const LARGE_FILE: u64 = 4 << 20;

/// The number of bytes per write call for a file that will be mapped.
const MAPPED_WRITE_SIZE: usize = 32 * 1024;

/// The mode of a new file that everyone may read, and write as the umask permits.
pub const SHARED: u32 = 0o666;

/// Replaces the content of `path`: writes a temporary file beside it, syncs it, renames it over
/// `path`, and syncs the folder. The mode and group of the old file are kept; a new file gets
/// `mode` less the umask.
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
    let mut temporary = create_beside(path, mode)?;
    let mut buffer = io::BufWriter::with_capacity(WRITE_SIZE, temporary.as_file_mut());
    let written = write(&mut buffer)?;
    buffer.flush()?;
    drop(buffer);
    temporary.as_file().sync_all()?;
    temporary.persist(path).map_err(|error| error.error)?;
    sync_folder(folder_of(path)?)?;
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
        Ok(Self {
            file: create_beside(path, mode)?,
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

    /// Renames the file over `path`, and syncs the folder.
    pub fn put(self, path: &Path) -> io::Result<PlacedFile> {
        check_regular(path)?;
        let written = self.file.as_file().metadata()?;
        let file = self.file.persist(path).map_err(|error| error.error)?;
        sync_folder(folder_of(path)?)?;
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
        if self.written - self.flushed_to >= EARLY_WRITE_SIZE {
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
    let folder = folder_of(path)?;
    let mut temporary = temporary_file(mode).tempfile_in(folder)?;
    temporary.write_all(content)?;
    temporary.as_file().sync_all()?;
    match temporary.persist_noclobber(path) {
        Ok(_) => sync_folder(folder).map(|()| true),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error.error),
    }
}

/// Replaces a file of local state without a sync: whole or not at all, but the content may be lost
/// with the machine's power.
pub fn replace_file_relaxed(path: &Path, content: &[u8], mode: u32) -> io::Result<()> {
    let temporary = write_unsynced(path, content, mode)?;
    temporary.persist(path).map_err(|error| error.error)?;
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
        Ok(Self {
            target: path.to_owned(),
            temporary: write_unsynced(path, content, mode)?,
        })
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

/// Returns a path without links. A path that does not exist stays unchanged.
pub fn find_real_path(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// Puts a file in place. A rename over an old file makes some systems write the new one to disk
/// first; an exchange does not.
pub fn put_unflushed(temporary: tempfile::TempPath, target: &Path) -> io::Result<()> {
    let old = File::open(target)
        .ok()
        .filter(|old| old.metadata().is_ok_and(|meta| meta.len() >= LARGE_FILE));
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
    let mut temporary = create_beside(target, mode)?;
    // Written in small pieces, because the system caches a file in pieces as large as it was
    // written, and a process that maps it would load whole pieces for single bytes.
    for piece in content.chunks(MAPPED_WRITE_SIZE) {
        temporary.write_all(piece)?;
    }
    Ok(temporary)
}

/// Writes `line` as the first line of a file in place, and blanks the rest. Readers of the first
/// line see the old or the new one, whole. Nothing is synced.
pub fn put_first_line(path: &Path, line: &str, mode: u32) -> io::Result<()> {
    let file = open_for_update(path, mode)?;
    let mut bytes = [line.as_bytes(), b"\n"].concat();
    let before = usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX);
    bytes.resize(bytes.len().max(before.min(MAPPED_WRITE_SIZE)), b'\n');
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

/// Opens a regular file to append to it and to read it. Creates it with `mode` if necessary.
pub fn open_append(path: &Path, mode: u32) -> io::Result<File> {
    open_as_regular(
        path,
        Links::Refused,
        OpenOptions::new()
            .create(true)
            .append(true)
            .read(true)
            .mode(mode),
    )
}

/// Opens a regular file to read it and to write parts of it. Creates it with `mode` if necessary.
pub fn open_for_update(path: &Path, mode: u32) -> io::Result<File> {
    open_as_regular(
        path,
        Links::Refused,
        OpenOptions::new()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .mode(mode),
    )
}

/// Opens a regular file for reading. Anything else, including a symbolic link, is an error.
pub fn open_regular_file(path: &Path) -> io::Result<File> {
    open_as_regular(path, Links::Refused, OpenOptions::new().read(true))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Links {
    Followed,
    Refused,
}

/// Opens a file and refuses anything but a regular file, without waiting for the other end of a
/// pipe.
fn open_as_regular(path: &Path, links: Links, options: &mut OpenOptions) -> io::Result<File> {
    let mut flags = OFlags::NONBLOCK;
    if links == Links::Refused {
        flags |= OFlags::NOFOLLOW;
    }
    let flags = flags.bits().cast_signed();
    let file = match options.custom_flags(flags).open(path) {
        // Systems differ in their errors for a link.
        Err(error) => return Err(check_regular(path).err().unwrap_or(error)),
        Ok(file) => file,
    };
    check_kind(file.metadata()?.file_type())?;
    Ok(file)
}

/// Fails if there is anything but a regular file at `path`. Returns the metadata of the file, if
/// there is one.
fn check_regular(path: &Path) -> io::Result<Option<fs::Metadata>> {
    match fs::symlink_metadata(path) {
        Ok(found) => check_kind(found.file_type()).map(|()| Some(found)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Fails for anything but a regular file, with an error that says what it is.
pub fn check_kind(kind: fs::FileType) -> io::Result<()> {
    if kind.is_file() {
        return Ok(());
    }
    Err(io::Error::new(
        io::ErrorKind::InvalidInput,
        format!("it is {}, not a regular file", describe_kind(kind)),
    ))
}

fn describe_kind(kind: fs::FileType) -> &'static str {
    if kind.is_symlink() {
        "a symbolic link"
    } else if kind.is_dir() {
        "a folder"
    } else if kind.is_fifo() {
        "a pipe"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

/// Reads a regular file, following links; `None` if it does not exist.
pub fn read_file_if_exists(path: &Path) -> io::Result<Option<Vec<u8>>> {
    read_opened(open_as_regular(
        path,
        Links::Followed,
        OpenOptions::new().read(true),
    ))
}

/// Reads a regular file; `None` if it does not exist. A symbolic link is an error.
pub fn read_regular_file(path: &Path) -> io::Result<Option<Vec<u8>>> {
    read_opened(open_regular_file(path))
}

/// Opens a regular file for reading, following links; `None` if it does not exist.
pub fn open_file_if_exists(path: &Path) -> io::Result<Option<File>> {
    match open_as_regular(path, Links::Followed, OpenOptions::new().read(true)) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn read_opened(opened: io::Result<File>) -> io::Result<Option<Vec<u8>>> {
    match opened {
        Ok(mut file) => {
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes)?;
            Ok(Some(bytes))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Reads a file from an offset to its end; `None` if the file does not exist or is shorter.
pub fn read_file_from(path: &Path, from: u64) -> io::Result<Option<Vec<u8>>> {
    let mut file = match open_regular_file(path) {
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

/// Takes the permissions of other users off a file, if it exists. The group keeps its own.
pub fn hide_from_others(path: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(found) => {
            let hidden = mode_of(&found) & !0o007;
            if hidden == mode_of(&found) {
                return Ok(());
            }
            fs::set_permissions(path, fs::Permissions::from_mode(hidden))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
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

/// Creates a folder for its owner alone, and refuses one that others own or can enter.
pub fn create_private_folder(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    create_folder(folder, 0o700)?;
    let found = fs::symlink_metadata(folder)?;
    let is_ours = found.is_dir() && found.uid() == rustix::process::getuid().as_raw();
    let rights_of_others = found.mode() & 0o077;
    if is_ours && rights_of_others == 0 {
        return Ok(());
    }
    let text = format!(
        "{} is not a folder of ours that only we can enter",
        folder.display()
    );
    Err(io::Error::other(text))
}

/// Returns the names of the subfolders that are not hidden, sorted. An unreadable folder has none.
pub fn list_subfolders(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| entry.path().is_dir())
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| !name.starts_with('.'))
        .collect();
    names.sort();
    names
}

/// Removes a folder whose content others made, also if they took away the rights to it; a missing folder is removed.
pub fn remove_tree(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            open_folders(folder)?;
            fs::remove_dir_all(folder)
        }
        removed => removed,
    }
}

/// Gives the owner all rights to a folder and the folders in it. No link is followed.
pub fn open_folders(folder: &Path) -> io::Result<()> {
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            open_folders(&entry.path())?;
        }
    }
    Ok(())
}

/// Syncs a folder, so that the names in it are on disk.
pub fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Puts a file or folder at `place`, in one step. Whatever is there moves to `new`. On a file system
/// that cannot exchange, `place` is missing for a moment.
pub fn exchange(new: &Path, place: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags};
    match rustix::fs::renameat_with(CWD, new, CWD, place, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(()),
        Err(rustix::io::Errno::NOENT) => fs::rename(new, place),
        Err(_) => {
            let earlier = new.with_extension("earlier");
            fs::rename(place, &earlier)?;
            fs::rename(new, place)?;
            fs::rename(earlier, new)
        }
    }
}

/// Removes a file, if it exists.
pub fn remove_file(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Returns the file to which `path` leads, for a file that its owner may have linked to another
/// place; `path` itself if that is impossible.
pub fn follow_link(path: &Path) -> PathBuf {
    if let Ok(end) = fs::canonicalize(path) {
        return end;
    }
    let mut end = path.to_owned();
    // The end need not exist. Links that lead to each other end somewhere, and opening that fails.
    for _ in 0..40 {
        let Ok(target) = fs::read_link(&end) else {
            break;
        };
        end = end.parent().unwrap_or(Path::new("")).join(target);
    }
    match (end.parent().map(fs::canonicalize), end.file_name()) {
        (Some(Ok(folder)), Some(name)) => folder.join(name),
        _ => end,
    }
}

fn folder_of(path: &Path) -> io::Result<&Path> {
    path.parent()
        .ok_or_else(|| io::Error::other("a file needs a folder"))
}

fn temporary_file(mode: u32) -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder
        .prefix(".tmp-")
        .permissions(fs::Permissions::from_mode(mode));
    builder
}

/// Creates a temporary file beside the regular file that it will replace, with its mode and group;
/// for a new file with `mode` less the umask.
fn create_beside(target: &Path, mode: u32) -> io::Result<tempfile::NamedTempFile> {
    let old = check_regular(target)?;
    let temporary = temporary_file(mode).tempfile_in(folder_of(target)?)?;
    if let Some(old) = old {
        if temporary.as_file().metadata()?.gid() != old.gid() {
            // Only the owner's own groups can be given. The file is as useful without.
            std::os::unix::fs::fchown(temporary.as_file(), None, Some(old.gid())).ok();
        }
        set_mode(temporary.as_file(), mode_of(&old))?;
    }
    Ok(temporary)
}

fn mode_of(metadata: &fs::Metadata) -> u32 {
    metadata.permissions().mode() & 0o7777
}

fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    file.set_permissions(fs::Permissions::from_mode(mode))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replacing_a_file_keeps_its_mode() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        replace_file(&path, b"new", 0o600).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(mode_of(&fs::metadata(&path).unwrap()), 0o640);
    }

    #[test]
    fn a_new_file_has_the_mode_that_the_umask_leaves() {
        let folder = tempfile::tempdir().unwrap();
        let plain = folder.path().join("plain");
        fs::write(&plain, "").unwrap();
        let by_umask = mode_of(&fs::metadata(&plain).unwrap());
        let [replaced, created, derived] = ["a", "b", "c"].map(|name| folder.path().join(name));
        replace_file(&replaced, b"", SHARED).unwrap();
        create_file(&created, b"", SHARED).unwrap();
        replace_derived_file(&derived, b"", SHARED).unwrap();
        for path in [replaced, created, derived] {
            assert_eq!(mode_of(&fs::metadata(path).unwrap()), by_umask);
        }
    }

    #[test]
    fn links_pipes_and_devices_are_neither_written_nor_read() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("target");
        fs::write(&target, "theirs").unwrap();
        let [link, device, pipe] = ["link", "device", "pipe"].map(|name| folder.path().join(name));
        std::os::unix::fs::symlink(&target, &link).unwrap();
        std::os::unix::fs::symlink("/dev/zero", &device).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, 0o600.into()).unwrap();
        for path in [&link, &device, &pipe] {
            let errors = [
                replace_file(path, b"ours", 0o600).unwrap_err(),
                replace_file_relaxed(path, b"ours", 0o600).unwrap_err(),
                replace_derived_file(path, b"ours", 0o600).unwrap_err(),
                append_to_file(path, b"ours", 0o600).unwrap_err(),
                put_first_line(path, "ours", 0o600).unwrap_err(),
                ReplacementFile::new(path, 0o600).map(drop).unwrap_err(),
                read_file_from(path, 0).unwrap_err(),
                read_regular_file(path).unwrap_err(),
            ];
            let kind = if path == &pipe {
                "a pipe"
            } else {
                "a symbolic link"
            };
            for error in errors {
                assert_eq!(
                    error.to_string(),
                    format!("it is {kind}, not a regular file")
                );
            }
        }
        assert_eq!(read_file_if_exists(&link).unwrap().unwrap(), b"theirs");
        assert!(read_file_if_exists(&device).is_err());
        assert!(read_file_if_exists(&pipe).is_err());
        replace_file(&follow_link(&link), b"ours", 0o600).unwrap();
        assert_eq!(fs::read_to_string(&target).unwrap(), "ours");
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
            file.write_all(&vec![b'x'; 2 * WRITE_SIZE])?;
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
