//! Counts the ready and the blocked open beads, by the rules of `ready` and `blocked`, so that all
//! answers agree.

use jiff::Timestamp;

use super::explain;
use super::external::ExternalLookup;
use super::ready::{ReadyFilter, ReadyQuery};
use crate::store::{BeadRef, ListRow, Snapshot};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReadyCounts {
    pub ready: usize,
    /// Beads that are blocked, or whose status is blocked.
    pub blocked: usize,
}

/// The beads that are counted.
#[derive(Debug, Clone, Copy, Default)]
pub struct CountedBeads<'a> {
    /// Only beads of this assignee.
    pub assignee: Option<&'a str>,
    pub without_internal: bool,
}

/// Counts the ready and the blocked beads.
pub fn count_ready_and_blocked(
    snapshot: &Snapshot,
    external: &mut ExternalLookup<'_>,
    now: Timestamp,
    counted: CountedBeads<'_>,
) -> ReadyCounts {
    let query = ReadyQuery::default();
    let filter = ReadyFilter::new(snapshot, &query, now);
    let mut counts = ReadyCounts::default();
    for row in snapshot.open_rows() {
        let bead_ref = || snapshot.bead_ref_at(row.node);
        let is_left_out = counted.without_internal && row.is_internal();
        if is_left_out
            || counted
                .assignee
                .is_some_and(|name| bead_ref().assignee() != name)
        {
            continue;
        }
        if row.can_be_blocked() {
            let is_blocked = explain::is_surely_blocked(&row)
                || has_external_blocker(&bead_ref(), &row, external);
            counts.blocked += usize::from(is_blocked);
        }
        if filter.accepts(&row) {
            let is_ready = !has_external_blocker(&bead_ref(), &row, external);
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
