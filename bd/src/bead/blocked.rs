//! Decides which beads are blocked, over any graph of beads.
//!
//! A bead waits for the open targets of its `blocks` edges, for a `conditional-blocks` target that
//! did not fail, and by `waits-for` for the children of another bead. A blocked bead blocks its
//! children too.

use std::collections::HashSet;
use std::hash::Hash;

use serde_json::Value;

use crate::bead::{DepKind, Status};

/// The number of parent-child levels through which blocking is inherited.
const MAX_INHERITED_LEVELS: usize = 50;

/// The words in a close reason that mean failure.
const FAILURE_WORDS: &[&str] = &[
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

/// Returns true if a close reason describes a failure.
pub fn is_failure(reason: &str) -> bool {
    let reason = reason.to_lowercase();
    FAILURE_WORDS.iter().any(|word| reason.contains(word))
}

/// The metadata of a `waits-for` edge.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChildGate {
    /// The bead whose children are awaited; the edge's target if absent.
    pub spawner: Option<String>,
    /// True if one finished child is enough.
    pub any_child: bool,
}

impl ChildGate {
    /// Parses the metadata. Text that is not JSON gives the defaults.
    pub fn from_metadata(metadata: &str) -> Self {
        if metadata.is_empty() {
            return Self::default();
        }
        let value: Value = serde_json::from_str(metadata).unwrap_or(Value::Null);
        Self {
            spawner: value["spawner_id"]
                .as_str()
                .filter(|id| !id.is_empty())
                .map(str::to_owned),
            any_child: value["gate"].as_str() == Some("any-children"),
        }
    }
}

/// An edge, reduced to the facts that decide about blocking.
#[derive(Debug, Clone, Copy)]
pub struct BlockingEdge<N> {
    /// The code of the edge's kind.
    pub kind: u8,
    /// The target, if that bead exists.
    pub target: Option<N>,
    /// The bead whose children a `waits-for` edge awaits.
    pub spawner: Option<N>,
    /// True if one finished child is enough.
    pub any_child: bool,
}

/// The beads and edges over which the rules run.
pub trait BlockingGraph {
    type Node: Copy + Eq + Hash;

    /// The code of the bead's status.
    fn status(&self, node: Self::Node) -> u8;
    /// True if the bead was closed with a reason that describes a failure.
    fn has_failed(&self, node: Self::Node) -> bool;
    /// The edges that the bead holds.
    fn blocking_edges(&self, node: Self::Node) -> Vec<BlockingEdge<Self::Node>>;
    /// The beads with an edge of this kind to the bead, deleted ones included.
    fn holders(&self, node: Self::Node, kind: &DepKind) -> Vec<Self::Node>;
}

fn is_blocking_status(status: u8) -> bool {
    Status::from_code(status).is_some_and(|status| status.is_blocking())
}

/// Returns true for every status except closed and deleted.
pub(crate) fn is_open(status: u8) -> bool {
    status != Status::Closed.code() && status != Status::Tombstone.code()
}

/// Returns true if a bead has a `blocks` edge to an open bead.
pub fn has_open_blocker<G: BlockingGraph>(graph: &G, node: G::Node) -> bool {
    let blocks = DepKind::Blocks.code();
    graph
        .blocking_edges(node)
        .iter()
        .any(|link| link.kind == blocks && is_blocking_edge(graph, link))
}

/// Returns true if one of the bead's own edges blocks it. A deleted bead is never blocked.
pub fn is_directly_blocked<G: BlockingGraph>(graph: &G, node: G::Node) -> bool {
    graph.status(node) != Status::Tombstone.code()
        && graph
            .blocking_edges(node)
            .iter()
            .any(|link| is_blocking_edge(graph, link))
}

/// Returns true if this edge keeps its bead from being ready now.
pub fn is_blocking_edge<G: BlockingGraph>(graph: &G, link: &BlockingEdge<G::Node>) -> bool {
    match (DepKind::from_code(link.kind), link.target) {
        (Some(DepKind::Blocks), Some(target)) => is_blocking_status(graph.status(target)),
        (Some(DepKind::ConditionalBlocks), Some(target)) => {
            match Status::from_code(graph.status(target)) {
                Some(Status::Open | Status::InProgress | Status::Blocked | Status::Deferred) => {
                    true
                }
                Some(Status::Closed) => !graph.has_failed(target),
                _ => false,
            }
        }
        (Some(DepKind::WaitsFor), _) => {
            let children = link.spawner.map_or(Vec::new(), |spawner| {
                graph.holders(spawner, &DepKind::ParentChild)
            });
            let mut states = children.iter().map(|child| is_open(graph.status(*child)));
            if link.any_child {
                states.all(|is_open| is_open)
            } else {
                states.any(|is_open| is_open)
            }
        }
        _ => false,
    }
}

/// Returns the beads among `candidates` and their descendants that are blocked, directly or through
/// a parent.
pub fn find_blocked<G: BlockingGraph>(
    graph: &G,
    candidates: impl Iterator<Item = G::Node>,
) -> HashSet<G::Node> {
    let mut blocked: HashSet<G::Node> = HashSet::new();
    let mut front: Vec<G::Node> = candidates
        .filter(|node| is_directly_blocked(graph, *node))
        .collect();
    for _ in 0..=MAX_INHERITED_LEVELS {
        front.retain(|node| blocked.insert(*node));
        front = front
            .iter()
            .flat_map(|node| graph.holders(*node, &DepKind::ParentChild))
            .collect();
        if front.is_empty() {
            break;
        }
    }
    blocked
}

/// Returns true if one bead is blocked, directly or through a parent.
pub fn is_blocked<G: BlockingGraph>(graph: &G, node: G::Node) -> bool {
    let mut seen = HashSet::from([node]);
    let mut front = vec![node];
    for _ in 0..=MAX_INHERITED_LEVELS {
        if front.iter().any(|node| is_directly_blocked(graph, *node)) {
            return true;
        }
        front = front
            .iter()
            .flat_map(|node| graph.blocking_edges(*node))
            .filter(|link| link.kind == DepKind::ParentChild.code())
            .filter_map(|link| link.target)
            .filter(|parent| seen.insert(*parent))
            .collect();
        if front.is_empty() {
            break;
        }
    }
    false
}
