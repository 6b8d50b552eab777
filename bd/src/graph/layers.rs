//! Arranges connected beads in layers: a bead is one layer below the last bead that it waits for.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

use crate::bead::{Bead, DepKind};
use crate::store::{BeadRef, Snapshot};

/// Connected beads in layers.
#[derive(Debug)]
pub struct LayeredBeads<'a> {
    /// The beads, layer by layer, and by urgency within a layer.
    pub beads: Vec<&'a Bead>,
    /// The layer of each bead.
    pub layer: Vec<usize>,
    ids: HashSet<&'a str>,
}

/// Returns true if an edge of this kind makes one bead wait for another.
pub fn is_waiting_edge(kind: &DepKind) -> bool {
    matches!(
        kind,
        DepKind::Blocks | DepKind::WaitsFor | DepKind::ConditionalBlocks
    )
}

/// Returns the ids in `known` that a bead waits for.
pub fn find_needs(bead: &Bead, known: impl Fn(&str) -> bool) -> Vec<&str> {
    bead.dependencies
        .iter()
        .filter(|edge| is_waiting_edge(&edge.kind) && known(&edge.depends_on_id))
        .map(|edge| edge.depends_on_id.as_str())
        .collect()
}

/// Collects all beads that are connected with a bead by waiting edges or by parents and children,
/// in both directions.
pub fn collect_component<'a>(snapshot: &'a Snapshot, id: &str) -> LayeredBeads<'a> {
    let ids = collect_reachable(snapshot, id, |_| true);
    LayeredBeads::from_beads(
        ids.into_iter()
            .filter_map(|id| snapshot.get_live(id))
            .collect(),
    )
}

/// Returns the connected components of the open beads, largest first.
pub fn list_open_components(snapshot: &Snapshot) -> Vec<LayeredBeads<'_>> {
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut parts = Vec::new();
    for bead in snapshot.bead_refs().filter(is_work) {
        if seen.contains(bead.id()) {
            continue;
        }
        let ids = collect_reachable(snapshot, bead.id(), is_work);
        seen.extend(&ids);
        parts.push(LayeredBeads::from_beads(
            ids.into_iter()
                .filter_map(|id| snapshot.get_live(id))
                .collect(),
        ));
    }
    parts.sort_by_key(|part: &LayeredBeads<'_>| std::cmp::Reverse(part.beads.len()));
    parts
}

fn is_work(bead: &BeadRef<'_>) -> bool {
    bead.is_open()
        && !bead.is_template()
        && !bead.is_internal()
        && super::ready::is_work_kind(&bead.kind())
}

fn is_connecting(code: u8) -> bool {
    DepKind::from_code(code)
        .is_some_and(|kind| is_waiting_edge(&kind) || kind == DepKind::ParentChild)
}

/// Collects the ids that are reachable from a bead along edges in both directions, through wanted
/// beads only.
fn collect_reachable<'a>(
    snapshot: &'a Snapshot,
    from: &str,
    is_wanted: impl Fn(&BeadRef<'a>) -> bool,
) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    let mut queue: VecDeque<BeadRef<'a>> = snapshot.bead_ref(from).into_iter().collect();
    while let Some(bead) = queue.pop_front() {
        if bead.is_tombstone() || !is_wanted(&bead) || !found.insert(bead.id()) {
            continue;
        }
        for (kind, id) in bead.edges() {
            if is_connecting(kind) {
                queue.extend(snapshot.bead_ref(id));
            }
        }
        for (holder, kind) in snapshot.dependents(bead.id()) {
            if is_connecting(kind) {
                queue.push_back(holder);
            }
        }
    }
    found
}

