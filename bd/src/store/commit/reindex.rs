//! Builds a new index from a snapshot: rows of the old index and changed beads, each with the new
//! location of its line.

use crate::store::BeadNode;
use crate::store::index::NonBeadLine;
use crate::store::index::{Index, IndexBuilder, IndexKeys, IndexRow, LineLocation};
use crate::store::log::event::BeadFile;
use crate::store::view::overlay::PendingBead;
use crate::store::view::snapshot::Snapshot;
use crate::store::view::source::home_of;

/// Returns the location of a row.
pub(crate) fn line_location(row: &IndexRow) -> LineLocation {
    LineLocation {
        file: row.file,
        offset: row.offset,
        length: row.length,
        hash: row.hash,
    }
}

/// Builds the index of a snapshot's beads at their new locations; `None` if a location is unknown.
pub(crate) fn build_index(
    snapshot: &Snapshot,
    keys: &IndexKeys,
    notes: &[NonBeadLine],
    location_of: impl Fn(BeadFile, BeadNode) -> Option<LineLocation>,
) -> Option<Index> {
    let mut builder = IndexBuilder::over(Some(&snapshot.index));
    let rows = snapshot.index.rows();
    for bead in snapshot.bead_refs() {
        let node = bead.node();
        match node {
            BeadNode::Row(at) => {
                let row = rows.get(at as usize);
                let location = row.and_then(|row| location_of(home_of(row.file), node));
                builder.push_old(at, location?);
            }
            BeadNode::Pending(at) => {
                let pending = snapshot.slots.get(at as usize);
                let facts = pending.and_then(PendingBead::facts);
                let location = pending.and_then(|own| location_of(own.home, node));
                builder.push_new(&facts?, location?);
            }
        }
    }
    builder.finish(keys, notes)
}
