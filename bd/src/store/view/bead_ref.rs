//! One bead as a list sees it: what the index knows, without its texts.

use std::cmp::Reverse;

use jiff::Timestamp;

use crate::bead::blocked::{BlockingEdge, BlockingGraph, is_open};
use crate::bead::{Bead, DepKind, Kind, Status};
use crate::store::Snapshot;
use crate::store::index::{Index, IndexRow, NEVER, StoredListRow, WISPS, build_row, flag};
use crate::store::view::overlay::PendingBead;

/// Where a bead is: in the index, or beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BeadNode {
    /// A row of the index.
    Row(u32),
    /// A bead with a pending change, or one that the snapshot read itself.
    Pending(u32),
}

/// A bead that need not be read to be chosen.
#[derive(Debug, Clone, Copy)]
pub struct BeadRef<'a> {
    pub(in crate::store) snapshot: &'a Snapshot,
    pub(in crate::store) node: BeadNode,
}

impl<'a> BeadRef<'a> {
    /// What the index or a changed bead says; `None` where a damaged index has no such row.
    fn from_index_or_pending<T>(
        &self,
        indexed: impl FnOnce(&'a Index, u32) -> Option<T>,
        pending: impl FnOnce(&'a PendingBead) -> T,
    ) -> Option<T> {
        match self.node {
            BeadNode::Row(at) => indexed(&self.snapshot.index, at),
            BeadNode::Pending(at) => self.snapshot.slots.get(at as usize).map(pending),
        }
    }

    /// Its row, where it changed the one that it would have.
    pub(in crate::store) fn row(&self) -> Option<IndexRow> {
        let indexed = |index: &'a Index, at| index.row(at).copied();
        self.from_index_or_pending(indexed, |own| build_row(own.bead()))
    }

    /// Where it is.
    pub fn node(&self) -> BeadNode {
        self.node
    }

    /// The id.
    pub fn id(&self) -> &'a str {
        let id = self.from_index_or_pending(|index, at| Some(index.id(at)), |own| own.id.as_str());
        id.unwrap_or_default()
    }

    /// The whole bead; read from its line where that was not done before.
    pub fn bead(&self) -> Option<&'a Bead> {
        match self.node {
            BeadNode::Row(at) => self.snapshot.load(at),
            BeadNode::Pending(_) => self.from_index_or_pending(|_, _| None, PendingBead::bead),
        }
    }

    /// Some fields of it, from its line and without the rest; nothing where that cannot be done, and
    /// [`Self::bead`] has to be asked.
    pub fn parse_part<T: serde::de::DeserializeOwned>(&self) -> Option<T> {
        let indexed = |index: &Index, at| {
            let row = index.row_alone(at)?;
            let line = self.snapshot.source.line(&row).ok()?;
            let is_it = xxhash_rust::xxh3::xxh3_64(&line) == row.hash;
            is_it.then(|| serde_json::from_slice(&line).ok())
        };
        self.from_index_or_pending(indexed, |own| serde_json::from_slice(&own.raw).ok())?
    }

    /// The status by its code.
    pub(crate) fn status_code(&self) -> u8 {
        let status = self.from_index_or_pending(Index::status_of, |own| own.bead().status.code());
        status.unwrap_or(u8::MAX)
    }

    /// The status.
    pub fn status(&self) -> Status {
        Status::from_code(self.status_code())
            .or_else(|| Some(self.bead()?.status.clone()))
            .unwrap_or_default()
    }

    /// The kind by its code.
    pub(in crate::store) fn kind_code(&self) -> u8 {
        let indexed = |index: &Index, at| index.row(at).map(|row| row.kind);
        let code = self.from_index_or_pending(indexed, |own| own.bead().issue_type.code());
        code.unwrap_or(u8::MAX)
    }

    /// The kind.
    pub fn kind(&self) -> Kind {
        Kind::from_code(self.kind_code())
            .or_else(|| Some(self.bead()?.issue_type.clone()))
            .unwrap_or_default()
    }

    /// The priority; far out of range it is cut.
    pub fn priority(&self) -> i8 {
        self.row().map(|row| row.priority).unwrap_or_default()
    }

