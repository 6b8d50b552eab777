//! Finds the lines that two states of the issues do not share.
//!
//! The index of the issues that are found knows their lines by hash: those that were kept are read in pieces, in any order,
//! and only lines that differ are parsed and held.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use crate::merge;
use crate::store::StoreError;
use crate::store::index::{self, ISSUES, Made, What};
use crate::store::view::source::Read;

/// Lines by id.
pub(super) type ById = BTreeMap<String, Vec<u8>>;

/// How the issues that were kept and those that were read differ.
#[derive(Default)]
pub(super) struct Difference {
    /// Lines that are not in the other state; where an id stands twice, the one that counts.
    pub kept: ById,
    pub found: ById,
    /// Whether nothing differs, not even the places of the lines.
    pub is_none: bool,
}

impl Difference {
    pub(super) fn from_kept(read: &Read) -> Result<Self, StoreError> {
        let Read { index, source, .. } = read;
        let failed = |error| StoreError::io("read", &source.paths.kept(), error);
        let kept = File::open(source.paths.kept()).map_err(failed)?;
        let made = index::split(&kept, ISSUES, Some(index)).map_err(failed)?;
        let size = kept.metadata().map_err(failed)?.len();
        let key = source.read_key(ISSUES);
        let mut differ = Self {
            is_none: (made.content, size) == (key.content, key.size),
            ..Self::default()
        };
        let mut shared = vec![false; index.rows().len()];
        for bead in index::merge_files([made, Made::default()], Some(index)).0 {
            match bead.what {
                What::Known(row) => shared[row as usize] = true,
                What::New(facts) => {
                    let mut line = vec![0; bead.place.length as usize];
                    let read = kept.read_exact_at(&mut line, bead.place.offset);
                    read.map_err(failed)?;
                    differ.kept.insert(facts.id, line);
                }
            }
        }
        let rows = index.rows().iter().zip(shared).zip(0..);
        for ((row, _), at) in rows.filter(|((row, shared), _)| row.file == ISSUES && !shared) {
            let line = source.checked_line(row, index.id(at))?;
            differ.found.insert(index.id(at).to_owned(), line);
        }
        for note in index.notes().iter().filter(|note| note.file == ISSUES) {
            // A damaged line still says whose it was.
            let line = source.bytes_at(ISSUES, note.offset, note.length);
            let line = line.map_err(failed)?;
            if let Some(id) = merge::id_of(&line).filter(|id| index.find(id).is_none()) {
                differ.found.insert(id, line);
            }
        }
        Ok(differ)
    }
}

/// The lines of some ids in a file, if there is one.
pub(super) fn lines_of(path: &Path, is_wanted: impl Fn(&str) -> bool) -> Result<ById, StoreError> {
    let mut found = ById::new();
    let read = File::open(path).and_then(|file| {
        index::whole_lines(&file, 0, file.metadata()?.len(), |text, _| {
            let wanted = merge::lines_by_id(text).filter(|(id, _)| is_wanted(id));
            found.extend(wanted.map(|(id, line)| (id, line.to_vec())));
        })
    });
    match read {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(StoreError::io("read", path, error))
        }
        _ => Ok(found),
    }
}
