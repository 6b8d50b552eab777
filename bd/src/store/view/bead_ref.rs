//! One bead as a list sees it: what the index knows, without its texts.

use crate::sys::clock::nanoseconds;
use std::cmp::Reverse;

use jiff::Timestamp;

use crate::bead::blocked::{Graph, Link, is_open};
use crate::bead::{Bead, Kind, Stamp, Status};
use crate::store::Snapshot;
use crate::store::index::{IndexRow, NEVER, StoredListRow, clamp, flag};
use crate::store::view::overlay::PendingBead;

/// Where a bead is: in the index, or beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Node {
    /// A row of the index.
    Row(u32),
    /// One of the beads that the snapshot has itself.
    Own(u32),
}

/// A bead that need not be read to be chosen.
#[derive(Debug, Clone, Copy)]
pub struct BeadRef<'a> {
    pub(in crate::store) snapshot: &'a Snapshot,
    pub(in crate::store) node: Node,
}

impl<'a> BeadRef<'a> {
    fn row(&self) -> Option<&'a IndexRow> {
        match self.node {
            Node::Row(at) => self.snapshot.index.row(at),
            Node::Own(_) => None,
        }
    }

    fn pending(&self) -> Option<&'a PendingBead> {
        match self.node {
            Node::Own(at) => self.snapshot.slots.get(at as usize),
            Node::Row(_) => None,
        }
    }

    /// Where it is.
    pub fn node(&self) -> Node {
        self.node
    }

    /// The id.
    pub fn id(&self) -> &'a str {
        match (self.node, self.pending()) {
            (Node::Row(at), _) => self.snapshot.index.id(at),
            (_, Some(own)) => &own.id,
            _ => "",
        }
    }

    /// The whole bead; read from its line where that was not done before.
    pub fn bead(&self) -> Option<&'a Bead> {
        match self.node {
            Node::Row(at) => self.snapshot.load(at),
            Node::Own(_) => self.pending().map(PendingBead::bead),
        }
    }

    /// Some fields of it, from its line and without the rest; nothing where that cannot be done, and
    /// [`Self::bead`] has to be asked.
    pub fn part<T: serde::de::DeserializeOwned>(&self) -> Option<T> {
        if let Some(own) = self.pending() {
            return serde_json::from_slice(&own.raw).ok();
        }
        let Node::Row(at) = self.node else {
            return None;
        };
        let row = self.snapshot.index.row_alone(at)?;
        let line = self.snapshot.source.line(&row).ok()?;
        let is_it = xxhash_rust::xxh3::xxh3_64(&line) == row.hash;
        is_it.then(|| serde_json::from_slice(&line).ok())?
    }

    /// The status by its code.
    pub(crate) fn status_code(&self) -> u8 {
        let status = match (self.node, self.pending()) {
            (Node::Row(at), _) => self.snapshot.index.status_of(at),
            (_, own) => own.map(|own| own.bead().status.code()),
        };
        status.unwrap_or(u8::MAX)
    }

    /// The status.
    pub fn status(&self) -> Status {
        Status::from_code(self.status_code())
            .or_else(|| Some(self.bead()?.status.clone()))
            .unwrap_or_default()
    }

    /// The kind.
    pub fn kind(&self) -> Kind {
        let code = match (self.row(), self.pending()) {
            (Some(row), _) => row.kind,
            (_, Some(own)) => own.bead().issue_type.code(),
            _ => u8::MAX,
        };
        Kind::from_code(code)
            .or_else(|| Some(self.bead()?.issue_type.clone()))
            .unwrap_or_default()
    }

    /// The priority; far out of range it is cut.
    pub fn priority(&self) -> i8 {
        match (self.row(), self.pending()) {
            (Some(row), _) => row.priority,
            (_, Some(own)) => clamp(own.bead().priority),
            _ => 0,
        }
    }

    /// Who has it; empty for no one.
    pub fn assignee(&self) -> &'a str {
        match (self.node, self.pending()) {
            (Node::Row(at), _) => self.snapshot.index.assignee(at),
            (_, Some(own)) => &own.bead().assignee,
            _ => "",
        }
    }

    /// Whether it is of this kind, or carries the label by which older clients mark it.
    pub fn is_a(&self, kind: &Kind, label: &str) -> bool {
        self.kind() == *kind || self.has_label(label)
    }

    /// Whether it carries this label.
    pub fn has_label(&self, label: &str) -> bool {
        match (self.node, self.pending()) {
            (Node::Row(at), _) => self.snapshot.index.labels(at).any(|own| own == label),
            (_, Some(own)) => own.bead().has_label(label),
            _ => false,
        }
    }

    /// Its labels.
    pub fn labels(&self) -> Vec<&'a str> {
        match (self.node, self.pending()) {
            (Node::Row(at), _) => self.snapshot.index.labels(at).collect(),
            (_, Some(own)) => own.bead().labels.iter().map(String::as_str).collect(),
            _ => Vec::new(),
        }
    }

    /// Whether it is neither closed nor deleted.
    pub fn is_open(&self) -> bool {
        is_open(self.status_code())
    }

    /// Whether it was deleted.
    pub fn is_tombstone(&self) -> bool {
        self.status_code() == Status::Tombstone.code()
    }

    fn flags(&self) -> u32 {
        match (self.row(), self.pending()) {
            (Some(row), _) => row.flags,
            (_, Some(own)) => crate::store::index::Facts::of(own.bead()).flags,
            _ => 0,
        }
    }

    /// Whether it is a wisp.
    pub fn is_ephemeral(&self) -> bool {
        match (self.row(), self.pending()) {
            (Some(row), _) => row.flags & flag::EPHEMERAL != 0 || row.file & 1 == 1,
            (_, Some(own)) => own.bead().ephemeral,
            _ => false,
        }
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
    pub fn time(&self, which: Time) -> Option<Timestamp> {
        let at = match (self.row(), self.pending()) {
            (Some(row), _) => match which {
                Time::Created => row.created,
                Time::Updated => row.updated,
                Time::Closed => row.closed,
                Time::Due => row.due,
                Time::Deferred => row.deferred,
            },
            (_, Some(own)) => {
                let of = |stamp: Option<&Stamp>| {
                    stamp.map_or(NEVER, |stamp| nanoseconds(stamp.instant()))
                };
                match which {
                    Time::Created => of(Some(&own.bead().created_at)),
                    Time::Updated => of(Some(&own.bead().updated_at)),
                    Time::Closed => of(own.bead().closed_at.as_ref()),
                    Time::Due => of(own.bead().due_at.as_ref()),
                    Time::Deferred => of(own.bead().defer_until.as_ref()),
                }
            }
            _ => NEVER,
        };
        if at == NEVER {
            return None;
        }
        Timestamp::from_nanosecond(i128::from(at)).ok()
    }

    /// Its place in the usual order, apart from the id.
    pub(crate) fn rank(&self) -> Rank {
        let created = match (self.row(), self.pending()) {
            (Some(row), _) => row.created,
            (_, Some(own)) => nanoseconds(own.bead().created_at.instant()),
            _ => NEVER,
        };
        Rank {
            priority: self.priority(),
            created: Reverse(created),
        }
    }

    /// Its children by their parent-child edges.
    pub fn children(&self) -> Vec<BeadRef<'a>> {
        self.snapshot.child_refs(self.id())
    }

    /// Whether it waits for something, itself or through a parent.
    pub fn is_blocked(&self) -> bool {
        self.snapshot.is_blocked(self.node)
    }

    /// Its edges as the rules of waiting see them.
    pub fn links(&self) -> Vec<Link<Node>> {
        self.snapshot.links(self.node)
    }

    /// Its edges: the code of the kind, and the id of the target.
    pub fn edges(&self) -> Vec<(u8, &'a str)> {
        self.snapshot.raw_links(self.node)
    }

    /// Whether it has a `blocks` edge to another project.
    pub fn has_external(&self) -> bool {
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
        let kind = crate::bead::DepKind::ParentChild;
        match (self.node, self.pending()) {
            (Node::Row(at), _) => {
                let index = &self.snapshot.index;
                let mut edges = index.edges(at).iter();
                edges.any(|edge| edge.kind == kind.code() && index.target(edge) == parent)
            }
            (_, Some(own)) => {
                let mut edges = own.dependencies().iter();
                edges.any(|edge| edge.kind == kind && edge.depends_on_id == parent)
            }
            _ => false,
        }
    }
}

