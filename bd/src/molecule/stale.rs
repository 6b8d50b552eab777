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
        let head = snapshot.bead_ref_at(row.node);
        if head.kind() != Kind::Epic || head.is_template() || head.has_label("template") {
            continue;
        }
        if !head.is_done_epic() {
            continue;
        }
        let blocks = crate::bead::DepKind::Blocks.code();
        let waiting = snapshot.dependents(head.id()).into_iter();
        let waiting = waiting.filter(|(holder, kind)| *kind == blocks && is_waiting(holder));
        found.push(FinishedMolecule {
            steps: head.children().len(),
            blocking: waiting.map(|(holder, _)| holder.id().to_owned()).collect(),
            root: head,
        });
    }
    found.sort_by(|a, b| a.root.id().cmp(b.root.id()));
    found
}

fn is_waiting(head: &BeadRef<'_>) -> bool {
    head.is_open() && head.status() != Status::Pinned
}
