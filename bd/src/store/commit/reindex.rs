//! A new index from a snapshot: rows of the old one and the beads that changed, each with the place that its
//! line has now.

use crate::store::BeadNode;
use crate::store::index::NonBeadLine;
use crate::store::index::{Index, IndexBuilder, IndexKeys, IndexRow, LinePlace};
use crate::store::log::event::BeadFile;
use crate::store::view::overlay::PendingBead;
use crate::store::view::snapshot::Snapshot;
use crate::store::view::source::home_of;

/// The place of a row.
pub(crate) fn line_place(row: &IndexRow) -> LinePlace {
    LinePlace {
        file: row.file,
        offset: row.offset,
        length: row.length,
        hash: row.hash,
    }
}

/// The index of a snapshot's beads at new places; `None` where a place is not known.
pub(crate) fn build_index(
    snapshot: &Snapshot,
    keys: &IndexKeys,
    notes: &[NonBeadLine],
    place_of: impl Fn(BeadFile, BeadNode) -> Option<LinePlace>,
) -> Option<Index> {
    let mut builder = IndexBuilder::over(Some(&snapshot.index));
    let rows = snapshot.index.rows();
    for head in snapshot.bead_refs() {
        let node = head.node();
        match node {
            BeadNode::Row(at) => {
                let row = rows.get(at as usize);
                let place = row.and_then(|row| place_of(home_of(row.file), node));
                builder.push_old(at, place?);
            }
            BeadNode::Pending(at) => {
                let own = snapshot.slots.get(at as usize);
                let facts = own.and_then(PendingBead::facts);
                let place = own.and_then(|own| place_of(own.home, node));
                builder.push_new(&facts?, place?);
            }
        }
    }
    builder.finish(keys, notes)
}
