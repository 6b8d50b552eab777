//! Explains why beads are not ready.

use std::fmt;

use jiff::Timestamp;

use crate::bead::blocked;
use crate::bead::{Bead, DepKind, Stamp, Status};
use crate::graph::ready;
use crate::store::{BeadRef, ListRow, Snapshot, TimeField};

/// One reason why a bead is not ready.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotReadyReason {
    /// The bead waits for this open bead.
    Waits(String),
    /// The bead runs only if this bead fails.
    Conditional(String),
    /// The bead waits for children of this bead.
    Children(String),
    /// The bead waits for this capability of another project.
    External(String),
    /// The parent of the bead is blocked.
    Parent(String),
    /// The bead is deferred until this time.
    Deferred(Stamp),
    Status(Status),
}

impl NotReadyReason {
    /// A stable code for programs.
    pub fn rule(&self) -> &'static str {
        match self {
            Self::Waits(_) => "blocks",
            Self::Conditional(_) => "conditional-blocks",
            Self::Children(_) => "waits-for",
            Self::External(_) => "external",
            Self::Parent(_) => "parent",
            Self::Deferred(_) => "deferred",
            Self::Status(_) => "status",
        }
    }

    /// The rank of the reason in output: edges, other projects, parents, times, the status.
    fn rank(&self) -> u8 {
        match self {
            Self::Waits(_) | Self::Conditional(_) | Self::Children(_) => 0,
            Self::External(_) => 1,
            Self::Parent(_) => 2,
            Self::Deferred(_) => 3,
            Self::Status(_) => 4,
        }
    }

    /// The subject of the reason: a bead, an instant or a status.
    pub fn subject(&self) -> &str {
        match self {
            Self::Waits(id)
            | Self::Conditional(id)
            | Self::Children(id)
            | Self::External(id)
            | Self::Parent(id) => id,
            Self::Deferred(until) => until.as_str(),
            Self::Status(status) => status.as_str(),
        }
    }
}

impl fmt::Display for NotReadyReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Waits(id) => write!(f, "waits for {id}"),
            Self::Conditional(id) => write!(f, "runs only if {id} fails"),
            Self::Children(id) => write!(f, "waits for the children of {id}"),
            Self::External(id) => write!(f, "waits for {id} of another project"),
            Self::Parent(id) => write!(f, "its parent {id} is blocked"),
            Self::Deferred(until) => write!(f, "deferred until {until}"),
            Self::Status(status) => write!(f, "its status is {status}"),
        }
    }
}

/// A bead that is not ready, with the reasons.
#[derive(Debug, Clone)]
pub struct UnreadyBead<'a> {
    pub bead: &'a Bead,
    pub reasons: Vec<NotReadyReason>,
}

/// Explains each open work bead that is not ready. `outside` returns the unsatisfied capabilities
/// of other projects that a bead waits for.
pub fn explain_unready(
    snapshot: &Snapshot,
    now: Timestamp,
    mut outside: impl FnMut(&Bead) -> Vec<String>,
) -> Vec<UnreadyBead<'_>> {
    let mut found: Vec<UnreadyBead<'_>> = Vec::new();
    for brief in snapshot.open_rows() {
        let bead_ref = snapshot.bead_ref_at(brief.node);
        if brief.is_pinned() || brief.is_internal() || !ready::is_work_kind(&bead_ref.kind()) {
            continue;
        }
        let mut reasons = reasons_of_bead(snapshot, &bead_ref, now);
        if bead_ref.has_external_edge()
            && let Some(bead) = bead_ref.bead()
        {
            reasons.extend(outside(bead).into_iter().map(NotReadyReason::External));
        }
        reasons.sort_by_key(NotReadyReason::rank);
        if let (false, Some(bead)) = (reasons.is_empty(), bead_ref.bead()) {
            found.push(UnreadyBead { bead, reasons });
        }
    }
    found.sort_by(|a, b| (a.bead.priority, &a.bead.id).cmp(&(b.bead.priority, &b.bead.id)));
    found
}

/// Returns the blockers of a bead: beads, capabilities of other projects, and a blocked parent.
/// `outside` returns the unsatisfied capabilities.
pub fn list_blockers(
    snapshot: &Snapshot,
    bead_ref: &BeadRef<'_>,
    outside: impl FnOnce(&Bead) -> Vec<String>,
) -> Vec<String> {
    let mut reasons = reasons_of_bead(snapshot, bead_ref, Timestamp::MAX);
    if bead_ref.has_external_edge()
        && let Some(bead) = bead_ref.bead()
    {
        reasons.extend(outside(bead).into_iter().map(NotReadyReason::External));
    }
    reasons.sort_by_key(NotReadyReason::rank);
    reasons
        .iter()
        .filter(|reason| reason.rank() < 3)
        .map(|reason| reason.subject().to_owned())
        .collect()
}

/// Returns true if a row from `blocked_rows` is blocked regardless of the state of other projects.
pub fn is_surely_blocked(row: &ListRow) -> bool {
    row.is_blocked() || row.status == Status::Blocked.code()
}

/// Returns the reasons that are visible in this store.
fn reasons_of_bead(
    snapshot: &Snapshot,
    bead_ref: &BeadRef<'_>,
    now: Timestamp,
) -> Vec<NotReadyReason> {
    let edges: Vec<(u8, &str)> = bead_ref.edges();
    let mut reasons: Vec<NotReadyReason> = edges
        .iter()
        .zip(bead_ref.blocking_edges())
        .filter(|(_, link)| blocked::is_blocking_edge(snapshot, link))
        .filter_map(|((kind, target), link)| {
            // An edge may name another bead whose children it waits for.
            let spawner = link.spawner.filter(|spawner| Some(*spawner) != link.target);
            let subject = spawner.map_or(*target, |spawner| snapshot.bead_ref_at(spawner).id());
            reason_for_edge(&DepKind::from_code(*kind)?, subject.to_owned())
        })
        .collect();
    for (kind, parent) in &edges {
        if *kind == DepKind::ParentChild.code()
            && snapshot
                .bead_ref(parent)
                .is_some_and(|parent| parent.is_blocked())
        {
            reasons.push(NotReadyReason::Parent((*parent).to_owned()));
        }
    }
    if let Some(bead) = bead_ref
        .time(TimeField::Deferred)
        .filter(|until| *until > now)
        .and_then(|_| bead_ref.bead())
        && let Some(until) = &bead.defer_until
    {
        reasons.push(NotReadyReason::Deferred(until.clone()));
    }
    let status = bead_ref.status();
    if matches!(status, Status::Blocked | Status::Deferred | Status::Pinned) {
        reasons.push(NotReadyReason::Status(status));
    }
    reasons
}

fn reason_for_edge(kind: &DepKind, target: String) -> Option<NotReadyReason> {
    match kind {
        DepKind::Blocks => Some(NotReadyReason::Waits(target)),
        DepKind::ConditionalBlocks => Some(NotReadyReason::Conditional(target)),
        DepKind::WaitsFor => Some(NotReadyReason::Children(target)),
        _ => None,
    }
}
