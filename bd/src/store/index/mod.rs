//! The index: for each bead where its line is and what lists are made from, so that no small command reads
//! the whole file.
//!
//! Derived and disposable: it is only replaced by rename, and on any doubt made anew. Its keys say which
//! content of the files it was made from, and how much of the journal is in it.

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
pub(crate) use build::{IndexBuilder, LinePlace, count_row, open_row};
pub(super) use content::{ContentHash, content_hash, read_whole_lines};
pub(crate) use facts::{BeadFacts, EdgeFacts, build_row};
pub use layout::BeadCounts;
pub(crate) use layout::{
    EdgeRow, ISSUES, IncomingEdge, IndexRow, NEVER, NONE, StoredListRow, WISPS, flag,
};
pub(super) use make::{IndexLine, ParsedFile, make_index, merge_parsed_files, parse_file};

use crate::bead::id;
use kit::sys::file;
use layout::{IndexHeader, IndexSection, MAGIC, PARTS};
pub(crate) use note::NonBeadLine;
use runs::RowRuns;

/// Puts the checksum of a changed index right. For tests that damage one.
pub fn seal_index(bytes: &mut [u8]) {
    if let Some(header) = bytes.get_mut(..size_of::<IndexHeader>()) {
        let sum = xxhash_rust::xxh3::xxh3_64(header.get(16..).unwrap_or_default());
        header[8..16].copy_from_slice(&sum.to_le_bytes());
    }
}

/// Rows of so many bytes may all be mapped.
const FEW_ROWS: usize = 1 << 20;

/// What an index was made from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct IndexKeys {
    pub issues: FileKey,
    pub wisps: FileKey,
    /// When the index was made.
    pub built_at: i64,
    /// 1 where the issues were changed by someone else since the index before.
    pub outside: u64,
}