    /// Who has it; empty for no one.
    pub fn assignee(&self) -> &'a str {
        let indexed = |index: &'a Index, at| Some(index.assignee(at));
        let assignee = self.from_index_or_pending(indexed, |own| own.bead().assignee.as_str());
        assignee.unwrap_or_default()
    }

    /// Whether it is of this kind, or carries the label by which older clients mark it.
    pub fn has_kind_or_label(&self, kind: &Kind, label: &str) -> bool {
        self.kind() == *kind || self.has_label(label)
    }

    /// Whether it carries this label.
    pub fn has_label(&self, label: &str) -> bool {
        let indexed = |index: &Index, at| Some(index.labels(at).any(|own| own == label));
        let has_it = self.from_index_or_pending(indexed, |own| own.bead().has_label(label));
        has_it.unwrap_or_default()
    }

    /// Its labels.
    pub fn labels(&self) -> Vec<&'a str> {
        let indexed = |index: &'a Index, at| Some(index.labels(at).collect());
        let pending = |own: &'a PendingBead| own.bead().labels.iter().map(String::as_str).collect();
        self.from_index_or_pending(indexed, pending)
            .unwrap_or_default()
    }

    /// Whether it is neither closed nor deleted.
    pub fn is_open(&self) -> bool {
        is_open(self.status_code())
    }

    /// Whether it was deleted.
    pub fn is_tombstone(&self) -> bool {
        self.status_code() == Status::Tombstone.code()
    }

    pub(in crate::store) fn flags(&self) -> u32 {
        self.row().map(|row| row.flags).unwrap_or_default()
    }

    /// Whether it is a wisp.
    pub fn is_ephemeral(&self) -> bool {
        self.row()
            .is_some_and(|row| row.flags & flag::EPHEMERAL != 0 || row.file == WISPS)
    }

    /// Whether it is context rather than work.
    pub fn is_pinned(&self) -> bool {
        self.flags() & flag::PINNED != 0
    }

    /// Whether it is a template.
    pub fn is_template(&self) -> bool {
        self.flags() & flag::TEMPLATE != 0
    }

    /// One of its times.
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

    /// Its place in the usual order, apart from the id.
    pub(crate) fn rank(&self) -> UsualRank {
        let row = self.row();
        UsualRank {
            priority: row.map(|row| row.priority).unwrap_or_default(),
            created: Reverse(row.map_or(NEVER, |row| row.created)),
        }
    }

    /// Its children by their parent-child edges.
    pub fn children(&self) -> Vec<BeadRef<'a>> {
        let row = match self.node {
            BeadNode::Row(at) => Some(at),
            BeadNode::Pending(_) => self.snapshot.index.find(self.id()),
        };
        self.snapshot
            .holder_refs_at(row, || self.id(), &DepKind::ParentChild)
    }

    /// Whether [`Self::parent`] is the bead of this row; told without looking at ids.
    pub(crate) fn has_parent_at(&self, parent: BeadNode) -> bool {
        let (BeadNode::Row(at), BeadNode::Row(parent)) = (self.node, parent) else {
            return false;
        };
        let mut edges = self.snapshot.index.edges(at).iter();
        let edge = edges.find(|edge| edge.kind == DepKind::ParentChild.code());
        edge.is_some_and(|edge| edge.target == parent)
    }

    /// The bead that its first parent-child edge names.
    pub fn parent(&self) -> Option<&'a str> {
        let code = DepKind::ParentChild.code();
        let indexed = |index: &'a Index, at| {
            let edge = index.edges(at).iter().find(|edge| edge.kind == code);
            Some(edge.map(|edge| index.target(edge)))
        };
        let pending = |own: &'a PendingBead| {
            let mut edges = own.dependencies().iter();
            let edge = edges.find(|edge| edge.kind == DepKind::ParentChild);
            edge.map(|edge| edge.depends_on_id.as_str())
        };
        self.from_index_or_pending(indexed, pending).flatten()
    }

    /// Whether it waits for something, itself or through a parent.
    pub fn is_blocked(&self) -> bool {
        self.snapshot.is_blocked(self.node)
    }

    /// Its edges as the rules of waiting see them.
    pub fn blocking_edges(&self) -> Vec<BlockingEdge<BeadNode>> {
        self.snapshot.blocking_edges(self.node)
    }

    /// Its edges: the code of the kind, and the id of the target.
    pub fn edges(&self) -> Vec<(u8, &'a str)> {
        self.snapshot.raw_edges(self.node)
    }

    /// Whether it has a `blocks` edge to another project.
    pub fn has_external_edge(&self) -> bool {
        self.flags() & flag::EXTERNAL != 0
    }

    /// Whether it is an open epic that has children, none of them open.
    pub fn is_done_epic(&self) -> bool {
        if !self.is_open() || self.kind() != Kind::Epic {
            return false;
        }
        let children = self.children();
        !children.is_empty() && !children.iter().any(BeadRef::is_open)
    }

    /// Whether it has a parent-child edge to this bead.
    pub fn is_child_of(&self, parent: &str) -> bool {
        self.has_edge(&DepKind::ParentChild, parent)
    }

    /// Whether it has an edge of this kind to this bead.
    pub(in crate::store) fn has_edge(&self, kind: &DepKind, to: &str) -> bool {
        let code = kind.code();
        let indexed = |index: &Index, at| {
            let mut edges = index.edges(at).iter();
            Some(edges.any(|edge| edge.kind == code && index.target(edge) == to))
        };
        let pending = |own: &PendingBead| {
            let mut edges = own.dependencies().iter();
            edges.any(|edge| edge.kind.code() == code && edge.depends_on_id == to)
        };
        self.from_index_or_pending(indexed, pending)
            .unwrap_or_default()
    }
}

