//! Adds and removes edges. A bead has at most one edge to another bead, and no edge closes a cycle.
//! Changes of edges leave `updated_at` unchanged.

use std::collections::{HashMap, HashSet, VecDeque};

use super::{ChangeError, load_live_bead};
use crate::bead::{Bead, Dep, DepKind, Kind, id};
use crate::store::{Snapshot, Tx};

/// Adds an edge: `from` depends on `to`. Adding an existing edge succeeds. Returns true if the edge
/// is new.
pub fn add_dep(tx: &mut Tx<'_>, from: &str, to: &str, kind: DepKind) -> Result<bool, ChangeError> {
    add_dep_with_metadata(tx, from, to, kind, "")
}

pub fn add_dep_with_metadata(
    tx: &mut Tx<'_>,
    from: &str,
    to: &str,
    kind: DepKind,
    metadata: &str,
) -> Result<bool, ChangeError> {
    let mut bead = load_live_bead(tx, from)?;
    let is_about = matches!(kind, DepKind::ParentChild | DepKind::RelatesTo);
    if !is_about && is_below(tx, &bead, to) {
        return Err(ChangeError::Deadlock {
            child: bead.id,
            ancestor: to.to_owned(),
        });
    }
    if let Some(edge) = bead
        .dependencies
        .iter()
        .find(|edge| edge.depends_on_id == to)
    {
        if edge.kind == kind {
            return Ok(false);
        }
        return Err(ChangeError::OtherEdge {
            from: from.to_owned(),
            to: to.to_owned(),
            kind: edge.kind.to_string(),
        });
    }
    check_new_edge(tx, &bead, to, &kind)?;
    if kind == DepKind::DiscoveredFrom {
        inherit_repository(tx, &mut bead, to);
    }
    bead.dependencies.push(Dep {
        issue_id: from.to_owned(),
        depends_on_id: to.to_owned(),
        kind,
        created_at: tx.now(),
        created_by: tx.actor().to_owned(),
        metadata: metadata.to_owned(),
        ..Dep::default()
    });
    tx.put(bead)?;
    Ok(true)
}

fn check_new_edge(tx: &Tx<'_>, bead: &Bead, to: &str, kind: &DepKind) -> Result<(), ChangeError> {
    if bead.id == to {
        return Err(ChangeError::SelfDependency);
    }
    if to.starts_with("external:") {
        return Ok(());
    }
    let Some(target) = tx.get_live(to) else {
        return Err(ChangeError::NoTarget(to.to_owned()));
    };
    if target.ephemeral && !bead.ephemeral {
        return Err(ChangeError::EdgeToWisp {
            from: bead.id.clone(),
            to: to.to_owned(),
        });
    }
    if *kind == DepKind::ParentChild
        && bead.issue_type == Kind::Epic
        && target.issue_type != Kind::Epic
    {
        return Err(ChangeError::ParentDependsOnChild {
            parent: bead.id.clone(),
            child: to.to_owned(),
        });
    }
    if *kind == DepKind::RelatesTo {
        return Ok(());
    }
    match find_path(tx, to, &bead.id) {
        Some(mut path) => {
            path.insert(0, bead.id.clone());
            Err(ChangeError::Cycle { path })
        }
        None => Ok(()),
    }
}

/// Copies the repository of the bead that `bead` was discovered from.
fn inherit_repository(tx: &Tx<'_>, bead: &mut Bead, to: &str) {
    const SOURCE_REPO: &str = "source_repo";
    if bead.extra.iter().any(|(key, _)| key == SOURCE_REPO) {
        return;
    }
    if let Some(source) = tx.get_live(to)
        && let Some(repository) = source.extra.iter().find(|(key, _)| key == SOURCE_REPO)
    {
        bead.extra.push(repository.clone());
    }
}

/// Returns true if a bead is a descendant of another, by id or by parent edges.
fn is_below(tx: &Tx<'_>, bead: &Bead, ancestor: &str) -> bool {
    let parents = std::iter::successors(bead.parent(), |id| tx.get_live(id)?.parent());
    // The edges of a damaged file may form a cycle.
    is_ancestor_id(&bead.id, ancestor) || parents.take(64).any(|parent| parent == ancestor)
}

/// Returns true if `ancestor` is the parent, grandparent and so on of `id`, by their dotted ids.
pub fn is_ancestor_id(id: &str, ancestor: &str) -> bool {
    std::iter::successors(id::split_child(id), |(parent, _)| id::split_child(parent))
        .any(|(parent, _)| parent == ancestor)
}

