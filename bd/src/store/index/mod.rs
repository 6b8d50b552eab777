//! The index: the place of each bead's line and the data for lists, so that no small command reads
//! the whole file.
//!
//! The index is derived and disposable. It is only replaced by rename, and rebuilt in any doubt.
//! The keys of the index identify the content of the files that it was built from.

mod assemble;
mod build;
mod content;
mod facts;
mod layout;
mod make;
mod note;
mod runs;
mod words;

use crate::store::disk::identity::FileKey;
use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

#[cfg(test)]
pub(super) use assemble::put_in_earlier_start;
pub(crate) use build::{IndexBuilder, LineLocation, count_row, open_row};
pub(super) use content::{ContentHash, content_hash, read_whole_lines};
pub(crate) use facts::{BeadFacts, EdgeFacts, build_row};
pub use layout::BeadCounts;
pub(crate) use layout::{
    EdgeRow, ISSUES, IncomingEdge, IndexRow, NEVER, NONE, StoredListRow, WISPS, flag,
};
pub(super) use make::{IndexLine, ParsedFile, make_index, merge_parsed_files, parse_file};

use kit::sys::file;
use layout::{IndexHeader, IndexSection, MAGIC, PARTS};
pub(crate) use note::NonBeadLine;
use runs::RowRuns;

/// Corrects the checksum of a changed index, for tests that damage one.
pub fn seal_index(bytes: &mut [u8]) {
    if let Some(header) = bytes.get_mut(..size_of::<IndexHeader>()) {
        let sum = xxhash_rust::xxh3::xxh3_64(header.get(16..).unwrap_or_default());
        header[8..16].copy_from_slice(&sum.to_le_bytes());
    }
}

/// The size up to which all rows may be mapped.
const FEW_ROWS: usize = 1 << 20;

/// The identity of the files that an index was built from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct IndexKeys {
    pub issues: FileKey,
    pub wisps: FileKey,
    /// The time of the build.
    pub built_at: i64,
    /// 1 if another program changed the issues since the previous index.
    pub outside: u64,
}

#[derive(Debug)]
enum IndexBytes {
    Mapped(memmap2::Mmap, File),
    /// Whole words, so that all records are aligned.
    Owned(Vec<u64>),
}

/// An index, mapped or in memory.
#[derive(Debug)]
pub(crate) struct Index {
    bytes: IndexBytes,
    parts: [Range<usize>; PARTS],
    header: IndexHeader,
}

