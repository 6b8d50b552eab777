//! A reference to a bead in a snapshot, with the values that the index has.

use std::cmp::Reverse;

use jiff::Timestamp;

use crate::bead::blocked::{BlockingEdge, BlockingGraph, is_open};
use crate::bead::{Bead, DepKind, Kind, Status, record};
use crate::store::Snapshot;
use crate::store::index::{Index, IndexRow, NEVER, StoredListRow, WISPS, build_row, flag};
use crate::store::view::overlay::PendingBead;

/// The position of a bead: in the index, or among the pending ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BeadNode {
    /// A row of the index.
    Row(u32),
    /// A bead with a pending change, or one that the snapshot parsed itself.
    Pending(u32),
}

/// A reference to a bead that can be selected without being read.
#[derive(Debug, Clone, Copy)]
pub struct BeadRef<'a> {
    pub(in crate::store) snapshot: &'a Snapshot,
    pub(in crate::store) node: BeadNode,
}

impl<'a> BeadRef<'a> {
    /// Returns the value from the index or from the pending bead; `None` if a damaged index has no
    /// such row.
    fn index_or_pending<T>(
        &self,
        indexed: impl FnOnce(&'a Index, u32) -> Option<T>,
        pending: impl FnOnce(&'a PendingBead) -> T,
    ) -> Option<T> {
        match self.node {
            BeadNode::Row(at) => indexed(&self.snapshot.index, at),
            BeadNode::Pending(at) => self.snapshot.slots.get(at as usize).map(pending),
        }
    }

    /// Returns the row of the index, or the row that a pending bead would have.
    pub(in crate::store) fn row(&self) -> Option<IndexRow> {
        self.index_or_pending(
            |index, at| index.row(at).copied(),
            |pending| build_row(pending.bead()),
        )
    }

    pub fn node(&self) -> BeadNode {
        self.node
    }

    pub fn id(&self) -> &'a str {
        let id = self.index_or_pending(
            |index, at| Some(index.id(at)),
            |pending| pending.id.as_str(),
        );
        id.unwrap_or_default()
    }

    /// Returns the whole bead. Reads its line on first use.
    pub fn bead(&self) -> Option<&'a Bead> {
        match self.node {
            BeadNode::Row(at) => self.snapshot.load(at),
            BeadNode::Pending(_) => self.index_or_pending(|_, _| None, PendingBead::bead),
        }
    }

    /// Parses some fields from the bead's line. Returns `None` if that is impossible, and the
    /// caller must use [`Self::bead`].
    pub fn parse_part<T: serde::de::DeserializeOwned>(&self) -> Option<T> {
        self.index_or_pending(
            |index, at| Some(serde_json::from_slice(&self.indexed_line(index, at)?).ok()),
            |pending| serde_json::from_slice(&pending.raw).ok(),
        )?
    }

    /// Returns false only if the bead's line has no such key, in the user-defined JSON or
    /// elsewhere. Parses nothing.
    pub fn may_have_key(&self, key: &str) -> bool {
        // A line that cannot be read is reported when the bead is read.
        self.index_or_pending(
            |index, at| Some(record::may_have_key(&self.indexed_line(index, at)?, key)),
            |pending| record::may_have_key(&pending.raw, key),
        )
        .unwrap_or(true)
    }

    /// Reads the line of a row; `None` if it does not match the index.
    fn indexed_line(&self, index: &Index, at: u32) -> Option<Vec<u8>> {
        let row = index.row_alone(at)?;
        let line = self.snapshot.source.line(&row).ok()?;
        (xxhash_rust::xxh3::xxh3_64(&line) == row.hash).then_some(line)
    }

    /// Returns the hash of the bead's line, without reading the line. `None` if a damaged index has
    /// no such row.
    pub fn line_hash(&self) -> Option<u64> {
        self.index_or_pending(
            |index, at| index.row_alone(at).map(|row| row.hash),
            |pending| xxhash_rust::xxh3::xxh3_64(&pending.raw),
        )
    }

    /// The code of the status.
    pub(crate) fn status_code(&self) -> u8 {
        let status =
            self.index_or_pending(Index::status_of, |pending| pending.bead().status.code());
        status.unwrap_or(u8::MAX)
    }

    pub fn status(&self) -> Status {
        Status::from_code(self.status_code())
            .or_else(|| Some(self.bead()?.status.clone()))
            .unwrap_or_default()
    }

    /// The code of the kind.
    pub(in crate::store) fn kind_code(&self) -> u8 {
        let code = self.index_or_pending(
            |index, at| index.row(at).map(|row| row.kind),
            |pending| pending.bead().issue_type.code(),
        );
        code.unwrap_or(u8::MAX)
    }

    pub fn kind(&self) -> Kind {
        Kind::from_code(self.kind_code())
            .or_else(|| Some(self.bead()?.issue_type.clone()))
            .unwrap_or_default()
    }

