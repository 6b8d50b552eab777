//! Finds the lines in which two states of the issues differ.
//!
//! The index of the current issues has the hashes of their lines, and so does the previous index if
//! it belongs to the kept issues. Otherwise the kept issues are read in pieces, in any order. Only
//! differing lines are parsed and held in memory.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

use super::issues_file::is_kept;
use crate::merge;
use crate::store::StoreError;
use crate::store::index::{self, ISSUES, Index, IndexLine, IndexRow, ParsedFile};
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

/// The comparison of the kept issues with the current ones.
struct KeptComparison {
    /// The kept lines that the current issues lack.
    kept: LinesById,
    /// True for each row of the current issues whose line is in the kept issues.
    shared: Vec<bool>,
    /// The hash of the kept content.
    content: u64,
}

impl KeptComparison {
    /// Compares by reading the lines of the kept file.
    fn by_reading(index: &Index, kept: &File) -> io::Result<Self> {
        let made = index::parse_file(kept, ISSUES, Some(index))?;
        let content = made.content;
        let mut shared = vec![false; index.rows().len()];
        let mut lines = LinesById::new();
        for bead in index::merge_parsed_files([made, ParsedFile::default()], Some(index)).0 {
            match bead.what {
                IndexLine::Known(row) => shared[row as usize] = true,
                IndexLine::New(facts) => {
                    let mut line = vec![0; bead.location.length as usize];
                    kept.read_exact_at(&mut line, bead.location.offset)?;
                    lines.insert(facts.id, line);
                }
            }
        }
        Ok(Self {
            kept: lines,
            shared,
            content,
        })
    }

    /// Compares by the previous index, which belongs to the kept file and has the hashes of its
    /// lines. Returns `None` if it belongs to another file.
    fn by_index(index: &Index, before: &Index, kept: &File) -> Option<Self> {
        let mut shared = vec![false; index.rows().len()];
        let mut lines = LinesById::new();
        let mut found = (0..).zip(index.rows()).peekable();
        for (at, row) in (0..).zip(before.rows()) {
            if row.file != ISSUES {
                continue;
            }
            let id = before.id_bytes(at);
            while found.next_if(|(at, _)| index.id_bytes(*at) < id).is_some() {}
            let same = |(at, found): &(u32, &IndexRow)| {
                (found.file, found.hash) == (ISSUES, row.hash) && index.id_bytes(*at) == id
            };
            if let Some((at, _)) = found.next_if(same) {
                shared[at as usize] = true;
                continue;
            }
            let mut line = vec![0; row.length as usize];
            kept.read_exact_at(&mut line, row.offset).ok()?;
            if xxh3_64(&line) != row.hash {
                return None;
            }
            lines.insert(before.id(at).to_owned(), line);
        }
        Some(Self {
            kept: lines,
            shared,
            content: before.keys().issues.content,
        })
    }
}

impl IssuesDifference {
    pub(super) fn from_kept(read: &StoreRead) -> Result<Self, StoreError> {
        let StoreRead { index, source, .. } = read;
        let failed = |error| StoreError::io("read", &source.paths.kept(), error);
        let kept = file::open_regular_file(&source.paths.kept()).map_err(failed)?;
        let meta = kept.metadata().map_err(failed)?;
        let before = read
            .before
            .as_ref()
            .filter(|before| is_kept(&before.keys().issues, &meta));
        let compared =
            match before.and_then(|old_index| KeptComparison::by_index(index, old_index, &kept)) {
                Some(compared) => compared,
                None => KeptComparison::by_reading(index, &kept).map_err(failed)?,
            };
        let key = source.read_key(ISSUES);
        let mut differ = Self {
            is_none: (compared.content, meta.len()) == (key.content, key.size),
            kept: compared.kept,
            found: LinesById::new(),
        };
        let rows = index.rows().iter().zip(compared.shared).zip(0..);
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;

    use proptest::prelude::*;

    use super::*;
    use crate::store::Store;
    use crate::store::view::source::OpenFiles;

    fn text(beads: &BTreeMap<u8, u8>, is_reversed: bool) -> String {
        let line =
            |(id, title): (&u8, &u8)| format!("{{\"id\":\"bd-{id}\",\"title\":\"{title}\"}}\n");
        let mut lines: Vec<String> = beads.iter().map(line).collect();
        if is_reversed {
            lines.reverse();
        }
        lines.concat()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn the_old_index_gives_the_same_difference_as_the_kept_file(
            kept in proptest::collection::btree_map(0..12_u8, 0..3_u8, 1..9),
            found in proptest::collection::btree_map(0..12_u8, 0..3_u8, 0..9),
            is_reversed: [bool; 2],
        ) {
            let folder = tempfile::tempdir().unwrap();
            let store = Store::create(&folder.path().join(".beads"), "bd").unwrap();
            let issues = store.paths.issues();
            fs::write(issues, text(&kept, is_reversed[0])).unwrap();
            store.snapshot().unwrap();
            let kept = File::open(issues).unwrap();
            fs::remove_file(issues).unwrap();
            // Two more lines, so that it cannot be taken for the other.
            let more = "{\"id\":\"bd-x\",\"title\":\"y\"}\n{broken\n";
            fs::write(issues, text(&found, is_reversed[1]) + more).unwrap();
            let read = OpenFiles::read(&store.paths).unwrap();
            let by_reading = KeptComparison::by_reading(&read.index, &kept).unwrap();
            let by_index = KeptComparison::by_index(&read.index, read.before.as_ref().unwrap(), &kept);
            let by_index = by_index.unwrap();
            prop_assert_eq!(by_index.kept, by_reading.kept);
            prop_assert_eq!(by_index.shared, by_reading.shared);
            prop_assert_eq!(by_index.content, by_reading.content);
        }
    }
}
