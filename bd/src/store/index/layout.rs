//! The layout of `index.bin`: a header, then sections of fixed-size records, all little-endian and
//! aligned to eight bytes.
//!
//! Every byte pattern is a valid record, so a damaged file can give wrong answers but no undefined
//! behaviour. Data read through the index is checked against the line that it refers to.

use crate::store::disk::identity::FileKey;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// The first bytes of the file. The last byte is the version of the layout.
pub(super) const MAGIC: [u8; 8] = *b"bdindex\x0d";

/// No row.
pub(crate) const NONE: u32 = u32::MAX;

/// A time that is not set.
pub(crate) const NEVER: i64 = i64::MIN;

/// The sections of the file, in order.
#[derive(Debug, Clone, Copy)]
pub(super) enum IndexSection {
    Rows,
    /// The status of each row, repeated here because the blocking rules read it for scattered rows.
    Statuses,
    /// The bytes of all ids, concatenated.
    Ids,
    /// The start of each row's id. Searching for an id touches only this section and the ids, which
    /// are small.
    IdStarts,
    Words,
    WordEnds,
    Labels,
    LabelStarts,
    Edges,
    /// The start of each row's edges.
    EdgeStarts,
    Incoming,
    IncomingStarts,
    Dangling,
    Notes,
    Open,
    Dotted,
    /// The rows with an edge that names a bead whose children are awaited.
    Spawning,
}

/// The number of sections.
pub(super) const PARTS: usize = 17;

/// The counts over all beads.
#[derive(Debug, Clone, Copy, Default, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct BeadCounts {
    /// The number of beads of each built-in status, by its code. The last entry is for all other
    /// words.
    pub by_status: [u64; 16],
    /// Open beads with an open `blocks` target.
    pub blocked: u64,
    /// Beads with status open and without an open `blocks` target.
    pub ready: u64,
    pub pinned: u64,
    /// Open epics with children that are all closed.
    pub epics_done: u64,
    /// The number of beads with a closing time. `lead_seconds` is the sum of their lead times.
    pub closed_count: u64,
    pub lead_seconds: f64,
}

impl BeadCounts {
    /// Removes the counts of some of the beads.
    pub fn subtract(&mut self, part: &Self) {
        for (count, less) in self.by_status.iter_mut().zip(part.by_status) {
            *count = count.saturating_sub(less);
        }
        for (count, less) in [
            (&mut self.blocked, part.blocked),
            (&mut self.ready, part.ready),
            (&mut self.pinned, part.pinned),
            (&mut self.epics_done, part.epics_done),
            (&mut self.closed_count, part.closed_count),
        ] {
            *count = count.saturating_sub(less);
        }
        self.lead_seconds -= part.lead_seconds;
    }
}

/// The start of the file.
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub(super) struct IndexHeader {
    pub magic: [u8; 8],
    /// The xxh3 hash of the rest of the header.
    pub checksum: u64,
    /// The xxh3 hash of everything after the header.
    pub body: u64,
    /// The boot of the machine in which the index was written, in two halves; 0 if the system does
    /// not identify it.
    pub boot: [u64; 2],
    pub issues: FileKey,
    pub wisps: FileKey,
    /// The time of the build, in nanoseconds since the epoch.
    pub built_at: i64,
    /// 1 if another program changed the issues since the previous index.
    pub outside: u64,
    pub counts: BeadCounts,
    /// The start and the length of each section.
    pub parts: [[u64; 2]; PARTS],
}

/// One bead.
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub(crate) struct IndexRow {
    /// The start of the bead's line in its file.
    pub offset: u64,
    pub hash: u64,
    /// Times in nanoseconds since the epoch, or [`NEVER`].
    pub created: i64,
    pub updated: i64,
    pub closed: i64,
    pub due: i64,
    pub deferred: i64,
    /// The length of the bead's line.
    pub length: u32,
    /// The number of a word; [`NONE`] without an assignee.
    pub assignee: u32,
    pub status: u8,
    pub kind: u8,
    pub priority: i8,
    pub file: u8,
    pub flags: u32,
}

/// The code of the file of durable beads.
pub(crate) const ISSUES: u8 = 0;
/// The code of the file of wisps.
pub(crate) const WISPS: u8 = 1;

/// Flags of a bead, one bit each.
pub(crate) mod flag {
    pub(crate) const PINNED: u32 = 1;
    pub(crate) const TEMPLATE: u32 = 1 << 1;
    pub(crate) const EPHEMERAL: u32 = 1 << 2;
    /// The bead is blocked, directly or through a parent.
    pub(crate) const BLOCKED: u32 = 1 << 3;
    /// The bead has a `blocks` edge to an open bead.
    pub(crate) const WAITS: u32 = 1 << 4;
    /// The bead has a `blocks` edge to another project.
    pub(crate) const EXTERNAL: u32 = 1 << 5;
    /// The close reason describes a failure.
    pub(crate) const FAILED: u32 = 1 << 6;
    /// The line has letters written as escapes, which a search of the bytes would miss.
    pub(crate) const ESCAPES: u32 = 1 << 7;
    /// The bead is deferred until some time.
    pub(crate) const DEFERRED: u32 = 1 << 8;
    /// The id has more hyphens than the one after the prefix.
    pub(crate) const HYPHENS: u32 = 1 << 9;
    /// The bead is internal, or a wisp.
    pub(crate) const INTERNAL: u32 = 1 << 10;
}

/// One edge, in the order of the record.
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub(crate) struct EdgeRow {
    /// The row of the target, or [`NONE`].
    pub target: u32,
    /// The word with the target's id, if the target has no row.
    pub word: u32,
    /// The word with the id of the bead whose children are awaited, if it is not the target.
    pub spawner: u32,
    pub kind: u8,
    /// 1 if one finished child is enough.
    pub any_child: u8,
    pub spare: u16,
}

/// An edge that points at a row, or at an id without a row.
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub(crate) struct IncomingEdge {
    pub holder: u32,
    pub edge: u32,
}

/// The facts by which lists and ready work select beads, for each open bead, in the usual order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub(crate) struct StoredListRow {
    pub created: i64,
    pub row: u32,
    pub flags: u32,
    pub status: u8,
    pub kind: u8,
    pub priority: i8,
    /// 1 if the bead has an assignee.
    pub assigned: u8,
    pub spare: u32,
}

/// Converts a length to its type in the index. The limit of 4 GiB of ids, words or edges is out of
/// reach: their lines would take hundreds of gigabytes.
pub(super) fn narrow_length(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(NONE - 1)
}

/// The lists that the index stores.
pub(super) struct IndexLists {
    pub open: Vec<StoredListRow>,
    pub dotted: Vec<u32>,
    pub spawning: Vec<u32>,
}
