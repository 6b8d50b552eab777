//! Finds the lines in which two states of the issues differ.
//!
//! The index of the current issues has the hashes of their lines. The kept issues are read in
//! pieces, in any order. Only differing lines are parsed and held in memory.

use std::collections::BTreeMap;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use crate::merge;
use crate::store::StoreError;
use crate::store::index::{self, ISSUES, IndexLine, ParsedFile};
use crate::store::view::source::StoreRead;
use kit::sys::file;

/// Lines by id.
pub(super) type LinesById = BTreeMap<String, Vec<u8>>;

/// The difference between the kept issues and the current issues.
#[derive(Default)]
pub(super) struct IssuesDifference {
    /// The lines that the other state lacks. If an id is repeated, the line that counts.
    pub kept: LinesById,
    pub found: LinesById,
    /// True if nothing differs, including the positions of the lines.
    pub is_none: bool,
}

impl IssuesDifference {
    pub(super) fn from_kept(read: &StoreRead) -> Result<Self, StoreError> {
        let StoreRead { index, source, .. } = read;
        let failed = |error| StoreError::io("read", &source.paths.kept(), error);
        let kept = file::open_regular_file(&source.paths.kept()).map_err(failed)?;
        let size = kept.metadata().map_err(failed)?.len();
        let parsed = index::parse_file(&kept, ISSUES, Some(index)).map_err(failed)?;
        let key = source.read_key(ISSUES);
        let mut differ = Self {
            is_none: (parsed.content, size) == (key.content, key.size),
            ..Self::default()
        };
        // True for each row of the current issues whose line is in the kept issues.
        let mut shared = vec![false; index.rows().len()];
        for bead in index::merge_parsed_files([parsed, ParsedFile::default()], Some(index)).0 {
            match bead.what {
                IndexLine::Known(row) => shared[row as usize] = true,
                IndexLine::New(facts) => {
                    let mut line = vec![0; bead.location.length as usize];
                    kept.read_exact_at(&mut line, bead.location.offset)
                        .map_err(failed)?;
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
            // A damaged line still shows its id.
            let line = source
                .bytes_at(ISSUES, note.offset, note.length)
                .map_err(failed)?;
            let Some(id) = merge::id_of_line(&line) else {
                continue;
            };
            if note.is_version && differ.kept.get(&id) == Some(&line) {
                // The kept line is still there, beside a newer one.
                differ.kept.remove(&id);
                differ.found.remove(&id);
            } else if index.find(&id).is_none() {
                differ.found.insert(id, line);
            }
        }
        Ok(differ)
    }
}

/// Returns the lines of some ids in a file, if the file exists.
pub(super) fn lines_of(
    path: &Path,
    is_wanted: impl Fn(&str) -> bool,
) -> Result<LinesById, StoreError> {
    let mut found = LinesById::new();
    let read = file::open_regular_file(path).and_then(|file| {
        index::read_whole_lines(&file, 0, file.metadata()?.len(), |text, _| {
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
