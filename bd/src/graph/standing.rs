//! How many open beads are ready and how many are blocked: by the rules of `ready` and `blocked`, so that all answers agree.

use jiff::Timestamp;

use super::explain;
use super::external::Capabilities;
use super::ready::{self, ReadyQuery};
use crate::store::{BeadRef, ListRow, Snapshot};

/// The counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Standing {
    /// Beads to start now.
    pub ready: usize,
    /// Beads that wait for something, or whose status says so.
    pub blocked: usize,
}

/// Counts the beads that are wanted.
pub fn count(
    snapshot: &Snapshot,
    outside: &mut Capabilities<'_>,
    now: Timestamp,
    is_wanted: impl Fn(&BeadRef<'_>) -> bool,
) -> Standing {
    let mut is_free = |row: &ListRow| {
        let head = snapshot.bead_ref_at(row.node);
        is_wanted(&head) && !waits_outside(&head, row, outside)
    };
    let (rows, _) = ready::ready_rows(snapshot, &ReadyQuery::default(), now);
    let ready = rows.iter().filter(|row| is_free(row)).count();
    let rows = snapshot.blocked_rows();
    let blocked = rows.iter().filter(|row| {
        let head = snapshot.bead_ref_at(row.node);
        is_wanted(&head) && (explain::is_surely_blocked(row) || waits_outside(&head, row, outside))
    });
    Standing {
        ready,
        blocked: blocked.count(),
    }
}

/// Whether a bead waits for something of another project.
pub fn waits_outside(head: &BeadRef<'_>, row: &ListRow, outside: &mut Capabilities<'_>) -> bool {
    row.has_external()
        && head
            .bead()
            .is_some_and(|bead| !outside.missing(bead).is_empty())
}
