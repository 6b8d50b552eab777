//! Swarms: the children of an epic as work for several agents at once.

use jiff::tz::TimeZone;

use super::layers::{self, LayeredBeads};
use crate::bead::{Bead, DepKind, Kind, Status};
use crate::store::{BeadRef, Snapshot};

/// The kind of molecule that stands for a swarm.
pub const MOL_TYPE: &str = "swarm";

/// The analysis of an epic as work for a swarm.
#[derive(Debug)]
pub struct SwarmAnalysis<'a> {
    pub epic: &'a Bead,
    pub children: Vec<&'a Bead>,
    /// The open children, by the wave in which they can be done.
    pub waves: Vec<Vec<&'a Bead>>,
    /// Possible mistakes.
    pub warnings: Vec<String>,
    /// Problems that prevent a swarm from finishing the epic.
    pub errors: Vec<String>,
}

impl<'a> SwarmAnalysis<'a> {
    pub fn for_epic(snapshot: &'a Snapshot, epic: &'a Bead) -> Self {
        let children = list_children(snapshot, &epic.id);
        let open: Vec<&Bead> = children
            .iter()
            .copied()
            .filter(|child| child.is_open())
            .collect();
        let layered = LayeredBeads::from_beads(open);
        let mut waves: Vec<Vec<&Bead>> = Vec::new();
        let mut errors = Vec::new();
        for (bead, layer) in layered.beads.iter().zip(&layered.layer) {
            waves.resize(waves.len().max(layer + 1), Vec::new());
            waves[*layer].push(*bead);
            let needs = layered.needs_of(bead);
            let late = needs.iter().find(|id| {
                let other = layered.beads.iter().position(|other| other.id == **id);
                other.is_some_and(|at| layered.layer[at] >= *layer)
            });
            if let Some(other) = late {
                errors.push(format!(
                    "{} and {other} wait for each other in a circle",
                    bead.id
                ));
            }
        }
        let mut warnings = Vec::new();
        if children.is_empty() {
            warnings.push(format!("{} has no children", epic.id));
        }
        for bead in &layered.beads {
            warnings.extend(
                layers::find_needs(bead, |_| true)
                    .into_iter()
                    .filter(|id| !children.iter().any(|child| child.id == **id))
                    .filter(|id| snapshot.bead_ref(id).is_some_and(|target| target.is_open()))
                    .map(|id| format!("{} waits for {id}, which is not in the epic", bead.id)),
            );
        }
        Self {
            epic,
            children,
            waves,
            warnings,
            errors,
        }
    }

    /// The number of closed children.
    pub fn closed(&self) -> usize {
        self.children
            .iter()
            .filter(|child| !child.is_open())
            .count()
    }

    /// The maximum number of children that can be worked on at once.
    pub fn max_parallelism(&self) -> usize {
        self.waves.iter().map(Vec::len).max().unwrap_or(0)
    }

    pub fn wave_of(&self, id: &str) -> Option<usize> {
        self.waves
            .iter()
            .position(|wave| wave.iter().any(|bead| bead.id == id))
    }
}

fn list_children<'a>(snapshot: &'a Snapshot, epic: &str) -> Vec<&'a Bead> {
    let mut children = snapshot.children_of(epic);
    children.sort_by_key(|bead| &bead.id);
    children
}

/// The status of an epic's children, each list sorted by id.
#[derive(Debug, Default)]
pub struct SwarmStatus<'a> {
    pub completed: Vec<&'a Bead>,
    /// The children that are in progress or hooked.
    pub active: Vec<&'a Bead>,
    /// The unassigned children without blockers.
    pub ready: Vec<&'a Bead>,
    /// The children with open blockers among the other children, with the blockers.
    pub blocked: Vec<(&'a Bead, Vec<&'a str>)>,
}

impl<'a> SwarmStatus<'a> {
    pub fn for_epic(snapshot: &'a Snapshot, epic: &str) -> Self {
        let all = list_children(snapshot, epic);
        let mut found = Self::default();
        for bead in &all {
            let needs = layers::find_needs(bead, |id| {
                all.iter().any(|child| child.id == id && child.is_open())
            });
            match bead.status {
                _ if !bead.is_open() => found.completed.push(bead),
                Status::InProgress | Status::Hooked => found.active.push(bead),
                _ if needs.is_empty() => found.ready.push(bead),
                _ => found.blocked.push((bead, needs)),
            }
        }
        found
    }

    /// The number of children.
    pub fn total(&self) -> usize {
        self.completed.len() + self.active.len() + self.ready.len() + self.blocked.len()
    }

    /// The completed part, in percent.
    pub fn percent(&self) -> f64 {
        if self.total() == 0 {
            return 0.0;
        }
        let [completed, total] = [self.completed.len(), self.total()]
            .map(|count| f64::from(u32::try_from(count).unwrap_or(u32::MAX)));
        completed * 100.0 / total
    }
}

/// Formats the closing time of a bead, to the minute, in the reader's time zone.
pub fn closed_at(bead: &Bead, zone: &TimeZone) -> Option<String> {
    let at = bead.closed_at.as_ref()?.instant().to_zoned(zone.clone());
    Some(at.strftime("%Y-%m-%d %H:%M").to_string())
}

/// Returns true if a bead stands for a swarm.
pub fn is_swarm(bead: &Bead) -> bool {
    bead.issue_type == Kind::Molecule && bead.mol_type == MOL_TYPE
}

pub fn epic_of_swarm<'a>(snapshot: &'a Snapshot, swarm: &Bead) -> Option<&'a Bead> {
    swarm
        .edges(&DepKind::RelatesTo)
        .find_map(|edge| snapshot.get_live(&edge.depends_on_id))
}

/// Returns the open swarm of an epic.
pub fn swarm_of_epic<'a>(snapshot: &'a Snapshot, epic: &str) -> Option<&'a Bead> {
    snapshot
        .dependents_of(epic)
        .into_iter()
        .filter(|(bead, edge)| edge.kind == DepKind::RelatesTo && is_swarm(bead))
        .map(|(bead, _)| bead)
        .find(|bead| bead.is_open())
}

/// Returns all swarms, sorted by id.
pub fn list_swarms(snapshot: &Snapshot) -> Vec<&Bead> {
    let molecules = snapshot.select(|bead: &BeadRef<'_>| bead.kind() == Kind::Molecule);
    molecules.filter(|bead| is_swarm(bead)).collect()
}
