//! Ready work: open, not deferred, and waiting for nothing.
//!
//! A bead waits for the open targets of its `blocks` edges, for a `conditional-blocks` target that did not
//! fail, and by `waits-for` for children of another bead; what a bead waits for holds up its children too.

use std::collections::{HashMap, HashSet};

use jiff::{SignedDuration, Timestamp};

use crate::bead::{Bead, Dep, DepKind, Kind, Status};
use crate::store::Snapshot;

/// How deep blocking goes down from parent to child.
const DEPTH: usize = 50;

/// Words in a close reason that mean failure.
const FAILURE: &[&str] = &[
    "failed",
    "rejected",
    "wontfix",
    "won't fix",
    "canceled",
    "cancelled",
    "abandoned",
    "blocked",
    "error",
    "timeout",
    "aborted",
];

/// In which order ready work comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// What is at most two days old by priority, then the older by age.
    #[default]
    Hybrid,
    /// By priority, then age.
    Priority,
    /// By age.
    Oldest,
}

impl Order {
    /// Reads a policy's name.
    pub fn read(name: &str) -> Option<Self> {
        match name {
            "" | "hybrid" => Some(Self::Hybrid),
            "priority" => Some(Self::Priority),
            "oldest" => Some(Self::Oldest),
            _ => None,
        }
    }
}

/// Which ready work is asked for.
#[derive(Debug, Clone)]
pub struct ReadyQuery {
    /// Only beads of these statuses.
    pub statuses: Vec<Status>,
    /// Only this kind; then also kinds that are no work of their own.
    pub kind: Option<Kind>,
    /// Only this priority.
    pub priority: Option<i64>,
    /// Only this assignee's.
    pub assignee: Option<String>,
    /// Only what no one has; wins over the assignee.
    pub unassigned: bool,
    /// Only with all of these labels.
    pub labels: Vec<String>,
    /// Only with one of these labels.
    pub labels_any: Vec<String>,
    /// Only below this bead.
    pub parent: Option<String>,
    /// Only this kind of molecule.
    pub mol_type: Option<String>,
    /// Also what is deferred to later.
    pub include_deferred: bool,
    /// The order.
    pub order: Order,
    /// At most so many; 0 is no limit.
    pub limit: usize,
}

impl Default for ReadyQuery {
    fn default() -> Self {
        Self {
            statuses: vec![Status::Open],
            kind: None,
            priority: None,
            assignee: None,
            unassigned: false,
            labels: Vec::new(),
            labels_any: Vec::new(),
            parent: None,
            mol_type: None,
            include_deferred: false,
            order: Order::Hybrid,
            limit: 0,
        }
    }
}

/// Ready work.
pub fn ready<'a>(snapshot: &'a Snapshot, query: &ReadyQuery, now: Timestamp) -> Vec<&'a Bead> {
    let blocked = blocked_set(snapshot, now);
    let below = query.parent.as_deref().map(|id| descendants(snapshot, id));
    let hidden = snapshot.config().list("ready.exclude_id_patterns");
    let mut found: Vec<&Bead> = snapshot
        .live()
        .filter(|bead| is_candidate(bead, query, &hidden, now))
        .filter(|bead| {
            below
                .as_ref()
                .is_none_or(|below| below.contains(bead.id.as_str()))
        })
        .filter(|bead| !blocked.contains(bead.id.as_str()))
        .collect();
    sort(&mut found, query.order, now);
    if query.limit > 0 {
        found.truncate(query.limit);
    }
    found
}

/// Whether a bead is of the kind that is asked for, apart from what it waits for.
fn is_candidate(bead: &Bead, query: &ReadyQuery, hidden: &[String], now: Timestamp) -> bool {
    let is_work = match &query.kind {
        Some(kind) => bead.issue_type == *kind,
        None => {
            !is_no_work(&bead.issue_type)
                && !hidden.iter().any(|part| bead.id.contains(part.as_str()))
        }
    };
    let owner = if query.unassigned {
        bead.assignee.is_empty()
    } else {
        query
            .assignee
            .as_ref()
            .is_none_or(|who| bead.assignee == *who)
    };
    let labels = query.labels.iter().all(|label| bead.has_label(label));
    let any =
        query.labels_any.is_empty() || query.labels_any.iter().any(|label| bead.has_label(label));
    query.statuses.contains(&bead.status)
        && !bead.pinned
        && !bead.ephemeral
        && is_work
        && owner
        && labels
        && any
        && query
            .priority
            .is_none_or(|priority| bead.priority == priority)
        && query
            .mol_type
            .as_ref()
            .is_none_or(|kind| bead.mol_type == *kind)
        && (query.include_deferred || !is_deferred(bead, now))
}

/// Whether a bead is put off until later than now.
pub fn is_deferred(bead: &Bead, now: Timestamp) -> bool {
    bead.defer_until
        .as_ref()
        .is_some_and(|until| until.instant() > now)
}

