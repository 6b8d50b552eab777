//! Builds an index from rows of an older index and from facts of new beads.
//!
//! Steps:
//! 1. Add the rows by id, each with the location of its line.
//! 2. Resolve the targets of edges.
//! 3. Collect the incoming edges of each row.
//! 4. Mark the blocked rows.
//! 5. Sort the lists.

use std::cmp::Reverse;

use zerocopy::IntoBytes;

use super::assemble::assemble_index;
use super::layout::{
    BeadCounts, EdgeRow, IncomingEdge, IndexRow, NEVER, NONE, PARTS, StoredListRow, WISPS, flag,
};
use super::layout::{IndexLists, narrow_length};
use super::runs::RowRuns;
use super::words::WordTable;
use super::{BeadFacts, Index, IndexKeys};
use crate::bead::blocked::{self, BlockingEdge, BlockingGraph, is_open};
use crate::bead::{DepKind, Kind, Status};
use crate::store::index::NonBeadLine;

/// The location of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LineLocation {
    pub file: u8,
    pub offset: u64,
    pub length: u32,
    pub hash: u64,
}

/// An index that is being built.
pub(crate) struct IndexBuilder<'a> {
    old: Option<&'a Index>,
    /// The new numbers of the old index's rows.
    moved: Vec<u32>,
    rows: Vec<IndexRow>,
    ids: Vec<u8>,
    id_starts: Vec<u32>,
    words: WordTable,
    labels: Vec<u32>,
    label_starts: Vec<u32>,
    edges: Vec<EdgeRow>,
    edge_starts: Vec<u32>,
}

impl<'a> IndexBuilder<'a> {
    /// Creates a builder that may take rows from an older index.
    pub(crate) fn over(old: Option<&'a Index>) -> Self {
        let room = old.map_or(0, |old| old.len() as usize) + 64;
        Self {
            old,
            moved: vec![NONE; old.map_or(0, |old| old.len() as usize)],
            rows: Vec::with_capacity(room),
            ids: Vec::with_capacity(room * 12),
            id_starts: Vec::with_capacity(room),
            words: WordTable::over(old),
            labels: Vec::with_capacity(room),
            label_starts: Vec::with_capacity(room),
            edges: Vec::with_capacity(room),
            edge_starts: Vec::with_capacity(room),
        }
    }

    fn count(&self) -> u32 {
        narrow_length(self.rows.len())
    }

    /// Adds a row of the old index, with the current location of its line. Beads must come in the
    /// order of their ids.
    pub(crate) fn push_old(&mut self, at: u32, location: LineLocation) {
        let Some(old) = self.old else {
            return;
        };
        let Some(mut row) = old.row(at).copied() else {
            return;
        };
        set_location(&mut row, location);
        row.flags &= !(flag::BLOCKED | flag::WAITS);
        self.begin(old.id_bytes(at));
        // Words keep their numbers.
        self.labels.extend_from_slice(old.label_numbers(at));
        self.edges.extend_from_slice(old.edges(at));
        if let Some(moved) = self.moved.get_mut(at as usize) {
            *moved = narrow_length(self.rows.len());
        }
        self.rows.push(row);
    }

    /// Adds a new or changed bead.
    pub(crate) fn push_new(&mut self, facts: &BeadFacts, location: LineLocation) {
        let mut row = facts.row;
        if row.assignee != NONE {
            row.assignee = self.words.number(&facts.assignee);
        }
        set_location(&mut row, location);
        self.begin(facts.id.as_bytes());
        for label in &facts.labels {
            let number = self.words.number(label);
            self.labels.push(number);
        }
        for edge in &facts.edges {
            let spawner = edge.spawner.as_ref();
            self.edges.push(EdgeRow {
                target: NONE,
                word: self.words.number(&edge.target),
                spawner: spawner.map_or(NONE, |id| self.words.number(id)),
                kind: edge.kind,
                any_child: edge.any_child.into(),
                spare: 0,
            });
        }
        self.rows.push(row);
    }

    /// Begins a row, whose labels and edges follow.
    fn begin(&mut self, id: &[u8]) {
        self.put_starts();
        self.ids.extend_from_slice(id);
    }

    /// Records the starts of the next row's data, or the ends of the last row's data.
    fn put_starts(&mut self) {
        self.id_starts.push(narrow_length(self.ids.len()));
        self.label_starts.push(narrow_length(self.labels.len()));
        self.edge_starts.push(narrow_length(self.edges.len()));
    }

