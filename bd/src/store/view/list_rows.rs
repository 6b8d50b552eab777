//! The rows of open beads for lists and ready work: in the usual order, with their blocked state.
//!
//! The index has both for its rows. For pending changes and the beads that depend on them, both are
//! computed here.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeSet, HashSet};

use crate::bead::blocked::{self, BlockingEdge, BlockingGraph, is_open};
use crate::bead::{DepKind, Status};
use crate::store::index::{self, BeadCounts, EdgeFacts, EdgeRow, IndexRow, NONE, flag};
use crate::store::view::bead_ref::{BeadNode, BeadRef, ListRow};
use crate::store::view::overlay::PendingBead;
use crate::store::view::snapshot::Snapshot;

impl Snapshot {
    /// Returns the open beads, most urgent first, then newest, then by id.
    pub fn open_rows(&self) -> impl Iterator<Item = ListRow> {
        let slots = self.over.values().flatten();
        let mut pending: Vec<ListRow> = slots
            .filter_map(|slot| self.list_row(BeadNode::Pending(*slot)))
            .filter(|row| is_open(row.status))
            .collect();
        pending.sort_by(|a, b| self.usual_order(a, b));
        let mut pending = pending.into_iter().peekable();
        let mut rows = self
            .index
            .open_rows()
            .iter()
            .filter_map(|open| {
                if !self.is_touched(open.row) {
                    return Some(ListRow::of_row(open));
                }
                let is_there = !self.hidden.contains(&open.row);
                is_there.then(|| self.list_row(BeadNode::Row(open.row)))?
            })
            .peekable();
        std::iter::from_fn(move || {
            let Some(pending_row) = pending.peek() else {
                return rows.next();
            };
            match rows.peek() {
                Some(row) if self.usual_order(row, pending_row) == Ordering::Less => rows.next(),
                _ => pending.next(),
            }
        })
    }

    /// Compares by urgency, then newest first, then by id.
    fn usual_order(&self, a: &ListRow, b: &ListRow) -> Ordering {
        let key = |brief: &ListRow| (brief.priority, Reverse(brief.created));
        key(a)
            .cmp(&key(b))
            .then_with(|| self.id_order(a.node, b.node))
    }

    /// Compares by id. Rows of the index are already sorted by id.
    pub(super) fn id_order(&self, a: BeadNode, b: BeadNode) -> Ordering {
        match (a, b) {
            (BeadNode::Row(a), BeadNode::Row(b)) => a.cmp(&b),
            _ => self.bead_ref_at(a).id().cmp(self.bead_ref_at(b).id()),
        }
    }

    /// Returns true if a row is hidden, or if its blocked state may differ from the index.
    fn is_touched(&self, at: u32) -> bool {
        !self.over.is_empty() && self.touched().contains(&at)
    }

    /// Returns true if a bead is blocked, directly or through a parent.
    pub(in crate::store) fn is_blocked(&self, node: BeadNode) -> bool {
        match node {
            BeadNode::Row(at) if !self.is_touched(at) => {
                let row = self.index.row(at);
                row.is_some_and(|row| row.flags & flag::BLOCKED != 0)
            }
            _ => blocked::is_blocked(self, node),
        }
    }

    /// Returns the beads that `bd blocked` may show: those that are blocked in this store, may wait
    /// for another project, or have the status blocked. Sorted by priority and id.
    pub fn blocked_rows(&self) -> Vec<ListRow> {
        let mut rows: Vec<ListRow> = self.open_rows().filter(ListRow::can_be_blocked).collect();
        rows.sort_by(|a, b| {
            a.priority
                .cmp(&b.priority)
                .then_with(|| self.id_order(a.node, b.node))
        });
        rows
    }

    /// Returns true if any bead is open.
    pub fn has_open_beads(&self) -> bool {
        self.open_rows().next().is_some()
    }

    pub fn counts(&self) -> BeadCounts {
        let mut counts = *self.index.counts();
        if self.over.is_empty() {
            return counts;
        }
        for row in self.touched().iter().filter_map(|row| self.index.row(*row)) {
            index::count_row(&mut counts, row, -1);
        }
        let touched = self.touched().difference(&self.hidden).copied();
        let pending = self.over.values().flatten().copied();
        for row in touched
            .map(BeadNode::Row)
            .chain(pending.map(BeadNode::Pending))
            .filter_map(|node| self.current_row(node))
        {
            index::count_row(&mut counts, &row, 1);
        }
        for id in self.affected_epics() {
            let then = self.index.find(&id);
            let was_done = then.is_some_and(|at| self.index.is_done_epic(at));
            let is_done = self
                .bead_ref(&id)
                .is_some_and(|bead| BeadRef::is_done_epic(&bead));
            counts.epics_done += u64::from(is_done);
            counts.epics_done -= u64::from(was_done).min(counts.epics_done);
        }
        counts
    }

    /// Returns the changed beads, and their old and new parents.
    fn affected_epics(&self) -> HashSet<String> {
        let mut affected: HashSet<String> = self.over.keys().cloned().collect();
        for id in self.over.keys() {
            affected.extend(self.old_and_new_parents(id));
        }
        affected
    }

    /// Returns the parents that a changed bead has in the index, and its current parents.
    fn old_and_new_parents(&self, id: &str) -> impl Iterator<Item = String> {
        let parent = DepKind::ParentChild.code();
        self.index
            .find(id)
            .map(BeadNode::Row)
            .into_iter()
            .chain(self.node(id))
            .flat_map(|node| self.raw_edges(node))
            .filter(move |(kind, _)| *kind == parent)
            .map(|(_, target)| target.to_owned())
    }

