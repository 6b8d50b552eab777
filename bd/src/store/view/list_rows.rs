//! The beads that are not over, as lists and ready work want them: in the usual order, with what waits.
//!
//! The index knows both for its rows; what the journal changed, and what hangs on that, is worked out anew.

use std::cmp::{Ordering, Reverse};
use std::collections::HashSet;

use crate::bead::blocked::{self, Graph, Link, is_open};
use crate::bead::{DepKind, Status};
use crate::store::index::{
    self, Counts, EdgeRow, Facts, IndexRow, NEVER, NONE, StoredListRow, flag,
};
use crate::store::view::bead_ref::{BeadRef, ListRow, Node};
use crate::store::view::overlay::PendingBead;
use crate::store::view::snapshot::Snapshot;

impl Snapshot {
    /// The beads that are neither closed nor deleted, most urgent first, then the newest, then by id.
    pub fn open_rows(&self) -> ListRows<'_> {
        let mut own: Vec<ListRow> = Vec::new();
        let changed = self.changed_rows();
        if !self.over.is_empty() {
            own.extend(
                self.over
                    .values()
                    .flatten()
                    .filter_map(|slot| self.pending_row(*slot)),
            );
            own.sort_by(|a, b| self.usual_order(a, b));
        }
        ListRows {
            snapshot: self,
            rows: self.index.open_rows().iter(),
            changed,
            own: own.into_iter(),
            next: None,
        }
    }

    /// One bit a row: whether it is hidden or what waits has to be worked out. Empty where none is.
    fn changed_rows(&self) -> Vec<u64> {
        if self.over.is_empty() {
            return Vec::new();
        }
        let mut changed = vec![0_u64; self.index.len() as usize / 64 + 1];
        for row in self.hidden.iter().chain(self.touched()) {
            changed[*row as usize / 64] |= 1 << (row % 64);
        }
        changed
    }

    /// By urgency, then the newest, then by id.
    fn usual_order(&self, a: &ListRow, b: &ListRow) -> Ordering {
        let key = |brief: &ListRow| (brief.priority, Reverse(brief.created));
        key(a)
            .cmp(&key(b))
            .then_with(|| self.id_order(a.node, b.node))
    }

    /// By id; rows have that order already.
    fn id_order(&self, a: Node, b: Node) -> Ordering {
        match (a, b) {
            (Node::Row(a), Node::Row(b)) => a.cmp(&b),
            _ => self.bead_ref_at(a).id().cmp(self.bead_ref_at(b).id()),
        }
    }

    /// Every bead by id, deleted ones too.
    pub fn all_rows(&self) -> Vec<ListRow> {
        self.bead_refs()
            .filter_map(|head| match head.node() {
                Node::Row(at) => {
                    let row = self.index.row(at)?;
                    let brief = ListRow::of_row(&index::open_row(at, row));
                    Some(self.refresh_row(at, brief))
                }
                Node::Pending(slot) => self.any_pending_row(slot),
            })
            .collect()
    }

    fn refresh_row(&self, at: u32, brief: ListRow) -> ListRow {
        if !self.over.is_empty() && self.touched().contains(&at) {
            return self.renewed(brief);
        }
        brief
    }

    /// Whether a bead waits for something, itself or through a parent.
    pub(in crate::store) fn is_blocked(&self, node: Node) -> bool {
        match node {
            Node::Row(at) if self.over.is_empty() || !self.touched().contains(&at) => {
                let row = self.index.row(at);
                row.is_some_and(|row| row.flags & flag::BLOCKED != 0)
            }
            _ => blocked::is_blocked(self, node),
        }
    }

    /// What `bd blocked` may show: beads that wait by their own account, by priority and id.
    pub fn waiting_rows(&self) -> Vec<ListRow> {
        let mut rows: Vec<ListRow> = self.open_rows().filter(ListRow::waits_by_itself).collect();
        rows.sort_by(|a, b| {
            let by_id = || self.id_order(a.node, b.node);
            a.priority.cmp(&b.priority).then_with(by_id)
        });
        rows
    }

    /// Whether any bead is neither closed nor deleted.
    pub fn any_open(&self) -> bool {
        self.open_rows().next().is_some()
    }

    /// The counts over all beads.
    pub(crate) fn counts(&self) -> Counts {
        let mut counts = *self.index.counts();
        if self.over.is_empty() {
            return counts;
        }
        for row in &self.hidden {
            if let Some(row) = self.index.row(*row) {
                index::count_row(&mut counts, row, -1);
            }
        }
        for at in self.touched() {
            let Some(row) = self.index.row(*at).filter(|_| !self.hidden.contains(at)) else {
                continue;
            };
            index::count_row(&mut counts, row, -1);
            let flags = self.flags_now(Node::Row(*at), row.flags);
            index::count_row(&mut counts, &IndexRow { flags, ..*row }, 1);
        }
        for slot in self.over.values().flatten() {
            if let Some(row) = self.pending_index_row(*slot) {
                index::count_row(&mut counts, &row, 1);
            }
        }
        for id in self.epics_in_question() {
            let then = self.index.find(&id);
            let was_done = then.is_some_and(|at| self.index.is_done_epic(at));
            let is_done = self
                .bead_ref(&id)
                .is_some_and(|head| BeadRef::is_done_epic(&head));
            counts.epics_done += u64::from(is_done);
            counts.epics_done -= u64::from(was_done).min(counts.epics_done);
        }
        counts
    }

    /// The beads that changed, and those that are or were their parents.
    fn epics_in_question(&self) -> HashSet<String> {
        let mut ids = HashSet::new();
        for (id, slot) in &self.over {
            let then = self.index.find(id).map(|at| self.parents_in_index(at));
            let own = slot.and_then(|slot| self.slots.get(slot as usize));
            let now = own.map(PendingBead::parents);
            ids.extend([then, now].into_iter().flatten().flatten());
            ids.insert(id.clone());
        }
        ids
    }

    /// The counts over some beads.
    pub(crate) fn counts_of(&self, heads: &[BeadRef<'_>]) -> Counts {
        let mut counts = Counts::default();
        for head in heads {
            let row = match head.node() {
                Node::Row(at) => self.index.row(at).map(|row| IndexRow {
                    flags: self.flags_now(head.node(), row.flags),
                    ..*row
                }),
                Node::Pending(slot) => self.pending_index_row(slot),
            };
            if let Some(row) = row {
                index::count_row(&mut counts, &row, 1);
            }
        }
        counts
    }

    /// How many beads were not deleted.
    pub fn live_count(&self) -> usize {
        let counts = self.counts().by_status;
        // A damaged index may have any numbers.
        let all = counts
            .iter()
            .fold(0_u64, |all, count| all.saturating_add(*count));
        let deleted = counts[usize::from(Status::Tombstone.code())];
        usize::try_from(all.saturating_sub(deleted)).unwrap_or_default()
    }

    /// A row of a bead that the index does not have; only what lists need is in it.
    fn pending_index_row(&self, slot: u32) -> Option<IndexRow> {
        let own = self.slots.get(slot as usize)?;
        let facts = Facts::of(own.bead());
        Some(IndexRow {
            created: facts.created,
            closed: facts.closed,
            status: facts.status,
            kind: facts.kind,
            priority: facts.priority,
            assignee: if facts.assignee.is_empty() { NONE } else { 0 },
            flags: self.flags_now(Node::Pending(slot), facts.flags),
            updated: facts.updated,
            due: NEVER,
            deferred: facts.deferred,
            ..zerocopy::FromZeros::new_zeroed()
        })
    }

    fn pending_row(&self, slot: u32) -> Option<ListRow> {
        self.any_pending_row(slot)
            .filter(|brief| is_open(brief.status))
    }

    fn any_pending_row(&self, slot: u32) -> Option<ListRow> {
        let row = self.pending_index_row(slot)?;
        Some(ListRow {
            node: Node::Pending(slot),
            ..ListRow::of_row(&index::open_row(NONE, &row))
        })
    }

    /// A brief with what waits worked out anew.
    fn renewed(&self, brief: ListRow) -> ListRow {
        ListRow {
            flags: self.flags_now(brief.node, brief.flags),
            ..brief
        }
    }

    fn flags_now(&self, node: Node, flags: u32) -> u32 {
        let mut flags = flags & !(flag::BLOCKED | flag::WAITS);
        if blocked::waits_for_others(self, node) {
            flags |= flag::WAITS;
        }
        if blocked::is_blocked(self, node) {
            flags |= flag::BLOCKED;
        }
        flags
    }

    /// The rows that may wait for other things than the index says, since beads they hang on are not as it
    /// has them.
    fn touched(&self) -> &HashSet<u32> {
        self.touched.get_or_init(|| {
            let mut front: Vec<Node> = Vec::new();
            for (id, slot) in &self.over {
                front.extend(slot.map(Node::Pending));
                front.extend(self.holders(id));
                // Whoever waits for the children of a parent, old or new.
                let parents = self.index.find(id).map(|at| self.parents_in_index(at));
                let own = slot.and_then(|slot| self.slots.get(slot as usize));
                let now = own.map(PendingBead::parents);
                for parent in [parents, now].into_iter().flatten().flatten() {
                    front.extend(self.holders(&parent));
                }
            }
            front.extend(self.rows_with_spawners());
            let mut seen: HashSet<Node> = HashSet::new();
            while let Some(node) = front.pop() {
                if seen.insert(node) {
                    front.extend(self.holders_of(node, &DepKind::ParentChild));
                }
            }
            seen.into_iter()
                .filter_map(|node| match node {
                    Node::Row(row) => Some(row),
                    Node::Pending(_) => None,
                })
                .collect()
        })
    }

    fn parents_in_index(&self, at: u32) -> Vec<String> {
        let edges = self.index.edges(at).iter();
        edges
            .filter(|edge| edge.kind == DepKind::ParentChild.code())
            .map(|edge| self.index.target(edge).to_owned())
            .collect()
    }

    /// Rows that wait for the children of a bead which is not the target of their edge.
    fn rows_with_spawners(&self) -> impl Iterator<Item = Node> {
        self.index.spawner_holders().iter().copied().map(Node::Row)
    }

    fn holders_of(&self, node: Node, kind: &DepKind) -> Vec<Node> {
        let id = self.bead_ref_at(node).id();
        let mut found = self.holders(id);
        found.retain(|holder| {
            let mut links = self.raw_links(*holder).into_iter();
            links.any(|(code, target)| code == kind.code() && target == id)
        });
        found
    }

    /// The kinds and targets of a bead's edges.
    pub(in crate::store) fn raw_links(&self, node: Node) -> Vec<(u8, &str)> {
        match node {
            Node::Row(at) => {
                let edge = |edge: &EdgeRow| (edge.kind, self.index.target(edge));
                self.index.edges(at).iter().map(edge).collect()
            }
            Node::Pending(slot) => {
                let edges = self.slots.get(slot as usize).into_iter();
                let edges = edges.flat_map(PendingBead::dependencies);
                edges
                    .map(|edge| (edge.kind.code(), edge.depends_on_id.as_str()))
                    .collect()
            }
        }
    }

    fn node(&self, id: &str) -> Option<Node> {
        self.bead_ref(id).map(|head| head.node())
    }
}