/// The usual order: most urgent first, then the newest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct UsualRank {
    priority: i8,
    created: Reverse<i64>,
}

impl UsualRank {
    /// Whether one of its values may stand for one that the index cannot hold.
    pub(crate) fn is_clamped(&self) -> bool {
        [i8::MIN, i8::MAX].contains(&self.priority)
            || [NEVER, NEVER + 1, i64::MAX].contains(&self.created.0)
    }
}

/// One of the times of a bead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum TimeField {
    Created,
    Updated,
    Closed,
    Due,
    Deferred,
}

/// What lists and ready work are chosen by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListRow {
    /// Where the bead is.
    pub node: BeadNode,
    /// When it was made, nanoseconds since the epoch.
    pub created: i64,
    /// 0 (most urgent) to 4.
    pub priority: i8,
    /// The status by its code; 255 for a word of the users' own.
    pub status: u8,
    /// The kind by its code; 255 for a word of the users' own.
    pub kind: u8,
    /// Whether someone has it.
    pub assigned: bool,
    pub(in crate::store) flags: u32,
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

    /// Its status, kind and priority; `None` where only the bead has them: words of the users' own, and priorities out of range.
    pub(crate) fn exact_values(&self) -> Option<(Status, Kind, i64)> {
        let in_range = (0..64).contains(&self.priority);
        let priority = in_range.then(|| i64::from(self.priority))?;
        let (status, kind) = (Status::from_code(self.status)?, Kind::from_code(self.kind)?);
        Some((status, kind, priority))
    }

    /// Whether `bd blocked` may show it.
    pub(crate) fn can_be_blocked(&self) -> bool {
        !self.is_pinned()
            && (self.is_blocked()
                || self.has_external_edge()
                || self.status == Status::Blocked.code())
    }

    /// Whether it has a `blocks` edge to a bead that is not over.
    pub fn has_open_blocker(&self) -> bool {
        self.flags & flag::WAITS != 0
    }

    /// Whether it waits for something, itself or through a parent.
    pub fn is_blocked(&self) -> bool {
        self.flags & flag::BLOCKED != 0
    }

    /// Whether it has a `blocks` edge to another project.
    pub fn has_external_edge(&self) -> bool {
        self.flags & flag::EXTERNAL != 0
    }

    /// Whether it is context rather than work.
    pub fn is_pinned(&self) -> bool {
        self.flags & flag::PINNED != 0
    }

    /// Whether it is a wisp.
    pub fn is_ephemeral(&self) -> bool {
        self.flags & flag::EPHEMERAL != 0
    }

    /// Whether it is a template.
    pub fn is_template(&self) -> bool {
        self.flags & flag::TEMPLATE != 0
    }

    /// Whether its id has more than one hyphen.
    pub fn has_hyphens(&self) -> bool {
        self.flags & flag::HYPHENS != 0
    }

    /// Whether it is put off until some instant, perhaps one that is over.
    pub fn has_deferral(&self) -> bool {
        self.flags & flag::DEFERRED != 0
    }
}
