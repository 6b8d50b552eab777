//! Builds a new index from a snapshot: rows of the old index and changed beads, each with the new
//! place of its line.

use crate::store::BeadNode;
use crate::store::index::NonBeadLine;
use crate::store::index::{Index, IndexBuilder, IndexKeys, IndexRow, LinePlace};
use crate::store::log::event::BeadFile;
use crate::store::view::overlay::PendingBead;
use crate::store::view::snapshot::Snapshot;
use crate::store::view::source::home_of;

/// Returns the place of a row.
pub(crate) fn line_place(row: &IndexRow) -> LinePlace {
    LinePlace {
        file: row.file,
        offset: row.offset,
        length: row.length,
        hash: row.hash,
    }
}

/// Builds the index of a snapshot's beads at their new places; `None` if a place is unknown.
pub(crate) fn build_index(
    snapshot: &Snapshot,
    keys: &IndexKeys,
    notes: &[NonBeadLine],
    place_of: impl Fn(BeadFile, BeadNode) -> Option<LinePlace>,
) -> Option<Index> {
    let mut builder = IndexBuilder::over(Some(&snapshot.index));
    let rows = snapshot.index.rows();
    for bead in snapshot.bead_refs() {
        let node = bead.node();
        match node {
            BeadNode::Row(at) => {
                let row = rows.get(at as usize);
                let place = row.and_then(|row| place_of(home_of(row.file), node));
                builder.push_old(at, place?);
            }
            BeadNode::Pending(at) => {
                let pending = snapshot.slots.get(at as usize);
                let facts = pending.and_then(PendingBead::facts);
                let place = pending.and_then(|own| place_of(own.home, node));
                builder.push_new(&facts?, place?);
            }
        }
    }
    builder.finish(keys, notes)
}
