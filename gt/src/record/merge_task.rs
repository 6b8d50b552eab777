//! The tasks that merging and landing make: beads that any worker can take.

use bd::bead::Bead;
use bd::store::{BeadMark, BeadRef, Snapshot};

/// What marks a task that the merge queue made.
pub const MERGE_LABEL: &str = "gt:merge-task";
/// What marks a task that a landing made.
pub const LANDING_LABEL: &str = "gt:landing-task";

/// Whether a bead is a task of a landing.
pub fn is_landing_task(bead: &Bead) -> bool {
    bead.has_label(LANDING_LABEL)
}

/// The open tasks that merging or landing made, oldest first.
pub fn open_tasks(beads: &Snapshot) -> Vec<&Bead> {
    let marks = [MERGE_LABEL, LANDING_LABEL].map(BeadMark::Label);
    let mut open: Vec<&Bead> = beads.select_marked(&marks, BeadRef::is_open).collect();
    open.sort_by(|a, b| (a.created_at.instant(), &a.id).cmp(&(b.created_at.instant(), &b.id)));
    open
}
