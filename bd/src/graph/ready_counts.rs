//! Counts the ready and the blocked open beads, by the rules of `ready` and `blocked`, so that all
//! answers agree.

use jiff::Timestamp;

use super::explain;
use super::external::ExternalLookup;
use super::ready::{ReadyFilter, ReadyQuery};
use crate::query::BeadFilter;
use crate::query::filter::RowFilter;
use crate::store::{BeadRef, ListRow, Snapshot};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReadyCounts {
    pub ready: usize,
    /// Beads that are blocked, or whose status is blocked.
    pub blocked: usize,
}

/// Counts the ready and the blocked beads among the open beads that a filter selects.
pub fn count_ready_and_blocked(
    snapshot: &Snapshot,
    external: &mut ExternalLookup<'_>,
    now: Timestamp,
    counted: BeadFilter,
) -> ReadyCounts {
    let counted = RowFilter::new(snapshot, counted);
    let ready = ReadyFilter::new(snapshot, &ReadyQuery::default(), now);
    let mut counts = ReadyCounts::default();
    for row in snapshot.open_rows().filter(|row| counted.accepts(row)) {
        let bead_ref = snapshot.bead_ref_at(row.node);
        if row.can_be_blocked() {
            let is_blocked =
                explain::is_surely_blocked(&row) || has_external_blocker(&bead_ref, &row, external);
            counts.blocked += usize::from(is_blocked);
        }
        if ready.accepts(&row) {
            let is_ready = !has_external_blocker(&bead_ref, &row, external);
            counts.ready += usize::from(is_ready);
        }
    }
    counts
}

/// Returns true if a bead waits for a capability of another project.
pub fn has_external_blocker(
    bead_ref: &BeadRef<'_>,
    row: &ListRow,
    external: &mut ExternalLookup<'_>,
) -> bool {
    row.has_external_edge()
        && bead_ref
            .bead()
            .is_some_and(|bead| !external.unsatisfied(bead).is_empty())
}
