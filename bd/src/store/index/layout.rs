//! How `index.bin` is laid out: a header, then sections of fixed-size records, all little-endian and aligned to
//! eight bytes.
//!
//! What must always hold: every byte pattern is a valid record, so a damaged file can give wrong answers but
//! no undefined ones; what is read by it is checked against the line it leads to.

use crate::store::disk::identity::FileKey;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// The first bytes of the file; the last one counts versions of the layout.
pub(super) const MAGIC: [u8; 8] = *b"bdindex\x09";

/// No row.
pub(crate) const NONE: u32 = u32::MAX;

/// A time that is not set.
pub(crate) const NEVER: i64 = i64::MIN;

/// The sections of the file, in their order.
#[derive(Debug, Clone, Copy)]
pub(super) enum IndexSection {
    Rows,
    /// The status of each row once more: what waits for what is told by it, here and there all over the rows.
    Statuses,
    /// The bytes of all ids, one behind the other.
    Ids,
    /// Where each row's id starts. Looking for an id touches these two alone, which are small.
    IdStarts,
    Words,
    WordEnds,
    Labels,
    LabelStarts,
    Edges,
    /// Where each row's edges start.
    EdgeStarts,
    Incoming,
    IncomingStarts,
    Dangling,
    Notes,
    Open,
    Dotted,
    /// Rows with an edge that names a bead whose children it waits for.
    Spawning,
}

/// How many sections there are.
pub(super) const PARTS: usize = 17;

/// Counts over all beads.
#[derive(Debug, Clone, Copy, Default, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct BeadCounts {
    /// Beads of each built-in status, by its code; the last is for all other words.
    pub by_status: [u64; 16],
    /// Open ones with an open `blocks` target.
    pub blocked: u64,
    /// Status open without an open `blocks` target.
    pub ready: u64,
    pub pinned: u64,
    /// Open epics that have children, none of them open.
    pub epics_done: u64,
    /// Beads with a time of closing, and the sum of their lead times in seconds.
    pub closed_count: u64,
    pub lead_seconds: f64,
}

/// The start of the file.
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub(super) struct IndexHeader {
    pub magic: [u8; 8],
    /// xxh3 of the rest of the header.
    pub checksum: u64,
    /// xxh3 of all that is behind the header.
    pub body: u64,
    /// In which start of the machine it was written, in two halves; 0 where the system does not say.
    pub boot: [u64; 2],
    pub issues: FileKey,
    pub wisps: FileKey,
    /// When it was made, nanoseconds since the epoch.
    pub built_at: i64,
    /// 1 where the issues were changed by someone else since the index before.
    pub outside: u64,
    pub counts: BeadCounts,
    /// Which row has the issue prefix that all beads share; [`NONE`] where they do not.
    pub prefix_of: u32,
    pub spare: u32,
    /// Where each section starts, and how long it is.
    pub parts: [[u64; 2]; PARTS],
}

/// One bead.
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub(crate) struct IndexRow {
    /// Where its line starts in its file.
    pub offset: u64,
    /// The hash of the line.
    pub hash: u64,
    /// Times in nanoseconds since the epoch, or [`NEVER`].
    pub created: i64,
    pub updated: i64,
    pub closed: i64,
    pub due: i64,
    pub deferred: i64,
    /// The length of its line.
    pub length: u32,
    /// The number of a word; [`NONE`] where there is no assignee.
    pub assignee: u32,
    pub status: u8,
    pub kind: u8,
    pub priority: i8,
    /// [`ISSUES`] or [`WISPS`].
    pub file: u8,
    pub flags: u32,
}

/// The bead lives in the file of durable beads.
pub(crate) const ISSUES: u8 = 0;
/// It is a wisp.
pub(crate) const WISPS: u8 = 1;

/// Facts about a bead, one bit each.
pub(crate) mod flag {
    pub(crate) const PINNED: u32 = 1;
    pub(crate) const TEMPLATE: u32 = 1 << 1;
    pub(crate) const EPHEMERAL: u32 = 1 << 2;
    /// It waits for something, itself or through a parent.
    pub(crate) const BLOCKED: u32 = 1 << 3;
    /// It has a `blocks` edge to a bead that is not over.
    pub(crate) const WAITS: u32 = 1 << 4;
    /// It has a `blocks` edge to another project.
    pub(crate) const EXTERNAL: u32 = 1 << 5;
    /// Its close reason tells of a failure.
    pub(crate) const FAILED: u32 = 1 << 6;
    /// Its line has letters written as escapes, which a search of the bytes does not see.
    pub(crate) const ESCAPES: u32 = 1 << 7;
    /// It is put off until some instant.
    pub(crate) const DEFERRED: u32 = 1 << 8;
    /// Its id has more than the one hyphen behind the prefix.
    pub(crate) const HYPHENS: u32 = 1 << 9;
}

/// One edge, in the order of the record.
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub(crate) struct EdgeRow {
    /// The row of the target, or [`NONE`].
    pub target: u32,
    /// Where the target has no row: the word that is its id.
    pub word: u32,
    /// The word that is the id of the bead whose children are waited for, where it is not the target.
    pub spawner: u32,
    /// The kind's code.
    pub kind: u8,
    /// 1 where one finished child is enough.
    pub any_child: u8,
    pub spare: u16,
}

/// Who points at a row, or at an id that has none.
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub(crate) struct IncomingEdge {
    pub holder: u32,
    pub edge: u32,
}

/// What lists and ready work are chosen by, for each bead that is not over, in the usual order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub(crate) struct StoredListRow {
    pub created: i64,
    pub row: u32,
    pub flags: u32,
    pub status: u8,
    pub kind: u8,
    pub priority: i8,
    /// 1 where someone has it.
    pub assigned: u8,
    pub spare: u32,
}

/// A length as the index has it. Four thousand million bytes of ids, words or edges are not reached: the
/// lines that they come from would be hundreds of gigabytes.
pub(super) fn narrow_length(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(NONE - 1)
}

/// The lists that the index keeps ready.
pub(super) struct IndexLists {
    pub open: Vec<StoredListRow>,
    pub dotted: Vec<u32>,
    pub spawning: Vec<u32>,
}