    pub fn counts_of(&self, heads: &[BeadRef<'_>]) -> BeadCounts {
        let mut counts = BeadCounts::default();
        for row in heads
            .iter()
            .filter_map(|bead| self.current_row(bead.node()))
        {
            index::count_row(&mut counts, &row, 1);
        }
        counts
    }

    /// The number of beads that were not deleted.
    pub fn live_count(&self) -> usize {
        let counts = self.counts().by_status;
        // A damaged index may contain any numbers.
        let all = counts
            .iter()
            .fold(0_u64, |all, count| all.saturating_add(*count));
        let deleted = counts[usize::from(Status::Tombstone.code())];
        usize::try_from(all.saturating_sub(deleted)).unwrap_or(usize::MAX)
    }

    /// Returns the row of a bead with its current blocked state.
    fn current_row(&self, node: BeadNode) -> Option<IndexRow> {
        let row = self.bead_ref_at(node).row()?;
        let flags = self.current_flags(node, row.flags);
        Some(IndexRow { flags, ..row })
    }

    fn list_row(&self, node: BeadNode) -> Option<ListRow> {
        let row = match node {
            BeadNode::Row(at) if !self.is_touched(at) => *self.index.row(at)?,
            _ => self.current_row(node)?,
        };
        let stored = index::open_row(NONE, &row);
        Some(ListRow {
            node,
            ..ListRow::of_row(&stored)
        })
    }

    fn current_flags(&self, node: BeadNode, flags: u32) -> u32 {
        let mut flags = flags & !(flag::BLOCKED | flag::WAITS);
        if blocked::has_open_blocker(self, node) {
            flags |= flag::WAITS;
        }
        if blocked::is_blocked(self, node) {
            flags |= flag::BLOCKED;
        }
        flags
    }

    /// Returns the rows that are hidden, or whose blocked state may differ from the index because a
    /// bead that they depend on changed.
    fn touched(&self) -> &BTreeSet<u32> {
        self.touched.get_or_init(|| {
            let mut front: Vec<BeadNode> = Vec::new();
            for (id, slot) in &self.over {
                front.extend(slot.map(BeadNode::Pending));
                front.extend(self.holders(id));
                // The beads that wait for the children of an old or a new parent.
                for parent in self.old_and_new_parents(id) {
                    front.extend(self.holders(&parent));
                }
            }
            // The beads that wait for the children of a bead other than the edge's target.
            front.extend(
                self.index
                    .spawner_holders()
                    .iter()
                    .copied()
                    .map(BeadNode::Row),
            );
            let mut seen: HashSet<BeadNode> = HashSet::new();
            while let Some(node) = front.pop() {
                if seen.insert(node) {
                    front.extend(BlockingGraph::holders(self, node, &DepKind::ParentChild));
                }
            }
            seen.into_iter()
                .filter_map(|node| match node {
                    BeadNode::Row(row) => Some(row),
                    BeadNode::Pending(_) => None,
                })
                .chain(self.hidden.iter().copied())
                .collect()
        })
    }

    /// Returns the kinds and targets of a bead's edges.
    pub(in crate::store) fn raw_edges(&self, node: BeadNode) -> Vec<(u8, &str)> {
        match node {
            BeadNode::Row(at) => self
                .index
                .edges(at)
                .iter()
                .map(|edge| (edge.kind, self.index.target(edge)))
                .collect(),
            BeadNode::Pending(slot) => self
                .slots
                .get(slot as usize)
                .into_iter()
                .flat_map(PendingBead::dependencies)
                .map(|edge| (edge.kind.code(), edge.depends_on_id.as_str()))
                .collect(),
        }
    }

    fn node(&self, id: &str) -> Option<BeadNode> {
        self.bead_ref(id).map(|bead| bead.node())
    }

    /// Returns the bead that an edge of the index points at.
    fn target_node(&self, edge: &EdgeRow) -> Option<BeadNode> {
        if edge.target == NONE || self.hidden.contains(&edge.target) {
            return self.node(self.index.target(edge));
        }
        Some(BeadNode::Row(edge.target))
    }
}

impl BlockingGraph for Snapshot {
    type Node = BeadNode;

    fn status(&self, node: BeadNode) -> u8 {
        self.bead_ref_at(node).status_code()
    }

    fn has_failed(&self, node: BeadNode) -> bool {
        self.bead_ref_at(node).flags() & flag::FAILED != 0
    }

    fn blocking_edges(&self, node: BeadNode) -> Vec<BlockingEdge<BeadNode>> {
        let link =
            |kind, target: Option<BeadNode>, spawner: Option<&str>, any_child| BlockingEdge {
                kind,
                target,
                spawner: spawner.map_or(target, |spawner| self.node(spawner)),
                any_child,
            };
        match node {
            BeadNode::Row(at) => self
                .index
                .edges(at)
                .iter()
                .map(|edge| {
                    let spawner = (edge.spawner != NONE).then(|| self.index.word(edge.spawner));
                    let any_child = edge.any_child != 0;
                    link(edge.kind, self.target_node(edge), spawner, any_child)
                })
                .collect(),
            BeadNode::Pending(slot) => self
                .slots
                .get(slot as usize)
                .into_iter()
                .flat_map(PendingBead::dependencies)
                .map(EdgeFacts::from_dep)
                .map(|edge| {
                    let spawner = edge.spawner.as_deref();
                    link(edge.kind, self.node(&edge.target), spawner, edge.any_child)
                })
                .collect(),
        }
    }

    fn holders(&self, node: BeadNode, kind: &DepKind) -> Vec<BeadNode> {
        let id = self.bead_ref_at(node).id();
        let mut found = Self::holders(self, id);
        found.retain(|holder| self.raw_edges(*holder).contains(&(kind.code(), id)));
        found
    }
}
