//! Beads by what marks them: a kind, a status, a label. The first who asks a snapshot pays for one pass over all heads;
//! everybody after that gets at the few beads that they want without looking at the others.

use std::collections::HashMap;

use crate::bead::{Bead, Kind, Status};
use crate::store::view::bead_ref::{BeadRef, Node};
use crate::store::view::snapshot::Snapshot;

/// What marks a bead.
#[derive(Debug, Clone, Copy)]
pub enum Mark<'a> {
    /// It is of this kind, one of the built-in ones.
    Kind(&'a Kind),
    /// It has this status, one of the built-in ones.
    Status(&'a Status),
    /// It carries this label.
    Label(&'a str),
}

/// A bead, with its place among all.
type Place = (u32, Node);

/// All beads that were not deleted, by their marks.
#[derive(Debug, Default)]
pub(super) struct Groups {
    kinds: HashMap<u8, Vec<Place>>,
    statuses: HashMap<u8, Vec<Place>>,
    labels: HashMap<Box<str>, Vec<Place>>,
}

impl Groups {
    fn of(snapshot: &Snapshot) -> Self {
        let mut groups = Self::default();
        let live = snapshot.bead_refs().filter(|head| !head.is_tombstone());
        for (at, head) in (0_u32..).zip(live) {
            let place = (at, head.node());
            let status = groups.statuses.entry(head.status_code());
            status.or_default().push(place);
            groups
                .kinds
                .entry(head.kind_code())
                .or_default()
                .push(place);
            for label in head.labels() {
                match groups.labels.get_mut(label) {
                    Some(own) => own.push(place),
                    None => drop(groups.labels.insert(label.into(), vec![place])),
                }
            }
        }
        groups
    }

    fn get(&self, mark: &Mark<'_>) -> &[Place] {
        let group = match mark {
            Mark::Kind(kind) => self.kinds.get(&kind.code()),
            Mark::Status(status) => self.statuses.get(&status.code()),
            Mark::Label(label) => self.labels.get(*label),
        };
        group.map_or(&[], Vec::as_slice)
    }
}

impl Snapshot {
    /// The beads that carry one of these marks, by id, deleted ones left out.
    pub fn marked<'a>(&'a self, marks: &[Mark<'_>]) -> impl Iterator<Item = BeadRef<'a>> + use<'a> {
        let groups = self.groups.get_or_init(|| Groups::of(self));
        let all = marks.iter().flat_map(|mark| groups.get(mark));
        let mut places: Vec<Place> = all.copied().collect();
        places.sort_unstable_by_key(|(at, _)| *at);
        places.dedup_by_key(|(at, _)| *at);
        let nodes = places.into_iter().map(|(_, node)| node);
        nodes.map(|node| self.bead_ref_at(node))
    }

    /// Those of them whose heads are wanted.
    pub fn select_marked<'a, F: Fn(&BeadRef<'a>) -> bool + 'a>(
        &'a self,
        marks: &[Mark<'_>],
        wanted: F,
    ) -> impl Iterator<Item = &'a Bead> + use<'a, F> {
        let heads = self.marked(marks).filter(move |head| wanted(head));
        heads.filter_map(|head| head.bead())
    }
}
