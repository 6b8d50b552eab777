//! The marks of beads, and an index of beads by mark.

use std::collections::HashMap;

use crate::bead::{Kind, Status};

/// A property that beads can be selected by.
#[derive(Debug, Clone, Copy)]
pub enum BeadMark<'a> {
    /// The bead has this built-in kind.
    Kind(&'a Kind),
    /// The bead has this built-in status.
    Status(&'a Status),
    Label(&'a str),
}

/// Beads by mark, each with its number in the order of addition.
#[derive(Debug)]
pub(super) struct MarkGroups<N> {
    kinds: HashMap<u8, Vec<(u32, N)>>,
    statuses: HashMap<u8, Vec<(u32, N)>>,
    labels: HashMap<Box<str>, Vec<(u32, N)>>,
    added: u32,
}

impl<N: Copy> MarkGroups<N> {
    pub(super) fn new() -> Self {
        Self {
            kinds: HashMap::new(),
            statuses: HashMap::new(),
            labels: HashMap::new(),
            added: 0,
        }
    }

    /// Adds a bead, with the codes of its kind and status.
    pub(super) fn add(&mut self, node: N, kind: u8, status: u8, labels: &[&str]) {
        let place = (self.added, node);
        self.added += 1;
        self.kinds.entry(kind).or_default().push(place);
        self.statuses.entry(status).or_default().push(place);
        for label in labels {
            match self.labels.get_mut(*label) {
                Some(places) => places.push(place),
                None => drop(self.labels.insert((*label).into(), vec![place])),
            }
        }
    }

    /// Returns the beads with one of these marks, without duplicates, in the order of addition.
    pub(super) fn with_marks(&self, marks: &[BeadMark<'_>]) -> Vec<N> {
        let mut places: Vec<(u32, N)> = marks
            .iter()
            .filter_map(|mark| match mark {
                BeadMark::Kind(kind) => self.kinds.get(&kind.code()),
                BeadMark::Status(status) => self.statuses.get(&status.code()),
                BeadMark::Label(label) => self.labels.get(*label),
            })
            .flatten()
            .copied()
            .collect();
        places.sort_unstable_by_key(|(at, _)| *at);
        places.dedup_by_key(|(at, _)| *at);
        places.into_iter().map(|(_, node)| node).collect()
    }
}
