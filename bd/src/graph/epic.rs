//! How far epics are: their children, and how many of them are closed.

use crate::bead::{Bead, Kind};
use crate::store::Snapshot;

/// An open epic and its children.
#[derive(Debug, Clone)]
pub struct EpicProgress {
    /// The epic.
    pub epic: Bead,
    /// How many children it has.
    pub children: usize,
    /// How many of them are closed.
    pub closed: usize,
}

impl EpicProgress {
    /// Whether it has children and all of them are closed.
    pub fn is_done(&self) -> bool {
        self.children > 0 && self.closed == self.children
    }
}

/// The open epics, most urgent first.
pub fn open_epics(snapshot: &Snapshot) -> Vec<EpicProgress> {
    let refs = snapshot.bead_refs();
    let open = refs.filter(|epic| epic.kind() == Kind::Epic && epic.is_open());
    let mut found: Vec<EpicProgress> = open
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