/// Returns the shortest path along edges from one bead to another, both ends included.
fn find_path(snapshot: &Snapshot, from: &str, to: &str) -> Option<Vec<String>> {
    let mut came_from: HashMap<&str, &str> = HashMap::new();
    let start = snapshot.get(from)?;
    let mut queue = VecDeque::from([start]);
    while let Some(bead) = queue.pop_front() {
        if bead.id == to {
            let back =
                std::iter::successors(Some(bead.id.as_str()), |id| came_from.get(id).copied());
            let mut way: Vec<String> = back.map(str::to_owned).collect();
            way.reverse();
            return Some(way);
        }
        for edge in &bead.dependencies {
            let next = edge.depends_on_id.as_str();
            if next != from
                && !came_from.contains_key(next)
                && let Some(next) = snapshot.get_live(next)
            {
                came_from.insert(&next.id, &bead.id);
                queue.push_back(next);
            }
        }
    }
    None
}

/// Returns a cycle along edges other than relates-to, if there is one. The cycle starts at its
/// smallest id.
pub fn find_cycle(snapshot: &Snapshot) -> Option<Vec<String>> {
    let mut done: HashSet<&str> = HashSet::new();
    for bead in snapshot.bead_refs().filter(|head| !head.is_tombstone()) {
        let mut way: Vec<&str> = Vec::new();
        let mut stack = vec![(bead, 0)];
        while let Some((here, depth)) = stack.pop() {
            // The path ends at the start of this branch. The beads cut off are fully explored.
            while way.len() > depth {
                done.extend(way.pop());
            }
            if let Some(at) = way.iter().position(|other| *other == here.id()) {
                return Some(rotate_to_smallest(
                    way[at..].iter().map(|id| (*id).to_owned()).collect(),
                ));
            }
            if done.contains(here.id()) {
                continue;
            }
            way.push(here.id());
            for (kind, target) in here.edges() {
                if kind != DepKind::RelatesTo.code()
                    && let Some(next) = snapshot.bead_ref(target)
                    && !next.is_tombstone()
                {
                    stack.push((next, depth + 1));
                }
            }
        }
        done.extend(way);
    }
    None
}

fn rotate_to_smallest(mut circle: Vec<String>) -> Vec<String> {
    let smallest = circle.iter().enumerate().min_by_key(|(_, id)| id.as_str());
    let at = smallest.map_or(0, |(at, _)| at);
    circle.rotate_left(at);
    circle
}

/// Removes the edge between two beads, regardless of its kind.
pub fn remove_dep(tx: &mut Tx<'_>, from: &str, to: &str) -> Result<(), ChangeError> {
    let mut bead = load_live_bead(tx, from)?;
    let count = bead.dependencies.len();
    bead.dependencies.retain(|edge| edge.depends_on_id != to);
    if bead.dependencies.len() == count {
        return Err(ChangeError::NoEdge {
            from: from.to_owned(),
            to: to.to_owned(),
        });
    }
    tx.put(bead)?;
    Ok(())
}

/// Sets or removes the parent of a bead.
pub fn set_parent(tx: &mut Tx<'_>, id: &str, parent: Option<&str>) -> Result<(), ChangeError> {
    if let Some(parent) = parent
        && tx.get_live(parent).is_none()
    {
        return Err(ChangeError::NoParent(parent.to_owned()));
    }
    let mut bead = load_live_bead(tx, id)?;
    bead.dependencies
        .retain(|edge| edge.kind != DepKind::ParentChild);
    tx.put(bead)?;
    match parent {
        Some(parent) => add_dep(tx, id, parent, DepKind::ParentChild).map(drop),
        None => Ok(()),
    }
}

/// Links two beads in both directions.
pub fn relate_beads(tx: &mut Tx<'_>, a: &str, b: &str) -> Result<(), ChangeError> {
    add_dep(tx, a, b, DepKind::RelatesTo)?;
    add_dep(tx, b, a, DepKind::RelatesTo)?;
    Ok(())
}

pub fn unrelate_beads(tx: &mut Tx<'_>, a: &str, b: &str) -> Result<(), ChangeError> {
    for (from, to) in [(a, b), (b, a)] {
        let mut bead = load_live_bead(tx, from)?;
        bead.dependencies
            .retain(|edge| edge.depends_on_id != to || edge.kind != DepKind::RelatesTo);
        tx.put(bead)?;
    }
    Ok(())
}
