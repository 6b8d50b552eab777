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

/// The metadata key of a task's repair.
pub const REPAIR_KEY: &str = "repair";

/// Returns the number of the repair that a task is at, from 1.
pub fn repair_number(task: &Bead) -> u64 {
    let repair = task.metadata_object().remove(REPAIR_KEY);
    let number = repair.and_then(|repair| repair.get("number")?.as_u64());
    number.unwrap_or(1)
}

/// Returns the open tasks of the merge queue and of landings, oldest first.
pub fn open_tasks(beads: &Snapshot) -> Vec<&Bead> {
    let marks = [MERGE_LABEL, LANDING_LABEL].map(BeadMark::Label);
    let mut open: Vec<&Bead> = beads.select_open(&marks).collect();
    open.sort_by(|a, b| (a.created_at.instant(), &a.id).cmp(&(b.created_at.instant(), &b.id)));
    open
}