/// The usual order: most urgent first, then the newest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rank {
    priority: i8,
    created: Reverse<i64>,
}

impl Rank {
    /// Whether one of its values may stand for one that the index cannot hold.
    pub(crate) fn is_cut(&self) -> bool {
        [i8::MIN, i8::MAX].contains(&self.priority)
            || [NEVER, NEVER + 1, i64::MAX].contains(&self.created.0)
    }
}

/// One of the times of a bead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Time {
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
    pub node: Node,
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
            node: Node::Row(open.row),
            created: open.created,
            priority: open.priority,
            status: open.status,
            kind: open.kind,
            assigned: open.assigned != 0,
            flags: open.flags,
        }
    }

    /// Whether `bd blocked` may show it.
    pub(in crate::store) fn waits_by_itself(&self) -> bool {
        crate::store::index::waits_by_itself(self.status, self.flags)
    }

    /// Whether it has a `blocks` edge to a bead that is not over.
    pub fn waits_for_others(&self) -> bool {
        self.flags & flag::WAITS != 0
    }

    /// Whether it waits for something, itself or through a parent.
    pub fn is_blocked(&self) -> bool {
        self.flags & flag::BLOCKED != 0
    }

    /// Whether it has a `blocks` edge to another project.
    pub fn has_external(&self) -> bool {
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