    /// The priority, clamped to the range of the index.
    pub fn priority(&self) -> i8 {
        self.row().map(|row| row.priority).unwrap_or_default()
    }

    /// The assignee; empty if there is none.
    pub fn assignee(&self) -> &'a str {
        self.index_or_pending(
            |index, at| Some(index.assignee(at)),
            |pending| pending.bead().assignee.as_str(),
        )
        .unwrap_or("")
    }

    /// Returns true if the bead is of this kind, or has the label that older clients use for it.
    pub fn has_kind_or_label(&self, kind: &Kind, label: &str) -> bool {
        self.kind() == *kind || self.has_label(label)
    }

    pub fn has_label(&self, label: &str) -> bool {
        let has_it = self.index_or_pending(
            |index, at| Some(index.labels(at).any(|existing| existing == label)),
            |pending| pending.bead().has_label(label),
        );
        has_it.unwrap_or_default()
    }

    pub fn labels(&self) -> Vec<&'a str> {
        self.index_or_pending(
            |index, at| Some(index.labels(at).collect()),
            |pending_bead| {
                pending_bead
                    .bead()
                    .labels
                    .iter()
                    .map(String::as_str)
                    .collect()
            },
        )
        .unwrap_or_default()
    }

    /// Returns true if the bead is neither closed nor deleted.
    pub fn is_open(&self) -> bool {
        is_open(self.status_code())
    }

    /// Returns true if the bead was deleted.
    pub fn is_tombstone(&self) -> bool {
        self.status_code() == Status::Tombstone.code()
    }

    pub(in crate::store) fn flags(&self) -> u32 {
        self.row().map(|row| row.flags).unwrap_or_default()
    }

    pub fn is_ephemeral(&self) -> bool {
        self.row()
            .is_some_and(|row| row.flags & flag::EPHEMERAL != 0 || row.file == WISPS)
    }

    /// Returns true for internal beads and wisps.
    pub fn is_internal(&self) -> bool {
        self.is_ephemeral() || self.flags() & flag::INTERNAL != 0
    }

    /// Returns true if the bead is context rather than work.
    pub fn is_pinned(&self) -> bool {
        self.flags() & flag::PINNED != 0
    }

    pub fn is_template(&self) -> bool {
        self.flags() & flag::TEMPLATE != 0
    }

    pub fn time(&self, which: TimeField) -> Option<Timestamp> {
        let row = self.row()?;
        let at = match which {
            TimeField::Created => row.created,
            TimeField::Updated => row.updated,
            TimeField::Closed => row.closed,
            TimeField::Due => row.due,
            TimeField::Deferred => row.deferred,
        };
        let is_set = at != NEVER;
        is_set.then(|| Timestamp::from_nanosecond(i128::from(at)).ok())?
    }

    /// The rank in the usual order, without the id.
    pub(crate) fn rank(&self) -> UsualRank {
        let row = self.row();
        UsualRank {
            priority: row.map(|row| row.priority).unwrap_or_default(),
            created: Reverse(row.map_or(NEVER, |row| row.created)),
        }
    }

    /// Returns the children by parent-child edges.
    pub fn children(&self) -> Vec<BeadRef<'a>> {
        let row = match self.node {
            BeadNode::Row(at) => Some(at),
            BeadNode::Pending(_) => self.snapshot.index.find(self.id()),
        };
        self.snapshot
            .holder_refs_at(row, self.id(), &DepKind::ParentChild)
    }

    /// Returns true if [`Self::parent`] is the bead at this node, without comparing ids.
    pub(crate) fn has_parent_at(&self, parent: BeadNode) -> bool {
        let (BeadNode::Row(at), BeadNode::Row(parent)) = (self.node, parent) else {
            return false;
        };
        let edge = self
            .snapshot
            .index
            .edges(at)
            .iter()
            .find(|edge| edge.kind == DepKind::ParentChild.code());
        edge.is_some_and(|edge| edge.target == parent)
    }

    /// The target of the first parent-child edge.
    pub fn parent(&self) -> Option<&'a str> {
        let code = DepKind::ParentChild.code();
        self.index_or_pending(
            |index, at| {
                let edge = index.edges(at).iter().find(|edge| edge.kind == code);
                Some(edge.map(|edge| index.target(edge)))
            },
            |pending_bead| {
                let edge = pending_bead
                    .dependencies()
                    .iter()
                    .find(|edge| edge.kind == DepKind::ParentChild);
                edge.map(|edge| edge.depends_on_id.as_str())
            },
        )
        .flatten()
    }

    /// Returns true if the bead is blocked, directly or through a parent.
    pub fn is_blocked(&self) -> bool {
        self.snapshot.is_blocked(self.node)
    }

    /// The edges in the form that the blocking rules use.
    pub fn blocking_edges(&self) -> Vec<BlockingEdge<BeadNode>> {
        self.snapshot.blocking_edges(self.node)
    }

    /// The edges: the code of the kind, and the id of the target.
    pub fn edges(&self) -> Vec<(u8, &'a str)> {
        self.snapshot.raw_edges(self.node)
    }

    /// Returns true if the bead has a `blocks` edge to another project.
    pub fn has_external_edge(&self) -> bool {
        self.flags() & flag::EXTERNAL != 0
    }

    /// Returns true if the bead is an open epic with children that are all closed.
    pub fn is_done_epic(&self) -> bool {
        if !self.is_open() || self.kind() != Kind::Epic {
            return false;
        }
        let children = self.children();
        !children.is_empty() && !children.iter().any(BeadRef::is_open)
    }

    /// Returns true if the bead has a parent-child edge to this bead.
    pub fn is_child_of(&self, parent: &str) -> bool {
        self.has_edge(&DepKind::ParentChild, parent)
    }

    /// Returns true if the bead has an edge of this kind to this bead.
    pub(in crate::store) fn has_edge(&self, kind: &DepKind, to: &str) -> bool {
        let code = kind.code();
        self.index_or_pending(
            |index, at| {
                Some(
                    index
                        .edges(at)
                        .iter()
                        .any(|edge| edge.kind == code && index.target(edge) == to),
                )
            },
            |pending_bead| {
                pending_bead
                    .dependencies()
                    .iter()
                    .any(|edge| edge.kind.code() == code && edge.depends_on_id == to)
            },
        )
        .unwrap_or_default()
    }
}

