//! Finds open molecules whose steps are all closed.

use crate::bead::{Kind, Status};
use crate::store::{BeadRef, Snapshot};

/// An open molecule whose steps are all closed.
#[derive(Debug, Clone)]
pub struct FinishedMolecule<'a> {
    pub root: BeadRef<'a>,
    /// The number of steps.
    pub steps: usize,
    /// The open beads that wait for the molecule.
    pub blocking: Vec<String>,
}

/// Returns the open epics whose children are all closed.
pub fn find_finished_molecules(snapshot: &Snapshot) -> Vec<FinishedMolecule<'_>> {
    let mut found = Vec::new();
    for row in snapshot.open_rows() {
        let epic = snapshot.bead_ref_at(row.node);
        if epic.kind() != Kind::Epic || epic.is_template() || epic.has_label("template") {
            continue;
        }
        if !epic.is_done_epic() {
            continue;
        }
        let blocks = crate::bead::DepKind::Blocks.code();
        found.push(FinishedMolecule {
            steps: epic.children().len(),
            blocking: snapshot
                .dependents(epic.id())
                .into_iter()
                .filter(|(holder, kind)| *kind == blocks && is_waiting(holder))
                .map(|(holder, _)| holder.id().to_owned())
                .collect(),
            root: epic,
        });
    }
    found.sort_by(|a, b| a.root.id().cmp(b.root.id()));
    found
}

fn is_waiting(bead: &BeadRef<'_>) -> bool {
    bead.is_open() && bead.status() != Status::Pinned
}