/// The open beads of a snapshot, one after the other: rows of the index as they are, those that the journal
/// changed with what it says, and between them the beads that the index does not have.
#[derive(Debug)]
pub struct ListRows<'a> {
    snapshot: &'a Snapshot,
    rows: std::slice::Iter<'a, StoredListRow>,
    /// As [`Snapshot::changed_rows`] has it.
    changed: Vec<u64>,
    own: std::vec::IntoIter<ListRow>,
    /// A row that one of `own` may come before.
    next: Option<ListRow>,
}

/// Whether the bit of a row is set.
fn has_bit(bits: &[u64], row: u32) -> bool {
    let word = bits.get(row as usize / 64).copied();
    word.unwrap_or_default() & (1 << (row % 64)) != 0
}

impl ListRows<'_> {
    fn row(&mut self) -> Option<ListRow> {
        loop {
            let open = self.rows.next()?;
            if let Some(brief) = self.as_it_is(open) {
                return Some(brief);
            }
        }
    }

    /// A row as it is now; `None` where it is hidden.
    fn as_it_is(&self, open: &StoredListRow) -> Option<ListRow> {
        let brief = ListRow::of_row(open);
        if !has_bit(&self.changed, open.row) {
            return Some(brief);
        }
        let hidden = self.snapshot.hidden.contains(&open.row);
        (!hidden).then(|| self.snapshot.renewed(brief))
    }
}

