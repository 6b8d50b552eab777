//! Finds the tasks that the merge queue and landings create: beads that any worker can take.

use bd::bead::Bead;
use bd::store::{BeadMark, Snapshot};

/// The label of a merge queue's task.
pub const MERGE_LABEL: &str = "gt:merge-task";
/// The label of a landing's task.
pub const LANDING_LABEL: &str = "gt:landing-task";

pub fn is_landing_task(bead: &Bead) -> bool {
    bead.has_label(LANDING_LABEL)
}

/// Returns the open tasks of the merge queue and of landings, oldest first.
pub fn open_tasks(beads: &Snapshot) -> Vec<&Bead> {
    let marks = [MERGE_LABEL, LANDING_LABEL].map(BeadMark::Label);
    let mut open: Vec<&Bead> = beads.select_open(&marks).collect();
    open.sort_by(|a, b| (a.created_at.instant(), &a.id).cmp(&(b.created_at.instant(), &b.id)));
    open
}