impl<'a> LayeredBeads<'a> {
    /// Arranges beads in layers. Beads of a cycle, and the beads that wait for them, come last.
    pub fn from_beads(mut beads: Vec<&'a Bead>) -> Self {
        beads.sort_by_key(|bead| (bead.priority, bead.id.as_str()));
        let place: HashMap<&str, usize> = beads
            .iter()
            .enumerate()
            .map(|(at, bead)| (bead.id.as_str(), at))
            .collect();
        let mut waits = vec![0; beads.len()];
        let mut holders: Vec<Vec<usize>> = vec![Vec::new(); beads.len()];
        for (at, bead) in beads.iter().enumerate() {
            for need in find_needs(bead, |_| true) {
                if let Some(need) = place.get(need) {
                    waits[at] += 1;
                    holders[*need].push(at);
                }
            }
        }
        let mut layer: Vec<Option<usize>> = vec![None; beads.len()];
        let mut next: Vec<usize> = (0..beads.len()).filter(|at| waits[*at] == 0).collect();
        let mut depth = 0;
        while !next.is_empty() {
            let mut freed = Vec::new();
            for at in next {
                layer[at] = Some(depth);
                for holder in &holders[at] {
                    waits[*holder] -= 1;
                    if waits[*holder] == 0 {
                        freed.push(*holder);
                    }
                }
            }
            next = freed;
            depth += 1;
        }
        let mut placed: Vec<(usize, &Bead)> = layer
            .iter()
            .map(|layer| layer.unwrap_or(depth))
            .zip(beads)
            .collect();
        placed.sort_by_key(|(layer, _)| *layer);
        let (layer, beads) = placed.into_iter().unzip();
        let beads: Vec<&Bead> = beads;
        let ids = beads.iter().map(|bead| bead.id.as_str()).collect();
        Self { beads, layer, ids }
    }

    pub fn layers(&self) -> Vec<Vec<&'a str>> {
        let count = self.layer.last().map_or(0, |last| last + 1);
        let mut layers = vec![Vec::new(); count];
        for (bead, layer) in self.beads.iter().zip(&self.layer) {
            layers[*layer].push(bead.id.as_str());
        }
        layers
    }

    /// Returns the ids in this component that a bead waits for.
    pub fn needs_of(&self, bead: &'a Bead) -> Vec<&'a str> {
        find_needs(bead, |id| self.ids.contains(id))
    }

    /// Returns the root: a bead without a parent that has children, or the first bead.
    pub fn root(&self) -> Option<&'a Bead> {
        let parents: HashSet<&str> = self.beads.iter().filter_map(|bead| bead.parent()).collect();
        let tops: Vec<&'a Bead> = self
            .beads
            .iter()
            .filter(|bead| bead.parent().is_none_or(|id| !self.ids.contains(id)))
            .copied()
            .collect();
        tops.iter()
            .find(|bead| parents.contains(bead.id.as_str()))
            .or(tops.first())
            .copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bead::Dep;

    fn bead(id: &str, needs: &[&str]) -> Bead {
        let edge = |target: &&str| Dep {
            issue_id: id.into(),
            depends_on_id: (*target).into(),
            ..Dep::default()
        };
        Bead {
            id: id.into(),
            dependencies: needs.iter().map(edge).collect(),
            ..Bead::default()
        }
    }

    #[test]
    fn a_bead_is_one_layer_below_its_last_blocker() {
        let beads = [
            bead("d", &["b", "a"]),
            bead("b", &["a"]),
            bead("a", &["elsewhere"]),
            bead("c", &["a"]),
        ];
        let layered = LayeredBeads::from_beads(beads.iter().collect());
        let wanted = [vec!["a"], vec!["b", "c"], vec!["d"]];
        assert_eq!(layered.layers(), wanted);
    }

    #[test]
    fn beads_of_a_circle_come_last() {
        let beads = [bead("a", &["b"]), bead("b", &["a"]), bead("c", &[])];
        let layered = LayeredBeads::from_beads(beads.iter().collect());
        assert_eq!(layered.layers(), [vec!["c"], vec!["a", "b"]]);
    }
}
