//! Rotates `daemon/daemon.log` to `daemon.log.1` … `daemon.log.3`.
//!
//! The daemon keeps the file open, so its content is copied and the file truncated, never renamed.
//! A line that is written between the two steps is lost.

use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// The size in bytes from which the log is rotated.
const ROTATION_SIZE: u64 = 10 << 20;
/// The number of old logs that are kept.
const MAX_OLD_LOGS: usize = 3;

/// Rotates a log if it is large, or with `force` if it is not empty. Returns true if it was
/// rotated.
pub fn rotate_log(log: &Path, force: bool) -> io::Result<bool> {
    let size = match fs::metadata(log) {
        Ok(meta) => meta.len(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => 0,
        Err(error) => return Err(error),
    };
    if size < if force { 1 } else { ROTATION_SIZE } {
        return Ok(false);
    }
    for number in (1..MAX_OLD_LOGS).rev() {
        match fs::rename(old_log(log, number), old_log(log, number + 1)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    // The copy has the permissions of the log, and is complete before the log is truncated.
    fs::copy(log, old_log(log, 1))?;
    OpenOptions::new().write(true).truncate(true).open(log)?;
    Ok(true)
}

fn old_log(log: &Path, number: usize) -> PathBuf {
    let mut name = log.as_os_str().to_owned();
    name.push(format!(".{number}"));
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cases of the log's size (daemon edge case 24).
    #[test]
    fn case_24_a_small_log_stays_and_large_ones_are_rotated() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("daemon.log");
        assert!(!rotate_log(&log, true).unwrap(), "no file");
        fs::write(&log, "").unwrap();
        assert!(!rotate_log(&log, true).unwrap(), "empty");
        fs::write(&log, "small").unwrap();
        assert!(!rotate_log(&log, false).unwrap());
        // Who writes appends, and goes on to.
        let mut writer = append(&log);
        for text in ["a", "b", "c", "d"] {
            io::Write::write_all(&mut writer, text.as_bytes()).unwrap();
            assert!(rotate_log(&log, true).unwrap());
            assert_eq!(fs::read(&log).unwrap(), b"");
        }
        let read =
            |number: u8| fs::read_to_string(folder.path().join(format!("daemon.log.{number}")));
        assert_eq!(read(1).unwrap(), "d");
        assert_eq!(read(2).unwrap(), "c");
        assert_eq!(read(3).unwrap(), "b");
        assert!(read(4).is_err(), "only three are kept");
        fs::OpenOptions::new()
            .write(true)
            .open(&log)
            .unwrap()
            .set_len(ROTATION_SIZE)
            .unwrap();
        assert!(rotate_log(&log, false).unwrap());
    }

    fn append(log: &Path) -> fs::File {
        OpenOptions::new().append(true).open(log).unwrap()
    }
}