    /// Builds the index.
    pub(crate) fn finish(mut self, keys: &IndexKeys, notes: &[NonBeadLine]) -> Option<Index> {
        let count = self.count();
        self.put_starts();
        self.aim_edges(count);
        let incoming = IncomingEdges::collect(&self.edge_starts, &self.edges, count);
        let statuses: Vec<u8> = self.rows.iter().map(|row| row.status).collect();
        let notes = serde_json::to_vec(notes).ok()?;
        let parts: [&[u8]; PARTS] = [
            self.rows.as_bytes(),
            &statuses,
            &self.ids,
            self.id_starts.as_bytes(),
            &self.words.bytes,
            self.words.ends.as_bytes(),
            self.labels.as_bytes(),
            self.label_starts.as_bytes(),
            self.edges.as_bytes(),
            self.edge_starts.as_bytes(),
            incoming.sorted.as_bytes(),
            incoming.starts.as_bytes(),
            incoming.dangling.as_bytes(),
            &notes,
            // The lists depend on the other sections, so they are added later.
            &[],
            &[],
            &[],
        ];
        let bare = Index::from_words(assemble_index(keys, &parts))?;
        let marks = compute_marks(&bare);
        let lists = build_lists(&bare, &marks);
        let counts = count_all(&bare, &marks);
        bare.complete(keys, &marks, &lists, counts)
    }

    /// Sets the target row of each edge.
    fn aim_edges(&mut self, count: u32) {
        let ids = RowRuns {
            items: &self.ids,
            starts: &self.id_starts,
        };
        let find = |id: &[u8]| {
            let at = ids.first_from(id, count);
            (at < count && ids.of_row(at) == id).then_some(at)
        };
        for edge in &mut self.edges {
            let then = edge.target;
            if then != NONE {
                edge.target = self.moved.get(then as usize).copied().unwrap_or(NONE);
            } else if let Some(target) = find(self.words.word_bytes(edge.word)) {
                edge.target = target;
            }
            if edge.target == NONE && then != NONE {
                // The row of the target is gone. Its id becomes a word, unless the bead is new
                // under that id.
                let id = self.old.map_or("", |old| old.id(then));
                match find(id.as_bytes()) {
                    Some(again) => edge.target = again,
                    None => edge.word = self.words.number(id),
                }
            }
        }
    }
}

fn set_location(row: &mut IndexRow, location: LineLocation) {
    row.file = location.file;
    row.offset = location.offset;
    row.length = location.length;
    row.hash = location.hash;
    if location.file & WISPS != 0 {
        row.flags |= flag::EPHEMERAL | flag::INTERNAL;
    }
}

/// The incoming edges of all rows.
struct IncomingEdges {
    /// Edges to rows, sorted by target.
    sorted: Vec<IncomingEdge>,
    /// The start of each target's edges in `sorted`.
    starts: Vec<u32>,
    /// Edges without a target row.
    dangling: Vec<IncomingEdge>,
}

impl IncomingEdges {
    fn collect(edge_starts: &[u32], edges: &[EdgeRow], count: u32) -> Self {
        let mut starts = vec![0_u32; count as usize + 1];
        for edge in edges.iter().filter(|edge| edge.target < count) {
            starts[edge.target as usize + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let total = starts.last().copied().unwrap_or_default();
        let mut next = starts.clone();
        let mut sorted = vec![IncomingEdge { holder: 0, edge: 0 }; total as usize];
        let mut dangling = Vec::new();
        for (holder, pair) in edge_starts.windows(2).enumerate() {
            let holder = narrow_length(holder);
            for number in pair[0]..pair[1] {
                let link = IncomingEdge {
                    holder,
                    edge: number,
                };
                let target = edges[number as usize].target;
                if target < count {
                    let place = &mut next[target as usize];
                    sorted[*place as usize] = link;
                    *place += 1;
                } else {
                    dangling.push(link);
                }
            }
        }
        Self {
            sorted,
            starts,
            dangling,
        }
    }
}

/// Computes for each row the flags that depend on the whole graph.
fn compute_marks(index: &Index) -> Vec<u32> {
    let mut marks = vec![0; index.len() as usize];
    let with_edges = (0..)
        .zip(index.all_edges().iter())
        .filter_map(|(at, edges)| (!edges.is_empty()).then_some(at));
    for at in blocked::find_blocked(index, with_edges.clone()) {
        marks[at as usize] |= flag::BLOCKED;
    }
    for at in with_edges {
        if blocked::has_open_blocker(index, at) {
            marks[at as usize] |= flag::WAITS;
        }
    }
    marks
}

/// Returns the rows with their marks applied.
fn apply_marks<'a>(
    index: &'a Index,
    marks: &'a [u32],
) -> impl Iterator<Item = (u32, IndexRow)> + 'a {
    (0..).zip(index.rows()).zip(marks).map(|((at, row), mark)| {
        let flags = row.flags | mark;
        (at, IndexRow { flags, ..*row })
    })
}

