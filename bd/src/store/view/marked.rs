//! Beads by what marks them: a kind, a status, a label. The first who asks a snapshot pays for one pass over all heads;
//! everybody after that gets at the few beads that they want without looking at the others.

use crate::bead::Bead;
use crate::store::Snapshot;
use crate::store::view::bead_ref::{BeadNode, BeadRef};
use crate::store::view::marks::{BeadMark, MarkGroups};

fn build_groups(snapshot: &Snapshot) -> MarkGroups<BeadNode> {
    let mut groups = MarkGroups::new();
    for head in snapshot.bead_refs().filter(|head| !head.is_tombstone()) {
        let (kind, status) = (head.kind_code(), head.status_code());
        groups.add(head.node(), kind, status, &head.labels());
    }
    groups
}

impl Snapshot {
    /// The beads that carry one of these marks, by id, deleted ones left out.
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

    /// Those of them whose heads are wanted.
    pub fn select_marked<'a, F: Fn(&BeadRef<'a>) -> bool + 'a>(
        &'a self,
        marks: &[BeadMark<'_>],
        wanted: F,
    ) -> impl Iterator<Item = &'a Bead> + use<'a, F> {
        let heads = self.marked(marks).filter(move |head| wanted(head));
        heads.filter_map(|head| head.bead())
    }
}
