//! Selects beads by a mark: a kind, a status, a label. The first call on a snapshot makes one pass
//! over all beads; later calls return the selected beads without looking at the others.

use crate::bead::Bead;
use crate::store::Snapshot;
use crate::store::view::bead_ref::{BeadNode, BeadRef};
use crate::store::view::marks::{BeadMark, MarkGroups};

fn build_groups(snapshot: &Snapshot) -> MarkGroups<BeadNode> {
    let mut groups = MarkGroups::new();
    for bead in snapshot.bead_refs().filter(|head| !head.is_tombstone()) {
        let (kind, status) = (bead.kind_code(), bead.status_code());
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
            .get_or_init(|| build_groups(self))
            .with_marks(marks);
        nodes.into_iter().map(|node| self.bead_ref_at(node))
    }

    /// Returns the beads with one of these marks that `wanted` accepts.
    pub fn select_marked<'a, F: Fn(&BeadRef<'a>) -> bool + 'a>(
        &'a self,
        marks: &[BeadMark<'_>],
        wanted: F,
    ) -> impl Iterator<Item = &'a Bead> + use<'a, F> {
        let heads = self.marked(marks).filter(move |bead_ref| wanted(bead_ref));
        heads.filter_map(|bead_ref| bead_ref.bead())
    }
}