/// The usual order: most urgent first, then newest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct UsualRank {
    priority: i8,
    created: Reverse<i64>,
}

impl UsualRank {
    /// Returns true if the index may have clamped one of the values.
    pub(crate) fn is_clamped(&self) -> bool {
        [i8::MIN, i8::MAX].contains(&self.priority)
            || [NEVER, NEVER + 1, i64::MAX].contains(&self.created.0)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum TimeField {
    Created,
    Updated,
    Closed,
    Due,
    Deferred,
}

/// The values by which lists and ready work select beads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListRow {
    pub node: BeadNode,
    /// The creation time, in nanoseconds since the epoch.
    pub created: i64,
    /// 0 (most urgent) to 4.
    pub priority: i8,
    /// The code of the status; 255 for a custom word.
    pub status: u8,
    /// The code of the kind; 255 for a custom word.
    pub kind: u8,
    pub assigned: bool,
    pub(in crate::store) flags: u32,
}

/// The values of a row that equal those of its bead.
pub(crate) struct ExactValues {
    pub status: Status,
    pub kind: Kind,
    pub priority: i64,
}

impl ListRow {
    pub(in crate::store) fn of_row(open: &StoredListRow) -> Self {
        Self {
            node: BeadNode::Row(open.row),
            created: open.created,
            priority: open.priority,
            status: open.status,
            kind: open.kind,
            assigned: open.assigned != 0,
            flags: open.flags,
        }
    }

    /// The status, kind and priority; `None` if only the bead has them, as for custom words and
    /// priorities out of range.
    pub(crate) fn exact_values(&self) -> Option<ExactValues> {
        let in_range = (0..64).contains(&self.priority);
        let priority = in_range.then(|| i64::from(self.priority))?;
        Some(ExactValues {
            status: Status::from_code(self.status)?,
            kind: Kind::from_code(self.kind)?,
            priority,
        })
    }

    /// Returns true if `bd blocked` may show the bead.
    pub(crate) fn can_be_blocked(&self) -> bool {
        !self.is_pinned()
            && (self.is_blocked()
                || self.has_external_edge()
                || self.status == Status::Blocked.code())
    }

    /// Returns true if the bead has a `blocks` edge to an open bead.
    pub fn has_open_blocker(&self) -> bool {
        self.flags & flag::WAITS != 0
    }

    /// Returns true if the bead is blocked, directly or through a parent.
    pub fn is_blocked(&self) -> bool {
        self.flags & flag::BLOCKED != 0
    }

    /// Returns true if the bead has a `blocks` edge to another project.
    pub fn has_external_edge(&self) -> bool {
        self.flags & flag::EXTERNAL != 0
    }

    /// Returns true if the bead is context rather than work.
    pub fn is_pinned(&self) -> bool {
        self.flags & flag::PINNED != 0
    }

    pub fn is_ephemeral(&self) -> bool {
        self.flags & flag::EPHEMERAL != 0
    }

    /// Returns true for internal beads and wisps.
    pub fn is_internal(&self) -> bool {
        self.flags & (flag::INTERNAL | flag::EPHEMERAL) != 0
    }

    pub fn is_template(&self) -> bool {
        self.flags & flag::TEMPLATE != 0
    }

    /// Returns true if the id has more than one hyphen.
    pub fn has_hyphens(&self) -> bool {
        self.flags & flag::HYPHENS != 0
    }

    /// Returns true if the bead is deferred until some time, even a past one.
    pub fn has_deferral(&self) -> bool {
        self.flags & flag::DEFERRED != 0
    }
}
