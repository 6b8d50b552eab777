//! Reads files that other programs write: regular files only, bounded in size, line and time.

use std::fs::{File, Metadata};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Take};
use std::path::Path;

use crate::sys::file;

/// The number of bytes that one reading of lines reads at most.
const MAX_READING: u64 = 1 << 30;

/// The maximum number of bytes of a file that people write.
const SMALL_FILE: u64 = 16 * 1024 * 1024;

/// The number of bytes per read call.
const BUFFER_SIZE: usize = 64 * 1024;

/// Reads a regular file that another program writes, following links; `None` if it does not exist.
/// More than `limit` bytes are an error.
pub fn read_foreign_file(path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let Some(file) = file::open_file_if_exists(path)? else {
        return Ok(None);
    };
    let mut bytes = Vec::new();
    file.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        let problem = format!("it is larger than {limit} bytes");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, problem));
    }
    Ok(Some(bytes))
}

/// Reads a regular file that people write, such as settings or a text, following links; `None` if
/// it does not exist. More than 16 MiB are an error.
pub fn read_small_file(path: &Path) -> io::Result<Option<Vec<u8>>> {
    read_foreign_file(path, SMALL_FILE)
}

/// A regular file of lines that another program writes, from an offset.
#[derive(Debug)]
pub struct ForeignLines {
    file: BufReader<Take<File>>,
    line_limit: usize,
    line: Vec<u8>,
    /// The number of bytes of the file before the next line.
    pub offset: u64,
}

impl ForeignLines {
    /// Opens a file, following links. Reads no further than its length at this moment, so that a
    /// writer never keeps the reader busy, and at most a GiB. Lines over `line_limit` bytes are
    /// skipped, and are never in memory as a whole.
    pub fn open(path: &Path, offset: u64, line_limit: usize) -> io::Result<Self> {
        let mut file = file::open_file_if_exists(path)?.ok_or(io::ErrorKind::NotFound)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(offset))?;
        Ok(Self {
            file: BufReader::with_capacity(
                BUFFER_SIZE,
                file.take(length.saturating_sub(offset).min(MAX_READING)),
            ),
            line_limit,
            line: Vec::new(),
            offset,
        })
    }

    /// The metadata of the open file.
    pub fn metadata(&self) -> io::Result<Metadata> {
        self.file.get_ref().get_ref().metadata()
    }

    /// Returns the next line with its line break, or `None` at the end of the reading. A last
    /// line without a line break may not be written to its end yet.
    pub fn next_line(&mut self) -> io::Result<Option<&[u8]>> {
        loop {
            self.line.clear();
            let mut is_too_long = false;
            let mut length = 0;
            loop {
                let piece = self.file.fill_buf()?;
                let end = piece.iter().position(|byte| *byte == b'\n');
                let taken = end.map_or(piece.len(), |end| end + 1);
                is_too_long |= self.line.len() + taken > self.line_limit;
                if !is_too_long {
                    self.line.extend_from_slice(&piece[..taken]);
                }
                self.file.consume(taken);
                length += taken as u64;
                if end.is_some() || taken == 0 {
                    break;
                }
            }
            self.offset += length;
            if length == 0 {
                return Ok(None);
            }
            if !is_too_long {
                return Ok(Some(&self.line));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn foreign_files_are_bounded_in_kind_and_size() {
        let folder = tempfile::tempdir().unwrap();
        let [pipe, device, folder_link, large] =
            ["pipe", "device", "folder", "large"].map(|name| folder.path().join(name));
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, 0o600.into()).unwrap();
        std::os::unix::fs::symlink("/dev/zero", &device).unwrap();
        std::os::unix::fs::symlink(folder.path(), &folder_link).unwrap();
        File::create(&large).unwrap().set_len(3 << 30).unwrap();
        for path in [&pipe, &device, &folder_link] {
            assert!(read_foreign_file(path, 10).is_err());
            assert!(ForeignLines::open(path, 0, 10).is_err());
        }
        let error = read_foreign_file(&large, 10).unwrap_err();
        assert_eq!(error.to_string(), "it is larger than 10 bytes");
        assert!(
            read_foreign_file(&folder.path().join("none"), 10)
                .unwrap()
                .is_none()
        );
    }

    #[test]
    fn lines_of_foreign_files_over_the_limit_are_skipped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines");
        fs::write(&path, format!("one\n{}\ntwo\nrest", "x".repeat(20_000))).unwrap();
        let mut lines = ForeignLines::open(&path, 0, 100).unwrap();
        assert_eq!(lines.next_line().unwrap(), Some(&b"one\n"[..]));
        assert_eq!(lines.offset, 4);
        assert_eq!(lines.next_line().unwrap(), Some(&b"two\n"[..]));
        assert_eq!(lines.next_line().unwrap(), Some(&b"rest"[..]));
        // The text that comes after the start of the reading is left for the next one.
        file::append_to_file(&path, b" more\n", 0o600).unwrap();
        assert_eq!(lines.next_line().unwrap(), None);
        let mut lines = ForeignLines::open(&path, 4, 100).unwrap();
        assert_eq!(lines.next_line().unwrap(), Some(&b"two\n"[..]));
    }
}
