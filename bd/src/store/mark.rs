//! The mark `beads.db`: some clients look for a database in `.beads` and watch it for changes.
//!
//! It is one line of text, written again after every write so that watchers wake up. A real SQLite
//! database under that name belongs to another program and is never touched.

use std::fs::OpenOptions;
use std::io::{Read, Write};

use super::paths::Paths;

const TEXT: &[u8] = b"beads live in issues.jsonl beside this file; this file is only a mark\n";

/// Writes the mark in place.
pub(super) fn touch(paths: &Paths) {
    let path = paths.mark();
    if is_foreign(paths) {
        return;
    }
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path);
    // Nothing depends on the mark; a folder where it cannot be written shows in the write itself.
    file.and_then(|mut file| file.write_all(TEXT)).ok();
}

/// Whether `beads.db` is a database of another program.
pub fn is_foreign(paths: &Paths) -> bool {
    let mut start = [0; 15];
    std::fs::File::open(paths.mark())
        .and_then(|mut file| file.read_exact(&mut start))
        .is_ok_and(|()| &start == b"SQLite format 3")
}
