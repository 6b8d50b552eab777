//! Lists and reads the files in the stores of agent programs. Only regular files of a bounded size
//! are read.

use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use kit::sys::foreign::{self, ForeignLines};

/// The number of bytes of the longest line of a transcript that is read. A line may hold pictures.
const LINE_LIMIT: usize = 64 << 20;

/// The number of bytes of the largest file that is read as a whole.
const FILE_LIMIT: u64 = 64 << 20;

/// Opens a transcript to read its lines from an offset.
pub(in crate::flow::agent::seance) fn open_lines(
    path: &Path,
    offset: u64,
) -> io::Result<ForeignLines> {
    ForeignLines::open(path, offset, LINE_LIMIT)
}

/// Reads a file as a whole. None if it cannot be read.
pub(super) fn read_store_file(path: &Path) -> Option<Vec<u8>> {
    foreign::read_foreign_file(path, FILE_LIMIT).ok().flatten()
}

/// Returns the entries of a folder, sorted. An unreadable folder has none.
pub(super) fn list_entries(folder: &Path) -> Vec<PathBuf> {
    let read = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = read.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// Returns the time of a file's last change. None if it cannot be read.
pub(super) fn change_time(path: &Path) -> Option<Timestamp> {
    let changed = std::fs::metadata(path).and_then(|meta| meta.modified());
    Timestamp::try_from(changed.ok()?).ok()
}
