//! How many open beads are ready and how many are blocked: by the rules of `ready` and `blocked`, so that all answers agree.

use jiff::Timestamp;

use super::explain;
use super::external::Capabilities;
use super::ready::{ReadyFilter, ReadyQuery};
use crate::store::{BeadRef, ListRow, Snapshot};

/// The counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Standing {
    /// Beads to start now.
    pub ready: usize,
    /// Beads that wait for something, or whose status says so.
    pub blocked: usize,
}

/// Counts the beads; only those of an assignee if one is given.
pub fn count(
    snapshot: &Snapshot,
    outside: &mut Capabilities<'_>,
    now: Timestamp,
    assignee: Option<&str>,
) -> Standing {
    let query = ReadyQuery::default();
    let filter = ReadyFilter::new(snapshot, &query, now);
    let mut standing = Standing::default();
    for row in snapshot.open_rows() {
        let head = || snapshot.bead_ref_at(row.node);
        let is_other = |name: &str| head().assignee() != name;
        if assignee.is_some_and(is_other) {
            continue;
        }
        if row.can_be_blocked() {
            let is_blocked =
                explain::is_surely_blocked(&row) || waits_outside(&head(), &row, outside);
            standing.blocked += usize::from(is_blocked);
        }
        if filter.accepts(&row) {
            let is_ready = !waits_outside(&head(), &row, outside);
            standing.ready += usize::from(is_ready);
        }
    }
    standing
}

/// Whether a bead waits for something of another project.
pub fn waits_outside(head: &BeadRef<'_>, row: &ListRow, outside: &mut Capabilities<'_>) -> bool {
    row.has_external_edge()
        && head
            .bead()
            .is_some_and(|bead| !outside.missing(bead).is_empty())
}
