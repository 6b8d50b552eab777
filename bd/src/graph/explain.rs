//! Why a bead is not ready.

use std::fmt;

use jiff::Timestamp;

use super::ready;
use crate::bead::{Bead, DepKind, Stamp, Status};
use crate::store::Snapshot;

/// One thing that keeps a bead from being ready.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// It waits for this open bead.
    Waits(String),
    /// It runs only if this bead fails.
    Conditional(String),
    /// It waits for children of this bead.
    Children(String),
    /// It waits for this capability of another project.
    External(String),
    /// Its parent waits for something.
    Parent(String),
    /// It is put off until then.
    Deferred(Stamp),
    /// Its status says so.
    Status(Status),
}

impl Reason {
    /// A stable word for programs.
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

    /// What the reason is about: a bead, an instant or a status.
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

impl fmt::Display for Reason {
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

/// A bead that is not ready, and why.
#[derive(Debug, Clone)]
pub struct Explained<'a> {
    /// The bead.
    pub bead: &'a Bead,
    /// Each thing that keeps it.
    pub reasons: Vec<Reason>,
}

/// Why each open bead that is work is not ready; those that are ready are left out.
/// `outside` tells which capabilities of other projects a bead still waits for.
pub fn not_ready(
    snapshot: &Snapshot,
    now: Timestamp,
    mut outside: impl FnMut(&Bead) -> Vec<String>,
) -> Vec<Explained<'_>> {
    let blocked = ready::blocked_set(snapshot, now);
    let children = ready::children_by_parent(snapshot);
    let is_work = |bead: &&Bead| {
        let over = matches!(bead.status, Status::Closed | Status::Tombstone);
        !over && !bead.pinned && !bead.ephemeral && !ready::is_no_work(&bead.issue_type)
    };
    let mut found: Vec<Explained<'_>> = snapshot
        .live()
        .filter(is_work)
        .filter_map(|bead| {
            let mut reasons: Vec<Reason> = bead
                .dependencies
                .iter()
                .filter(|edge| ready::holds_up(snapshot, &children, edge))
                .filter_map(|edge| reason(&edge.kind, &edge.depends_on_id))
                .collect();
            reasons.extend(outside(bead).into_iter().map(Reason::External));
            let parents = bead
                .edges(&DepKind::ParentChild)
                .map(|edge| &edge.depends_on_id);
            let held = parents.filter(|parent| blocked.contains(parent.as_str()));
            reasons.extend(held.map(|parent| Reason::Parent(parent.clone())));
            if let Some(until) = bead
                .defer_until
                .as_ref()
                .filter(|until| until.instant() > now)
            {
                reasons.push(Reason::Deferred(until.clone()));
            }
            if matches!(
                bead.status,
                Status::Blocked | Status::Deferred | Status::Pinned
            ) {
                reasons.push(Reason::Status(bead.status.clone()));
            }
            (!reasons.is_empty()).then_some(Explained { bead, reasons })
        })
        .collect();
    found.sort_by(|a, b| {
        let key = |item: &Explained<'_>| (item.bead.priority, item.bead.id.clone());
        key(a).cmp(&key(b))
    });
    found
}

fn reason(kind: &DepKind, target: &str) -> Option<Reason> {
    let target = target.to_owned();
    match kind {
        DepKind::Blocks => Some(Reason::Waits(target)),
        DepKind::ConditionalBlocks => Some(Reason::Conditional(target)),
        DepKind::WaitsFor => Some(Reason::Children(target)),
        _ => None,
    }
}
