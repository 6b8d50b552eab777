//! Selects beads by a mark: a kind, a status, a label. The first call on a snapshot makes one pass
//! over all beads, or over the open ones if only those are wanted, so that closed beads cost
//! nothing; later calls return the selected beads without looking at the others.

use crate::bead::Bead;
use crate::store::Snapshot;
use crate::store::view::bead_ref::{BeadNode, BeadRef};
use crate::store::view::marks::{BeadMark, MarkGroups};

fn build_groups<'a>(beads: impl Iterator<Item = BeadRef<'a>>) -> MarkGroups<BeadNode> {
    let mut groups = MarkGroups::new();
    for bead in beads {
        let kind = bead.kind_code();
        let status = bead.status_code();
        groups.add(bead.node(), kind, status, &bead.labels());
    }
    groups
}

impl Snapshot {
    /// Returns the beads with one of these marks, by id, without deleted ones.
    pub fn marked<'a>(
        &'a self,
        marks: &[BeadMark<'_>],
    ) -> impl Iterator<Item = BeadRef<'a>> + use<'a> {
        let nodes = self
            .groups
            .get_or_init(|| {
                build_groups(self.bead_refs().filter(|bead_ref| !bead_ref.is_tombstone()))
            })
            .with_marks(marks);
        nodes.into_iter().map(|node| self.bead_ref_at(node))
    }

    /// Returns the beads with one of these marks that `wanted` accepts.
    pub fn select_marked<'a, F: Fn(&BeadRef<'a>) -> bool + 'a>(
        &'a self,
        marks: &[BeadMark<'_>],
        wanted: F,
    ) -> impl Iterator<Item = &'a Bead> + use<'a, F> {
        self.marked(marks)
            .filter(move |bead_ref| wanted(bead_ref))
            .filter_map(|bead_ref| bead_ref.bead())
    }

    /// Returns the open beads with one of these marks, by id.
    pub fn select_open<'a>(
        &'a self,
        marks: &[BeadMark<'_>],
    ) -> impl Iterator<Item = &'a Bead> + use<'a> {
        self.marked_open(marks)
            .filter_map(|bead_ref| bead_ref.bead())
    }

    /// Returns references to the open beads with one of these marks, by id.
    pub fn marked_open<'a>(
        &'a self,
        marks: &[BeadMark<'_>],
    ) -> impl Iterator<Item = BeadRef<'a>> + use<'a> {
        let groups = self.open_groups.get_or_init(|| {
            let mut nodes: Vec<BeadNode> = self.open_rows().map(|row| row.node).collect();
            nodes.sort_unstable_by(|a, b| self.id_order(*a, *b));
            build_groups(nodes.into_iter().map(|node| self.bead_ref_at(node)))
        });
        groups
            .with_marks(marks)
            .into_iter()
            .map(|node| self.bead_ref_at(node))
    }
}
