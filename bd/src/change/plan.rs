//! Creates many beads with references between them, all or nothing.
//!
//! Used by `create --graph`, by pouring a molecule and by filling a convoy. Steps:
//! 1. Give every bead its id, parents first.
//! 2. Check that every edge has a target and that no edge closes a cycle.
//! 3. Write each bead once, with its edges.

use std::collections::{BTreeMap, HashMap};

use super::create::{build_bead, check_depth, choose_id};
use super::{ChangeError, NewBead, add_dep_with_metadata, is_ancestor_id};
use crate::bead::{Bead, Dep, DepKind, Stamp};
use crate::graph::cycle;
use crate::store::Tx;

/// One end of a reference: a planned bead by its key, or an existing bead by its id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlanEndpoint {
    /// A planned bead.
    Key(String),
    /// A bead of the store.
    Id(String),
}

/// A bead to be created.
#[derive(Debug, Clone, Default)]
pub struct PlanBead {
    /// The name of the bead within the plan.
    pub key: String,
    /// The values of the new bead.
    pub new: NewBead,
    pub parent: Option<PlanEndpoint>,
}

/// An edge to be created: `from` depends on `to`.
#[derive(Debug, Clone)]
pub struct PlanEdge {
    /// The bead that holds the edge.
    pub from: PlanEndpoint,
    /// The target of the edge.
    pub to: PlanEndpoint,
    pub kind: DepKind,
    pub metadata: String,
}

#[derive(Debug, Clone, Default)]
pub struct BeadPlan {
    /// The beads, parents before their children.
    pub beads: Vec<PlanBead>,
    pub edges: Vec<PlanEdge>,
    /// True if children may nest deeper than `hierarchy.max-depth`. A workflow nests as deep as its
    /// file.
    pub is_any_depth: bool,
}

/// The reason why a plan is refused.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// No earlier bead has this key.
    #[error("no node before this one has the key \"{0}\"")]
    UnknownKey(String),
    /// Two beads have the same key.
    #[error("two nodes have the key \"{0}\"")]
    SameKey(String),
    /// A bead cannot be created.
    #[error("node \"{key}\"")]
    Bead {
        key: String,
        #[source]
        source: ChangeError,
    },
    /// An edge cannot be created.
    #[error("edge {from} → {to}")]
    Edge {
        /// The source of the edge.
        from: String,
        to: String,
        #[source]
        source: ChangeError,
    },
}

/// Creates all beads and edges of a plan, and returns the id of each key.
pub fn create_all(tx: &mut Tx<'_>, plan: BeadPlan) -> Result<BTreeMap<String, String>, PlanError> {
    let now = tx.now();
    let (ids, mut beads) = build_planned_beads(tx, plan.beads, plan.is_any_depth, &now)?;
    let at: HashMap<String, usize> = beads
        .iter()
        .enumerate()
        .map(|(at, bead)| (bead.id.clone(), at))
        .collect();
    let mut later = Vec::new();
    for edge in plan.edges {
        let from = resolve_endpoint(&ids, edge.from)?;
        let to = resolve_endpoint(&ids, edge.to)?;
        let Some(holder) = at.get(&from) else {
            later.push((from, to, edge.kind, edge.metadata));
            continue;
        };
        let target = at.get(&to).and_then(|at| beads.get(*at));
        let is_wisp = target.map(|bead| bead.ephemeral);
        let bead = &beads[*holder];
        let added = check_planned_edge(tx, bead, &to, &edge.kind, is_wisp).map_err(|source| {
            PlanError::Edge {
                from: from.clone(),
                to: to.clone(),
                source,
            }
        })?;
        if added {
            let metadata = edge.metadata;
            push_edge(
                &mut beads[*holder],
                to,
                edge.kind,
                metadata,
                tx.actor(),
                &now,
            );
        }
    }
    check_cycles(&beads, &at)?;
    for bead in beads {
        let key = bead.id.clone();
        let put = tx.put(bead).map_err(ChangeError::Store);
        put.map_err(|source| PlanError::Bead { key, source })?;
    }
    for (from, to, kind, metadata) in later {
        let added = add_dep_with_metadata(tx, &from, &to, kind, &metadata);
        added.map_err(|source| PlanError::Edge { from, to, source })?;
    }
    Ok(ids)
}

fn resolve_endpoint(
    ids: &BTreeMap<String, String>,
    end: PlanEndpoint,
) -> Result<String, PlanError> {
    match end {
        PlanEndpoint::Key(key) => match ids.get(&key) {
            Some(id) => Ok(id.clone()),
            None => Err(PlanError::UnknownKey(key)),
        },
        PlanEndpoint::Id(id) => Ok(id),
    }
}

/// The ids by key, and the beads with their ids.
type PlannedBeads = (BTreeMap<String, String>, Vec<Bead>);

