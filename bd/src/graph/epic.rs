//! The progress of epics: their children, and the number of closed ones.

use crate::bead::{Bead, Kind};
use crate::store::Snapshot;

/// An open epic and its progress.
#[derive(Debug, Clone)]
pub struct EpicProgress {
    pub epic: Bead,
    pub children: usize,
    /// The number of children.
    pub closed: usize,
}

impl EpicProgress {
    /// Returns true if there are children and all of them are closed.
    pub fn is_done(&self) -> bool {
        self.children > 0 && self.closed == self.children
    }
}

/// Returns the open epics, most urgent first.
pub fn open_epics(snapshot: &Snapshot) -> Vec<EpicProgress> {
    let refs = snapshot.bead_refs();
    let mut found: Vec<EpicProgress> = refs
        .filter(|epic| epic.kind() == Kind::Epic && epic.is_open())
        .filter_map(|epic| {
            let children = snapshot.child_refs(epic.id());
            Some(EpicProgress {
                epic: epic.bead()?.clone(),
                children: children.len(),
                closed: children.iter().filter(|child| !child.is_open()).count(),
            })
        })
        .collect();
    found.sort_by(|a, b| (a.epic.priority, &a.epic.id).cmp(&(b.epic.priority, &b.epic.id)));
    found
}