impl Index {
    /// Maps an index file. Returns `None` if there is none, if it is not an index of this version,
    /// or if it was written in an earlier boot and its checksum does not match.
    #[expect(
        unsafe_code,
        reason = "mapping is sound while the file is only ever replaced by rename, as it is"
    )]
    pub(super) fn open(path: &Path) -> Option<Self> {
        let file = file::open_regular_file(path).ok()?;
        // SAFETY: the file is never changed in place, see above; every byte pattern is valid.
        let map = unsafe { memmap2::Mmap::map(&file) }.ok()?;
        let index = Self::from_bytes(IndexBytes::Mapped(map, file))?;
        (index.is_of_this_start() || index.is_whole()).then_some(index)
    }

    /// Returns true if the index was mapped from the file that is at `path` now.
    pub(super) fn is_at(&self, path: &Path) -> bool {
        match &self.bytes {
            IndexBytes::Mapped(_, own) => file::is_at(own, path),
            IndexBytes::Owned(_) => false,
        }
    }

    /// Creates an index in memory.
    pub(super) fn from_words(words: Vec<u64>) -> Option<Self> {
        Self::from_bytes(IndexBytes::Owned(words))
    }

    fn from_bytes(bytes: IndexBytes) -> Option<Self> {
        let all = bytes.all();
        let (header, _) = IndexHeader::read_from_prefix(all).ok()?;
        let sum = xxhash_rust::xxh3::xxh3_64(header.as_bytes().get(16..)?);
        if header.magic != MAGIC || header.checksum != sum {
            return None;
        }
        let mut parts: [Range<usize>; PARTS] = Default::default();
        for (part, [start, length]) in parts.iter_mut().zip(header.parts) {
            let start = usize::try_from(start).ok()?;
            let end = start.checked_add(usize::try_from(length).ok()?)?;
            if end > all.len() || !start.is_multiple_of(8) {
                return None;
            }
            *part = start..end;
        }
        Some(Self {
            bytes,
            parts,
            header,
        })
    }

    pub(super) fn keys(&self) -> IndexKeys {
        let header = &self.header;
        IndexKeys {
            issues: header.issues,
            wisps: header.wisps,
            built_at: header.built_at,
            outside: header.outside,
        }
    }

    /// The bytes as they are written to the file.
    pub(super) fn bytes(&self) -> &[u8] {
        self.bytes.all()
    }

    pub(super) fn counts(&self) -> &BeadCounts {
        &self.header.counts
    }

    fn part<T: FromBytes + Immutable + KnownLayout>(&self, part: IndexSection) -> &[T] {
        let bytes = &self.bytes.all()[self.parts[part as usize].clone()];
        let whole = bytes.len() - bytes.len() % size_of::<T>();
        <[T]>::ref_from_bytes(&bytes[..whole]).unwrap_or(&[])
    }

    /// Returns a section whose items belong to rows, with the section of the rows' starts.
    fn runs<T: FromBytes + Immutable + KnownLayout>(
        &self,
        items: IndexSection,
        starts: IndexSection,
    ) -> RowRuns<'_, T> {
        RowRuns {
            items: self.part(items),
            starts: self.part(starts),
        }
    }

    /// The ids of all rows, for callers that visit many.
    pub(super) fn ids(&self) -> RowRuns<'_, u8> {
        self.runs(IndexSection::Ids, IndexSection::IdStarts)
    }

    fn all_labels(&self) -> RowRuns<'_, u32> {
        self.runs(IndexSection::Labels, IndexSection::LabelStarts)
    }

    fn all_edges(&self) -> RowRuns<'_, EdgeRow> {
        self.runs(IndexSection::Edges, IndexSection::EdgeStarts)
    }

    /// The number of beads.
    pub(crate) fn len(&self) -> u32 {
        u32::try_from(self.rows().len()).unwrap_or(NONE - 1)
    }

    /// All rows, sorted by id.
    pub(super) fn rows(&self) -> &[IndexRow] {
        self.part(IndexSection::Rows)
    }

    pub(crate) fn row(&self, at: u32) -> Option<&IndexRow> {
        self.rows().get(at as usize)
    }

    /// The code of a row's status.
    pub(crate) fn status_of(&self, at: u32) -> Option<u8> {
        self.part::<u8>(IndexSection::Statuses)
            .get(at as usize)
            .copied()
    }

    /// Reads one row with its own read call. Through the map the system would load sixteen pages
    /// for it, so a caller that reads scattered rows of a large index would soon hold all of it in
    /// memory and wait longer.
    pub(crate) fn row_alone(&self, at: u32) -> Option<IndexRow> {
        let rows = &self.parts[IndexSection::Rows as usize];
        let IndexBytes::Mapped(_, file) = &self.bytes else {
            return self.row(at).copied();
        };
        if rows.len() <= FEW_ROWS || at >= self.len() {
            return self.row(at).copied();
        }
        let mut bytes = [0; size_of::<IndexRow>()];
        let place = rows.start + at as usize * bytes.len();
        match file.read_exact_at(&mut bytes, place as u64) {
            Ok(()) => IndexRow::read_from_bytes(&bytes).ok(),
            Err(_) => self.row(at).copied(),
        }
    }

    pub(crate) fn id(&self, at: u32) -> &str {
        std::str::from_utf8(self.id_bytes(at)).unwrap_or("")
    }

    /// The bytes of a row's id, which sort like the ids.
    pub(crate) fn id_bytes(&self, at: u32) -> &[u8] {
        self.ids().of_row(at)
    }

    /// Returns the row of an id.
    pub(crate) fn find(&self, id: &str) -> Option<u32> {
        let at = self.first_from(id);
        (at < self.len() && self.id_bytes(at) == id.as_bytes()).then_some(at)
    }

    /// Returns the first row whose id is not less than this one.
    pub(crate) fn first_from(&self, id: &str) -> u32 {
        self.ids().first_from(id.as_bytes(), self.len())
    }

    /// Returns a word by its number.
    pub(crate) fn word(&self, number: u32) -> &str {
        let (bytes, ends) = self.word_parts();
        std::str::from_utf8(words::word_at(bytes, ends, number)).unwrap_or("")
    }

    /// The bytes of all words, and the end of each.
    pub(super) fn word_parts(&self) -> (&[u8], &[u32]) {
        (
            self.part(IndexSection::Words),
            self.part(IndexSection::WordEnds),
        )
    }

    /// The assignee; empty if there is none.
    pub(crate) fn assignee(&self, at: u32) -> &str {
        match self.row(at) {
            Some(row) if row.assignee != NONE => self.word(row.assignee),
            _ => "",
        }
    }

    /// The word numbers of a row's labels.
    pub(super) fn label_numbers(&self, at: u32) -> &[u32] {
        self.all_labels().of_row(at)
    }

    pub(crate) fn labels(&self, at: u32) -> impl Iterator<Item = &str> {
        self.label_numbers(at).iter().map(|word| self.word(*word))
    }

    pub(crate) fn edges(&self, at: u32) -> &[EdgeRow] {
        self.all_edges().of_row(at)
    }

    pub(super) fn edge(&self, number: u32) -> Option<&EdgeRow> {
        self.part::<EdgeRow>(IndexSection::Edges)
            .get(number as usize)
    }

    /// The id of an edge's target.
    pub(crate) fn target(&self, edge: &EdgeRow) -> &str {
        if edge.target == NONE {
            self.word(edge.word)
        } else {
            self.id(edge.target)
        }
    }

    /// The edges that point at a row.
    pub(crate) fn incoming(&self, at: u32) -> &[IncomingEdge] {
        self.runs(IndexSection::Incoming, IndexSection::IncomingStarts)
            .of_row(at)
    }

    /// The edges that point at ids without a row.
    pub(crate) fn dangling(&self) -> &[IncomingEdge] {
        self.part(IndexSection::Dangling)
    }

    /// The rows with an edge that names a bead whose children are awaited.
    pub(crate) fn spawner_holders(&self) -> &[u32] {
        self.part(IndexSection::Spawning)
    }

    /// The open beads, most urgent first, then newest.
    pub(crate) fn open_rows(&self) -> &[StoredListRow] {
        self.part(IndexSection::Open)
    }

    /// Returns the number of rows in a range whose id has a dot.
    pub(super) fn count_dotted(&self, rows: Range<u32>) -> usize {
        let dotted: &[u32] = self.part(IndexSection::Dotted);
        let before = |row: u32| dotted.partition_point(|at| *at < row);
        before(rows.end).saturating_sub(before(rows.start))
    }

    /// The lines that are not beads.
    pub(super) fn notes(&self) -> Vec<NonBeadLine> {
        serde_json::from_slice(self.part(IndexSection::Notes)).unwrap_or_else(|_| Vec::new())
    }
}

impl IndexBytes {
    fn all(&self) -> &[u8] {
        match self {
            Self::Mapped(map, _) => map,
            Self::Owned(words) => words.as_bytes(),
        }
    }
}