/// Builds the beads with their ids and their parent edges, without writing them.
fn build_planned_beads(
    tx: &Tx<'_>,
    plan: Vec<PlanBead>,
    is_any_depth: bool,
    now: &Stamp,
) -> Result<PlannedBeads, PlanError> {
    let mut ids: BTreeMap<String, String> = BTreeMap::new();
    let mut next_child: HashMap<String, u64> = HashMap::new();
    let mut beads: Vec<Bead> = Vec::with_capacity(plan.len());
    for PlanBead { key, new, parent } in plan {
        let build_error = |source| PlanError::Bead {
            key: key.clone(),
            source,
        };
        if let Some(PlanEndpoint::Id(parent)) = &parent
            && tx.get_live(parent).is_none()
        {
            return Err(build_error(ChangeError::NoParent(parent.clone())));
        }
        let parent = parent
            .map(|parent| resolve_endpoint(&ids, parent))
            .transpose()?;
        let creator = new
            .created_by
            .clone()
            .unwrap_or_else(|| tx.actor().to_owned());
        let id = match &parent {
            Some(parent) if new.id.is_none() => {
                if !is_any_depth {
                    check_depth(tx, parent).map_err(build_error)?;
                }
                let next = next_child
                    .entry(parent.clone())
                    .or_insert_with(|| tx.last_child_number(parent));
                *next += 1;
                format!("{parent}.{next}")
            }
            _ => choose_free_id(tx, &new, &creator, now, &beads).map_err(build_error)?,
        };
        if ids.insert(key.clone(), id.clone()).is_some() {
            return Err(PlanError::SameKey(key));
        }
        let mut bead = build_bead(new, id, creator, now.clone(), &tx.author().owner);
        if let Some(parent) = parent {
            push_edge(
                &mut bead,
                parent,
                DepKind::ParentChild,
                String::new(),
                tx.actor(),
                now,
            );
        }
        beads.push(bead);
    }
    Ok((ids, beads))
}

/// Chooses an id that neither the store nor the plan uses so far.
fn choose_free_id(
    tx: &Tx<'_>,
    new: &NewBead,
    creator: &str,
    now: &Stamp,
    beads: &[Bead],
) -> Result<String, ChangeError> {
    let mut new = new.clone();
    loop {
        let id = choose_id(tx, &new, creator, now)?;
        if !beads.iter().any(|bead| bead.id == id) {
            return Ok(id);
        }
        if new.id.is_some() {
            return Err(ChangeError::Exists(id));
        }
        // Two beads with the same title at the same instant: the hash needs different input.
        new.description.push('\u{200b}');
    }
}

fn push_edge(
    bead: &mut Bead,
    to: String,
    kind: DepKind,
    metadata: String,
    actor: &str,
    now: &Stamp,
) {
    bead.dependencies.push(Dep {
        issue_id: bead.id.clone(),
        depends_on_id: to,
        kind,
        created_at: now.clone(),
        created_by: actor.to_owned(),
        metadata,
        ..Dep::default()
    });
}

/// Checks an edge of a planned bead. Returns false if the edge already exists. `is_wisp` is `Some`
/// if the target is in the plan.
fn check_planned_edge(
    tx: &Tx<'_>,
    bead: &Bead,
    to: &str,
    kind: &DepKind,
    is_wisp: Option<bool>,
) -> Result<bool, ChangeError> {
    if bead.id == to {
        return Err(ChangeError::SelfDependency);
    }
    let existing: Vec<&Dep> = bead
        .dependencies
        .iter()
        .filter(|edge| edge.depends_on_id == to)
        .collect();
    if existing.iter().any(|edge| edge.kind == *kind) {
        return Ok(false);
    }
    // A step may wait for another step and then for the children that it made.
    if let Some(edge) = existing
        .iter()
        .find(|edge| !is_waiting(kind) || !is_waiting(&edge.kind))
    {
        return Err(ChangeError::OtherEdge {
            from: bead.id.clone(),
            to: to.to_owned(),
            kind: edge.kind.to_string(),
        });
    }
    if to.starts_with("external:") {
        return Ok(true);
    }
    let is_wisp = is_wisp
        .or_else(|| tx.get_live(to).map(|target| target.ephemeral))
        .ok_or_else(|| ChangeError::NoTarget(to.to_owned()))?;
    if is_wisp && !bead.ephemeral {
        return Err(ChangeError::EdgeToWisp {
            from: bead.id.clone(),
            to: to.to_owned(),
        });
    }
    let is_of_family = matches!(kind, DepKind::ParentChild | DepKind::RelatesTo);
    if !is_of_family && is_ancestor_id(&bead.id, to) {
        return Err(ChangeError::Deadlock {
            child: bead.id.clone(),
            ancestor: to.to_owned(),
        });
    }
    Ok(true)
}

fn is_waiting(kind: &DepKind) -> bool {
    matches!(kind, DepKind::Blocks | DepKind::WaitsFor)
}

/// Fails if the edges among the new beads close a cycle. An edge to an existing bead cannot close
/// one, because no edge leads back from it.
fn check_cycles(beads: &[Bead], at: &HashMap<String, usize>) -> Result<(), PlanError> {
    let waits: Vec<Vec<usize>> = beads
        .iter()
        .map(|bead| -> Vec<usize> {
            bead.dependencies
                .iter()
                .filter(|edge| edge.kind != DepKind::RelatesTo)
                .filter_map(|edge| at.get(&edge.depends_on_id).copied())
                .collect()
        })
        .collect();
    let Some(cycle) = cycle::find_cycle(&waits) else {
        return Ok(());
    };
    let path: Vec<String> = cycle.iter().map(|at| beads[*at].id.clone()).collect();
    let from = path.first().cloned().unwrap_or_default();
    let to = path.get(1).cloned().unwrap_or_default();
    Err(PlanError::Edge {
        from,
        to,
        source: ChangeError::Cycle { path },
    })
}