/// Kinds that are in the store for other reasons than to be worked on.
pub fn is_no_work(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::MergeRequest
            | Kind::Gate
            | Kind::Molecule
            | Kind::Message
            | Kind::Agent
            | Kind::Role
            | Kind::Rig
    )
}

fn sort(found: &mut [&Bead], order: Order, now: Timestamp) {
    let fresh_since = now
        .checked_sub(SignedDuration::from_hours(48))
        .unwrap_or(now);
    found.sort_by(|a, b| {
        let age = || {
            a.created_at
                .cmp(&b.created_at)
                .then_with(|| a.id.cmp(&b.id))
        };
        let urgency = || a.priority.cmp(&b.priority).then_with(age);
        let fresh = |bead: &Bead| bead.created_at.instant() >= fresh_since;
        match order {
            Order::Priority => urgency(),
            Order::Oldest => age(),
            Order::Hybrid => match (fresh(a), fresh(b)) {
                (true, true) => urgency(),
                (false, false) => age(),
                (true, false) => std::cmp::Ordering::Less,
                (false, true) => std::cmp::Ordering::Greater,
            },
        }
    });
}

/// The ids of all beads that wait for something, themselves or through a parent.
pub fn blocked_set(snapshot: &Snapshot, _now: Timestamp) -> HashSet<&str> {
    let children = children_by_parent(snapshot);
    let mut blocked: HashSet<&str> = HashSet::new();
    let mut front: Vec<&str> = snapshot
        .live()
        .filter(|bead| waits_itself(snapshot, &children, bead))
        .map(|bead| bead.id.as_str())
        .collect();
    for _ in 0..=DEPTH {
        front.retain(|id| blocked.insert(id));
        let below = front.iter().filter_map(|id| children.get(id)).flatten();
        front = below.map(|child| child.id.as_str()).collect();
        if front.is_empty() {
            break;
        }
    }
    blocked
}

type Children<'a> = HashMap<&'a str, Vec<&'a Bead>>;

pub(super) fn children_by_parent(snapshot: &Snapshot) -> Children<'_> {
    let mut children: Children<'_> = HashMap::new();
    // Deleted children count where someone waits for children to be over.
    for bead in snapshot.all() {
        for edge in bead.edges(&DepKind::ParentChild) {
            children
                .entry(edge.depends_on_id.as_str())
                .or_default()
                .push(bead);
        }
    }
    children
}

fn waits_itself(snapshot: &Snapshot, children: &Children<'_>, bead: &Bead) -> bool {
    bead.dependencies
        .iter()
        .any(|edge| holds_up(snapshot, children, edge))
}

/// Whether this edge keeps its bead from being ready now.
pub(super) fn holds_up(snapshot: &Snapshot, children: &Children<'_>, edge: &Dep) -> bool {
    let target = snapshot.get_live(&edge.depends_on_id);
    match (&edge.kind, target) {
        (DepKind::Blocks, Some(target)) => target.status.holds_up(),
        (DepKind::ConditionalBlocks, Some(target)) => match target.status {
            Status::Open | Status::InProgress | Status::Blocked | Status::Deferred => true,
            Status::Closed => !is_failure(&target.close_reason),
            _ => false,
        },
        (DepKind::WaitsFor, _) => waits_for_children(children, edge),
        _ => false,
    }
}

/// Whether a close reason tells of a failure.
pub fn is_failure(reason: &str) -> bool {
    let reason = reason.to_lowercase();
    FAILURE.iter().any(|word| reason.contains(word))
}

fn waits_for_children(children: &Children<'_>, edge: &Dep) -> bool {
    let metadata: serde_json::Value = serde_json::from_str(&edge.metadata).unwrap_or_default();
    let spawner = metadata["spawner_id"]
        .as_str()
        .filter(|id| !id.is_empty())
        .unwrap_or(&edge.depends_on_id);
    let none = Vec::new();
    let children = children.get(spawner).unwrap_or(&none);
    if metadata["gate"].as_str() == Some("any-children") {
        !children.iter().any(|child| !child.is_open())
    } else {
        children.iter().any(|child| child.is_open())
    }
}

/// The open targets of a bead's `blocks` edges.
pub fn blockers<'a>(snapshot: &'a Snapshot, id: &str) -> Vec<&'a str> {
    let Some(bead) = snapshot.get_live(id) else {
        return Vec::new();
    };
    bead.edges(&DepKind::Blocks)
        .filter_map(|edge| snapshot.get_live(&edge.depends_on_id))
        .filter(|target| target.status.holds_up())
        .map(|target| target.id.as_str())
        .collect()
}

/// All beads below one by parent-child edges, without itself.
pub fn descendants<'a>(snapshot: &'a Snapshot, id: &str) -> HashSet<&'a str> {
    let children = children_by_parent(snapshot);
    let mut found: HashSet<&str> = HashSet::new();
    let mut front: Vec<&Bead> = children.get(id).cloned().unwrap_or_default();
    while let Some(bead) = front.pop() {
        if found.insert(&bead.id) {
            front.extend(children.get(bead.id.as_str()).into_iter().flatten());
        }
    }
    found
}

#[cfg(test)]
mod tests;