impl Iterator for ListRows<'_> {
    type Item = ListRow;

    fn next(&mut self) -> Option<ListRow> {
        let Some(own) = self.own.as_slice().first() else {
            return self.next.take().or_else(|| self.row());
        };
        let own = *own;
        let Some(row) = self.next.take().or_else(|| self.row()) else {
            return self.own.next();
        };
        if self.snapshot.usual_order(&own, &row) == Ordering::Less {
            self.next = Some(row);
            return self.own.next();
        }
        Some(row)
    }
}

impl Graph for Snapshot {
    type Node = Node;

    fn status(&self, node: Node) -> u8 {
        self.bead_ref_at(node).status_code()
    }

    fn has_failed(&self, node: Node) -> bool {
        match node {
            Node::Row(at) => {
                let row = self.index.row(at);
                row.is_some_and(|row| row.flags & flag::FAILED != 0)
            }
            Node::Pending(slot) => {
                let own = self.slots.get(slot as usize);
                own.is_some_and(|own| blocked::is_failure(&own.bead().close_reason))
            }
        }
    }

    fn links(&self, node: Node) -> Vec<Link<Node>> {
        match node {
            Node::Row(at) => {
                let edges = self.index.edges(at).iter();
                edges
                    .map(|edge| {
                        let target = self.node(self.index.target(edge));
                        Link {
                            kind: edge.kind,
                            target,
                            spawner: match edge.spawner {
                                NONE => target,
                                word => self.node(self.index.word(word)),
                            },
                            any_child: edge.any_child != 0,
                        }
                    })
                    .collect()
            }
            Node::Pending(slot) => {
                let own = self.slots.get(slot as usize);
                let facts = own.map(|own| Facts::of(own.bead()).edges);
                let edges = facts.into_iter().flatten();
                edges
                    .map(|edge| {
                        let target = self.node(&edge.target);
                        Link {
                            kind: edge.kind,
                            target,
                            spawner: match &edge.spawner {
                                Some(spawner) => self.node(spawner),
                                None => target,
                            },
                            any_child: edge.any_child,
                        }
                    })
                    .collect()
            }
        }
    }

    fn holders(&self, node: Node, kind: &DepKind) -> Vec<Node> {
        self.holders_of(node, kind)
    }
}
