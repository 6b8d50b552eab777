//! How far a convoy is, from the rigs' beads as they are now.

use std::collections::HashSet;

use bd::bead::{Bead, Kind, Status};
use bd::store::Snapshot;
use serde::Serialize;

use crate::beads::Stores;
use crate::mq;

/// One tracked bead as it stands.
#[derive(Debug, Clone, Serialize)]
pub struct Tracked {
    /// Its id.
    pub id: String,
    /// Its title; `(external)` where no store of the town knows it.
    pub title: String,
    /// Its status as stored; `unknown` where no store knows it.
    pub status: String,
    /// Always `tracks`.
    pub dependency_type: &'static str,
    /// Its type.
    pub issue_type: String,
    /// Who has it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub assignee: String,
    /// Where it stands on its way.
    pub standing: Standing,
    /// What it waits for: open blockers, a conflict or repair task.
    pub waits_for: Vec<String>,
}

/// Where a bead stands on its way to its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// Nobody has it yet.
    Open,
    /// Something must happen first.
    Blocked,
    /// A worker has it.
    Working,
    /// Its merge request is in the queue.
    Merging,
    /// Its merge request waits for a task or a person.
    Held,
    /// It is done: merged, or closed without a change.
    Done,
    /// No store of the town knows it.
    Unknown,
}

/// How many beads stand where.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Done.
    pub completed: usize,
    /// All.
    pub total: usize,
}

/// A convoy's progress.
#[derive(Debug, Clone, Serialize)]
pub struct Progress {
    /// The convoy.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its status: `open` or `closed`.
    pub status: String,
    /// When it was made, RFC 3339.
    pub created_at: String,
    /// What it tracks.
    pub tracked: Vec<Tracked>,
    /// The counts.
    #[serde(flatten)]
    pub counts: Counts,
    /// Times it has landed.
    pub landings: u64,
}

/// The stores with what waits in each, looked at once for however many convoys and beads.
pub struct Board<'a> {
    homes: Vec<Home<'a>>,
}

impl<'a> Board<'a> {
    /// Looks at all stores.
    pub fn of(stores: &'a Stores) -> Self {
        let homes = std::iter::once(&stores.town)
            .chain(stores.rigs.values())
            .map(|beads| Home {
                beads,
                hooked: on_hooks(beads),
            })
            .collect();
        Self { homes }
    }

    /// A convoy's progress.
    pub fn progress(&self, convoy: &Bead) -> Progress {
        let tracked: Vec<Tracked> = super::tracked_ids(convoy)
            .map(|id| look(&self.homes, id))
            .collect();
        let completed = tracked
            .iter()
            .filter(|bead| bead.standing == Standing::Done)
            .count();
        Progress {
            id: convoy.id.clone(),
            title: convoy.title.clone(),
            status: convoy.status.to_string(),
            created_at: convoy.created_at.to_string(),
            counts: Counts {
                completed,
                total: tracked.len(),
            },
            landings: super::land::landings(convoy),
            tracked,
        }
    }
}

impl Progress {
    /// Whether all of it is done; what tracks nothing never is.
    pub fn is_done(&self) -> bool {
        self.counts.total > 0 && self.counts.completed == self.counts.total
    }
}

/// A store, and what waits in it.
struct Home<'a> {
    beads: &'a Snapshot,
    /// What is on the hook of a polecat.
    hooked: HashSet<&'a str>,
}

/// What polecats have on their hooks. A bead that is closed and still there may have work on no target:
/// the patrol takes it off once nothing is left to hand in.
fn on_hooks(beads: &Snapshot) -> HashSet<&str> {
    beads
        .select(|head| head.is_open() && head.is_a(&Kind::Agent, "gt:agent"))
        .filter(|bead| bead.role_type == "polecat" && !bead.hook_bead.is_empty())
        .map(|bead| bead.hook_bead.as_str())
        .collect()
}

/// A bead that was done so long ago that it is in the archive.
fn archived(bead: Bead) -> Tracked {
    Tracked {
        status: bead.status.to_string(),
        issue_type: bead.issue_type.to_string(),
        id: bead.id,
        title: bead.title,
        dependency_type: "tracks",
        assignee: bead.assignee,
        standing: Standing::Done,
        waits_for: Vec::new(),
    }
}

fn look(homes: &[Home], id: &str) -> Tracked {
    let found = homes
        .iter()
        .find_map(|home| Some((home, home.beads.get(id)?)));
    let Some((home, bead)) = found else {
        let mut archives = homes.iter().map(|home| home.beads.archive());
        if let Some(bead) = archives.find_map(|archive| archive.get(id)) {
            return archived(bead);
        }
        return Tracked {
            id: id.to_owned(),
            title: "(external)".to_owned(),
            status: "unknown".to_owned(),
            dependency_type: "tracks",
            issue_type: String::new(),
            assignee: String::new(),
            standing: Standing::Unknown,
            waits_for: Vec::new(),
        };
    };
    let request = mq::open_request_of(home.beads, id);
    let waits_for: Vec<String> = match request {
        Some(request) => bd::graph::blockers(home.beads, &request.id),
        None => bd::graph::blockers(home.beads, id),
    }
    .into_iter()
    .map(str::to_owned)
    .collect();
    let standing = match (&bead.status, request) {
        (_, Some(request)) if !waits_for.is_empty() || mq::needs_person(request).is_some() => {
            Standing::Held
        }
        (_, Some(_)) => Standing::Merging,
        (Status::Closed, None) if home.hooked.contains(id) => Standing::Working,
        (Status::Closed | Status::Tombstone, None) => Standing::Done,
        (Status::Hooked | Status::InProgress | Status::Pinned, None) => Standing::Working,
        _ if !waits_for.is_empty() => Standing::Blocked,
        _ if bd::graph::is_blocked(home.beads, id) => Standing::Blocked,
        _ => Standing::Open,
    };
    Tracked {
        id: id.to_owned(),
        title: bead.title.clone(),
        status: bead.status.to_string(),
        dependency_type: "tracks",
        issue_type: bead.issue_type.to_string(),
        assignee: bead.assignee.clone(),
        standing,
        waits_for,
    }
}

/// Whether a bead of this type is work whose result a convoy waits for, and not a record about work.
pub(super) fn is_work(bead: &Bead) -> bool {
    !matches!(
        bead.issue_type,
        Kind::MergeRequest | Kind::Message | Kind::Agent | Kind::Role | Kind::Rig | Kind::Convoy
    )
}
