//! The mark `beads.db`: some clients look for a database in `.beads` and watch it for changes.
//!
//! The mark is one line of text, rewritten after every write so that watchers wake up. A real
//! SQLite database with that name belongs to another program and is never touched.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::store::disk::paths::StorePaths;
use kit::sys::file;

const MARK_TEXT: &[u8] = b"beads live in issues.jsonl beside this file; this file is only a mark\n";

pub(in crate::store) fn touch_mark(paths: &StorePaths) {
    let file = file::open_for_update(&paths.mark(), file::SHARED);
    // The mark is only for other clients. In an unwritable folder the write itself fails.
    if let Ok(file) = file
        && !is_database(&file)
    {
        file.write_all_at(MARK_TEXT, 0).ok();
    }
}

/// Returns true if `beads.db` is a database of another program.
pub fn is_foreign_database(paths: &StorePaths) -> bool {
    is_database_at(&paths.mark())
}

/// Returns true if a file is an SQLite database.
pub fn is_database_at(path: &Path) -> bool {
    file::open_regular_file(path).is_ok_and(|file| is_database(&file))
}

/// Returns the SQLite databases of other programs in a beads folder, sorted by name.
pub fn find_databases(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.is_file() && is_database_at(path))
        .collect();
    found.sort();
    found
}

fn is_database(file: &File) -> bool {
    let mut start = [0; 15];
    let read = file.read_exact_at(&mut start, 0);
    read.is_ok_and(|()| &start == b"SQLite format 3")
}