/// Adds one bead to the counts, or subtracts it if `sign` is negative.
pub(crate) fn count_row(counts: &mut BeadCounts, row: &IndexRow, sign: i64) {
    let add = |number: &mut u64| *number = number.wrapping_add_signed(sign);
    let slot = usize::from(row.status).min(counts.by_status.len() - 1);
    add(&mut counts.by_status[slot]);
    let waits = row.flags & flag::WAITS != 0;
    if is_open(row.status) && waits {
        add(&mut counts.blocked);
    }
    if row.status == Status::Open.code() && !waits {
        add(&mut counts.ready);
    }
    if row.flags & flag::PINNED != 0 {
        add(&mut counts.pinned);
    }
    if row.closed != NEVER {
        add(&mut counts.closed_count);
        #[expect(clippy::cast_precision_loss, reason = "a mean for people")]
        let seconds = row.closed.saturating_sub(row.created) as f64 / 1e9;
        #[expect(clippy::cast_precision_loss, reason = "1 or -1")]
        let sign = sign as f64;
        counts.lead_seconds += seconds * sign;
    }
}

fn count_all(index: &Index, marks: &[u32]) -> BeadCounts {
    let mut counts = BeadCounts::default();
    for (at, row) in apply_marks(index, marks) {
        count_row(&mut counts, &row, 1);
        let is_epic = row.kind == Kind::Epic.code();
        counts.epics_done += u64::from(is_epic && index.is_done_epic(at));
    }
    counts
}

/// Builds the list of open beads in the usual order, and the lists of rows with a certain property.
fn build_lists(index: &Index, marks: &[u32]) -> IndexLists {
    let ids = index.ids();
    let edges = index.all_edges();
    let dots = memchr::memchr_iter(b'.', ids.items);
    let spawners = edges
        .items
        .iter()
        .enumerate()
        .filter(|(_, edge)| edge.spawner != NONE);
    let mut lists = IndexLists {
        open: Vec::new(),
        dotted: ids.rows_with(dots),
        spawning: edges.rows_with(spawners.map(|(at, _)| at)),
    };
    for (at, row) in apply_marks(index, marks) {
        if is_open(row.status) {
            lists.open.push(open_row(at, &row));
        }
    }
    lists
        .open
        .sort_unstable_by_key(|open| (open.priority, Reverse(open.created), open.row));
    lists
}

/// Converts a row to its form in lists.
pub(crate) fn open_row(at: u32, row: &IndexRow) -> StoredListRow {
    StoredListRow {
        created: row.created,
        row: at,
        flags: row.flags,
        status: row.status,
        kind: row.kind,
        priority: row.priority,
        assigned: (row.assignee != NONE).into(),
        spare: 0,
    }
}

impl BlockingGraph for Index {
    type Node = u32;

    fn status(&self, node: u32) -> u8 {
        self.status_of(node).unwrap_or(u8::MAX)
    }

    fn has_failed(&self, node: u32) -> bool {
        self.row(node)
            .is_some_and(|row| row.flags & flag::FAILED != 0)
    }

    fn blocking_edges(&self, node: u32) -> Vec<BlockingEdge<u32>> {
        self.edges(node)
            .iter()
            .map(|edge| {
                let target = (edge.target != NONE).then_some(edge.target);
                BlockingEdge {
                    kind: edge.kind,
                    target,
                    spawner: match edge.spawner {
                        NONE => target,
                        word => self.find(self.word(word)),
                    },
                    any_child: edge.any_child != 0,
                }
            })
            .collect()
    }

    fn holders(&self, node: u32, kind: &DepKind) -> Vec<u32> {
        let code = kind.code();
        self.incoming(node)
            .iter()
            .filter(|link| self.edge(link.edge).is_some_and(|edge| edge.kind == code))
            .map(|link| link.holder)
            .collect()
    }
}

impl Index {
    /// Returns true if a row is an open epic with children that are all closed.
    pub(crate) fn is_done_epic(&self, at: u32) -> bool {
        let Some(row) = self.row(at) else {
            return false;
        };
        if row.kind != Kind::Epic.code() || !is_open(row.status) {
            return false;
        }
        let deleted = Status::Tombstone.code();
        let mut statuses = BlockingGraph::holders(self, at, &DepKind::ParentChild)
            .into_iter()
            .map(|child| self.status(child))
            .filter(|status| *status != deleted)
            .peekable();
        statuses.peek().is_some() && !statuses.any(is_open)
    }
}