/// The bytes of an index.
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
    /// Maps an index file; `None` where there is none, it is no index of this version, or was written in an
    /// earlier start of the machine and is not whole.
    #[expect(
        unsafe_code,
        reason = "mapping is sound while the file is only ever replaced by rename, as it is"
    )]
    pub(super) fn open(path: &Path) -> Option<Self> {
        let file = File::open(path).ok()?;
        // SAFETY: nobody changes the file in place, see above; every byte pattern is valid.
        let map = unsafe { memmap2::Mmap::map(&file) }.ok()?;
        let index = Self::from_bytes(IndexBytes::Mapped(map, file))?;
        (index.is_of_this_start() || index.is_whole()).then_some(index)
    }

    /// Whether it was mapped from the file that is there.
    pub(super) fn is_at(&self, path: &Path) -> bool {
        match &self.bytes {
            IndexBytes::Mapped(_, own) => file::is_at(own, path),
            IndexBytes::Owned(_) => false,
        }
    }

    /// An index in memory.
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

    /// The issue prefix that all beads share which were not deleted.
    pub(super) fn shared_prefix(&self) -> Option<&str> {
        let row = self.header.prefix_of;
        (row < self.len()).then(|| id::prefix_of(self.id(row)))?
    }

    fn part<T: FromBytes + Immutable + KnownLayout>(&self, part: IndexSection) -> &[T] {
        let bytes = &self.bytes.all()[self.parts[part as usize].clone()];
        let whole = bytes.len() - bytes.len() % size_of::<T>();
        <[T]>::ref_from_bytes(&bytes[..whole]).unwrap_or_default()
    }

    /// A section whose items belong to the rows, by where those of each row start.
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

    /// The ids of all rows, their labels and their edges: for those who go over many.
    pub(super) fn ids(&self) -> RowRuns<'_, u8> {
        self.runs(IndexSection::Ids, IndexSection::IdStarts)
    }

    fn all_labels(&self) -> RowRuns<'_, u32> {
        self.runs(IndexSection::Labels, IndexSection::LabelStarts)
    }

    fn all_edges(&self) -> RowRuns<'_, EdgeRow> {
        self.runs(IndexSection::Edges, IndexSection::EdgeStarts)
    }

    /// How many beads there are.
    pub(crate) fn len(&self) -> u32 {
        u32::try_from(self.rows().len()).unwrap_or(NONE - 1)
    }

    /// All rows by id.
    pub(super) fn rows(&self) -> &[IndexRow] {
        self.part(IndexSection::Rows)
    }

    /// One row.
    pub(crate) fn row(&self, at: u32) -> Option<&IndexRow> {
        self.rows().get(at as usize)
    }

    /// The status of a row, by its code.
    pub(crate) fn status_of(&self, at: u32) -> Option<u8> {
        self.part::<u8>(IndexSection::Statuses)
            .get(at as usize)
            .copied()
    }

    /// One row on its own. Through the map the system would bring sixteen pages for it: who reads rows here and
    /// there all over a large index would soon hold all of it, and wait longer.
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

    /// The id of a row.
    pub(crate) fn id(&self, at: u32) -> &str {
        std::str::from_utf8(self.id_bytes(at)).unwrap_or_default()
    }

    /// The bytes of the id of a row, which sort as the ids do.
    pub(crate) fn id_bytes(&self, at: u32) -> &[u8] {
        self.ids().of_row(at)
    }

    /// The row of an id.
    pub(crate) fn find(&self, id: &str) -> Option<u32> {
        let at = self.first_from(id);
        (at < self.len() && self.id_bytes(at) == id.as_bytes()).then_some(at)
    }

    /// The first row whose id is not before this one.
    pub(crate) fn first_from(&self, id: &str) -> u32 {
        self.ids().first_from(id.as_bytes(), self.len())
    }

    /// A word by its number.
    pub(crate) fn word(&self, number: u32) -> &str {
        let (bytes, ends) = self.word_parts();
        std::str::from_utf8(words::word_at(bytes, ends, number)).unwrap_or_default()
    }

    /// The bytes of all words, and where each ends.
    pub(super) fn word_parts(&self) -> (&[u8], &[u32]) {
        (
            self.part(IndexSection::Words),
            self.part(IndexSection::WordEnds),
        )
    }

    /// Who has it; empty for no one.
    pub(crate) fn assignee(&self, at: u32) -> &str {
        match self.row(at) {
            Some(row) if row.assignee != NONE => self.word(row.assignee),
            _ => "",
        }
    }

    /// The numbers of a row's labels.
    pub(super) fn label_numbers(&self, at: u32) -> &[u32] {
        self.all_labels().of_row(at)
    }

    /// A row's labels.
    pub(crate) fn labels(&self, at: u32) -> impl Iterator<Item = &str> {
        self.label_numbers(at).iter().map(|word| self.word(*word))
    }

    /// A row's edges.
    pub(crate) fn edges(&self, at: u32) -> &[EdgeRow] {
        self.all_edges().of_row(at)
    }

    pub(super) fn edge(&self, number: u32) -> Option<&EdgeRow> {
        self.part::<EdgeRow>(IndexSection::Edges)
            .get(number as usize)
    }

    /// The id that an edge points at.
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

    /// The rows with an edge that names a bead whose children it waits for.
    pub(crate) fn spawner_holders(&self) -> &[u32] {
        self.part(IndexSection::Spawning)
    }

    /// The beads that are not over, most urgent first, then the newest.
    pub(crate) fn open_rows(&self) -> &[StoredListRow] {
        self.part(IndexSection::Open)
    }

    /// How many of some rows have a dot in their id.
    pub(super) fn count_dotted(&self, rows: Range<u32>) -> usize {
        let dotted: &[u32] = self.part(IndexSection::Dotted);
        let before = |row: u32| dotted.partition_point(|at| *at < row);
        before(rows.end).saturating_sub(before(rows.start))
    }

    /// Lines that are no beads.
    pub(super) fn notes(&self) -> Vec<NonBeadLine> {
        serde_json::from_slice(self.part(IndexSection::Notes)).unwrap_or_default()
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
