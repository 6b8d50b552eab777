//! Computes the progress of a convoy from the current beads of the rigs.

use std::cell::OnceCell;
use std::collections::HashMap;

use bd::bead::{Bead, DepKind, Kind, Status};
use bd::store::{BeadMark, BeadRef, Snapshot};
use serde::Serialize;

use super::integration::{self, Integration};
use super::next_steps;
use super::tracked::{BeadStanding, RigStore, TrackedBead};
use crate::record;
use crate::record::attempt;
use crate::record::escalation;
use crate::record::merge_request;
use crate::record::merge_task::MERGE_LABEL;
use crate::record::town_view::TownView;
use crate::town::beads::TownStores;
use crate::town::hold::Hold;

/// The ending of a closed bead, derived from its close reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BeadEnding {
    /// Done, closed without a change, or cancelled with a reason.
    Done,
    /// Failed, or handed on to someone else as too large.
    Failed,
    /// Cancelled without a reason.
    Unexplained,
}

/// Returns the ending of a closed bead.
pub fn ending_of(bead: &Bead) -> BeadEnding {
    parse_ending(&bead.close_reason)
}

/// Returns the ending for a close reason.
pub(super) fn parse_ending(reason: &str) -> BeadEnding {
    let reason = reason.trim().to_lowercase();
    if reason.starts_with("failed") || reason.starts_with("escalated") {
        return BeadEnding::Failed;
    }
    let cancelled = ["cancelled", "canceled", "cancel", "abandoned"];
    let rest = cancelled.iter().find_map(|word| reason.strip_prefix(word));
    match rest {
        Some(rest) if !rest.contains(char::is_alphanumeric) => BeadEnding::Unexplained,
        _ => BeadEnding::Done,
    }
}

/// The number of completed and of all tracked beads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct BeadCounts {
    pub completed: usize,
    pub total: usize,
}

/// A critical escalation that blocks a convoy until it ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConvoyBlocker {
    pub id: String,
    pub title: String,
    pub from: String,
    /// Commands, each of which ends the escalation.
    pub next_steps: Vec<String>,
}

impl ConvoyBlocker {
    /// Returns the critical escalations that block a convoy.
    pub fn for_convoy(town: &Snapshot, convoy: &Bead) -> Vec<Self> {
        escalation::find_blocking(town, convoy)
            .into_iter()
            .map(|escalation| Self {
                next_steps: vec![
                    format!("gt escalate show {}", escalation.id),
                    format!("gt escalate resolve {} \"<answer>\"", escalation.id),
                ],
                id: escalation.id,
                title: escalation.title,
                from: escalation.escalated_by,
            })
            .collect()
    }
}

/// The progress of a convoy.
#[derive(Debug, Clone, Serialize)]
pub struct ConvoyProgress {
    pub id: String,
    pub title: String,
    pub status: Status,
    /// The creation time, RFC 3339.
    pub created_at: String,
    pub tracked: Vec<TrackedBead>,
    #[serde(flatten)]
    pub counts: BeadCounts,
    pub landings: u64,
    /// The critical escalations that block the convoy.
    pub blocked_by: Vec<ConvoyBlocker>,
    /// The convoy's own branches and the progress of their landing, if it has branches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub integration: Option<Integration>,
}

/// The stores with their queues and hooks, read once for any number of convoys and beads.
pub struct ProgressBoard<'a> {
    stores: &'a TownStores,
    homes: Vec<RigStore<'a>>,
    branches: Vec<UnlandedBranch>,
}

/// The branch of an open convoy in one rig.
struct UnlandedBranch {
    convoy: String,
    rig: String,
    branch: String,
}

/// Returns the branches of all open convoys that have not landed.
fn find_unlanded_branches(town: &Snapshot) -> Vec<UnlandedBranch> {
    let mut found = Vec::new();
    for convoy in record::convoy::list_convoys_with_key(town, integration::KEY) {
        let integration = integration::read_integration(convoy);
        for (rig, branch) in integration
            .into_iter()
            .flat_map(|integration| integration.rigs)
        {
            found.push(UnlandedBranch {
                convoy: convoy.id.clone(),
                rig,
                branch: branch.branch,
            });
        }
    }
    found
}

impl<'a> ProgressBoard<'a> {
    /// Reads all stores without the states of the workers.
    pub fn from_stores(stores: &'a TownStores) -> Self {
        Self::from_parts(stores, None)
    }

    /// Reads all stores with the states of the workers.
    pub fn from_view(view: &'a TownView) -> Self {
        Self::from_parts(&view.stores, Some(view))
    }

    fn from_parts(stores: &'a TownStores, view: Option<&'a TownView>) -> Self {
        let rigs = stores
            .rigs
            .iter()
            .map(|(rig, beads)| (Some(rig.as_str()), beads));
        let homes = std::iter::once((None, &stores.town))
            .chain(rigs)
            .map(|(rig, beads)| RigStore {
                rig,
                beads,
                hooked: map_hooked_beads(beads),
                polecats: view.zip(rig).map(|(view, rig)| view.polecats_of(rig)),
                now: view.map(|view| view.now),
                broken_targets: OnceCell::new(),
                queued_slings: OnceCell::new(),
            })
            .collect();
        let branches = find_unlanded_branches(&stores.town);
        Self {
            stores,
            homes,
            branches,
        }
    }

    /// Returns another open convoy if the bead's work is on that convoy's branch and on no target
    /// yet.
    fn other_convoy_of(&self, id: &str, convoy: &str) -> Option<&str> {
        if self.branches.is_empty() {
            return None;
        }
        let home = self
            .homes
            .iter()
            .find(|home| home.beads.get(id).is_some())?;
        let bead = home.beads.get(id)?;
        let targets: Vec<String> = bead
            .edges(&DepKind::Blocks)
            .filter_map(|edge| {
                let request = home.beads.get(&edge.depends_on_id)?;
                merge_request::is_merge_request(request)
                    .then(|| merge_request::receipt_of(request).target)
            })
            .collect();
        let found = self.branches.iter().find(|branch| {
            Some(branch.rig.as_str()) == home.rig
                && branch.convoy != convoy
                && targets.contains(&branch.branch)
        })?;
        Some(&found.convoy)
    }

    /// Returns the hold of the rig of an unfinished bead.
    fn hold_of(&self, bead: &TrackedBead) -> Option<&Hold> {
        let is_unfinished = matches!(
            bead.standing,
            BeadStanding::Open
                | BeadStanding::Blocked
                | BeadStanding::Working
                | BeadStanding::Merging
        );
        let home = self
            .homes
            .iter()
            .find(|home| home.beads.get(&bead.id).is_some());
        let rig = home.filter(|_| is_unfinished)?.rig?;
        self.stores.holds.get(rig)
    }

    /// Returns the open convoys whose tracked work is all done, oldest first. Does not read a
    /// convoy with open beads, or the beads that it tracks.
    pub fn list_done(&self) -> Vec<ConvoyProgress> {
        let open = self.stores.town.marked_open(&record::convoy::MARKS);
        let mut convoys: Vec<&Bead> = open
            .filter(|convoy| self.may_be_done(convoy))
            .filter_map(|convoy| convoy.bead())
            .collect();
        convoys.sort_by_key(|convoy| (convoy.created_at.instant(), &convoy.id));
        convoys
            .into_iter()
            .map(|convoy| self.progress(convoy))
            .filter(ConvoyProgress::is_done)
            .collect()
    }

    /// Returns false if a convoy tracks an open bead that is no repair, and has no landing to
    /// continue.
    fn may_be_done(&self, convoy: &BeadRef) -> bool {
        let mut tracked =
            record::convoy::tracked_refs(convoy).filter_map(|id| self.stores.find_ref(id));
        !tracked.any(|bead| bead.is_open() && !bead.has_label(MERGE_LABEL))
            || convoy.may_have_key(integration::KEY)
    }

    /// Computes a convoy's progress.
    pub fn progress(&self, convoy: &Bead) -> ConvoyProgress {
        let mut tracked: Vec<TrackedBead> = record::convoy::tracked_ids(convoy)
            .map(|id| track_bead(&self.homes, id))
            .collect();
        for bead in &mut tracked {
            if bead.standing == BeadStanding::Done
                && let Some(other) = self.other_convoy_of(&bead.id, &convoy.id)
            {
                bead.standing = BeadStanding::Merging;
                bead.waits_for.push(other.to_owned());
            }
        }
        for bead in &mut tracked {
            if matches!(bead.standing, BeadStanding::Open | BeadStanding::Blocked)
                && let Some(found) = self.stores.get(&bead.id)
            {
                bead.waits_for.extend(self.stores.external_blockers(found));
                if !bead.waits_for.is_empty() {
                    bead.standing = BeadStanding::Blocked;
                }
            }
        }
        for bead in &mut tracked {
            if let Some(hold) = self.hold_of(bead) {
                bead.why.clone_from(&hold.reason);
                if bead.standing == BeadStanding::Open {
                    bead.standing = BeadStanding::Blocked;
                }
            }
        }
        if convoy.is_open() {
            for bead in &mut tracked {
                if let Some(hold) = self.hold_of(bead) {
                    bead.next_steps = vec![hold.next.clone()];
                    continue;
                }
                bead.next_steps = next_steps::next_steps_of(&self.homes, bead, &convoy.id);
            }
        }
        // A repair belongs to a tracked bead, which is not done before it.
        let own: Vec<&TrackedBead> = tracked.iter().filter(|bead| !bead.is_repair).collect();
        let completed = own
            .iter()
            .filter(|bead| bead.standing == BeadStanding::Done)
            .count();
        ConvoyProgress {
            id: convoy.id.clone(),
            title: convoy.title.clone(),
            status: convoy.status.clone(),
            created_at: convoy.created_at.to_string(),
            counts: BeadCounts {
                completed,
                total: own.len(),
            },
            landings: record::convoy::count_landings(convoy),
            blocked_by: if convoy.is_open() {
                ConvoyBlocker::for_convoy(&self.stores.town, convoy)
            } else {
                Vec::new()
            },
            integration: integration::read_integration(convoy),
            tracked,
        }
    }
}

impl ConvoyProgress {
    /// Returns true if all tracked beads are done and no escalation blocks the convoy. False for a
    /// convoy without beads. True for a convoy that has landed in all its rigs and is not closed
    /// yet.
    pub fn is_done(&self) -> bool {
        let closing = self
            .integration
            .as_ref()
            .is_some_and(|integration| integration.closing);
        closing || (self.has_all_done() && self.blocked_by.is_empty())
    }

    fn has_all_done(&self) -> bool {
        self.counts.total > 0 && self.counts.completed == self.counts.total
    }
}

/// Maps each bead on a polecat's hook to the polecat's bead. A closed bead that is still on a hook
/// may have work on no target. The patrol removes it from the hook once nothing is left to submit.
fn map_hooked_beads(beads: &Snapshot) -> HashMap<&str, &Bead> {
    beads
        .select_open(&[BeadMark::Kind(&Kind::Agent), BeadMark::Label("gt:agent")])
        .filter(|bead| bead.role_type == "polecat" && !bead.hook_bead.is_empty())
        .map(|bead| (bead.hook_bead.as_str(), bead))
        .collect()
}

fn list_blockers(bead: &Bead) -> Vec<String> {
    bead.dependencies
        .iter()
        .filter(|link| link.kind.affects_ready() && link.kind != DepKind::ParentChild)
        .map(|link| link.depends_on_id.clone())
        .collect()
}

/// Builds the row of a done bead that is in the archive.
fn track_archived_bead(bead: Bead) -> TrackedBead {
    TrackedBead {
        is_repair: bead.has_label(MERGE_LABEL),
        blockers: list_blockers(&bead),
        status: bead.status,
        issue_type: bead.issue_type.to_string(),
        id: bead.id,
        title: bead.title,
        dependency_type: "tracks",
        assignee: bead.assignee,
        standing: BeadStanding::Done,
        waits_for: Vec::new(),
        why: String::new(),
        next_steps: Vec::new(),
    }
}

/// Builds the row of a bead that no store contains.
fn track_unknown_bead(id: &str) -> TrackedBead {
    TrackedBead {
        id: id.to_owned(),
        title: "(external)".to_owned(),
        status: Status::Other("unknown".into()),
        dependency_type: "tracks",
        issue_type: String::new(),
        assignee: String::new(),
        standing: BeadStanding::Unknown,
        waits_for: Vec::new(),
        blockers: Vec::new(),
        is_repair: false,
        why: String::new(),
        next_steps: Vec::new(),
    }
}

/// Computes the standing of a bead whose worker is not stuck.
fn find_standing(
    home: &RigStore,
    bead: &Bead,
    request: Option<&Bead>,
    waits: bool,
    is_unproven: bool,
) -> BeadStanding {
    match (&bead.status, request) {
        (_, Some(request)) if waits || merge_request::reason_for_user(request).is_some() => {
            BeadStanding::NeedsStep
        }
        (_, Some(_)) => BeadStanding::Merging,
        (Status::Closed, None) if home.hooked.contains_key(bead.id.as_str()) => {
            BeadStanding::Working
        }
        (Status::Closed, None) if is_unproven => BeadStanding::NeedsStep,
        (Status::Closed, None) if ending_of(bead) != BeadEnding::Done => BeadStanding::Failed,
        (Status::Closed | Status::Tombstone, None) => BeadStanding::Done,
        (Status::Hooked | Status::InProgress, None) if home.is_abandoned(bead) => {
            BeadStanding::NeedsStep
        }
        (Status::Hooked | Status::InProgress | Status::Pinned, None) => BeadStanding::Working,
        _ if waits => BeadStanding::Blocked,
        _ if bd::graph::is_blocked(home.beads, &bead.id) => BeadStanding::Blocked,
        _ => BeadStanding::Open,
    }
}

fn track_bead(homes: &[RigStore], id: &str) -> TrackedBead {
    let found = homes
        .iter()
        .find_map(|home| Some((home, home.beads.get(id)?)));
    let Some((home, bead)) = found else {
        let archived = homes.iter().find_map(|home| home.beads.archive().get(id));
        if let Some(bead) = archived {
            return track_archived_bead(bead);
        }
        return track_unknown_bead(id);
    };
    let request = merge_request::find_open_request(home.beads, id);
    let waits_for: Vec<String> = match request {
        Some(request) => bd::graph::find_blockers(home.beads, &request.id),
        None => bd::graph::find_blockers(home.beads, id),
    }
    .into_iter()
    .map(str::to_owned)
    .collect();
    let stuck = if bead.is_open() && request.is_none() {
        home.stuck_reason(id)
    } else {
        None
    };
    let unproven = attempt::unproven_worker(bead).map(|worker| {
        format!("{worker} closed it without `gt done`: nothing of it is known to be merged")
    });
    let standing = match (stuck.is_some(), unproven.is_some()) {
        (true, _) => BeadStanding::NeedsStep,
        (_, is_unproven) => find_standing(home, bead, request, !waits_for.is_empty(), is_unproven),
    };
    TrackedBead {
        id: id.to_owned(),
        title: bead.title.clone(),
        status: bead.status.clone(),
        dependency_type: "tracks",
        issue_type: bead.issue_type.to_string(),
        assignee: bead.assignee.clone(),
        standing,
        waits_for,
        blockers: list_blockers(bead),
        is_repair: bead.has_label(MERGE_LABEL),
        why: stuck
            .or(unproven)
            .or_else(|| match standing {
                BeadStanding::Open | BeadStanding::Blocked => home
                    .find_queued(id)
                    .map(|queued| match home.now {
                        Some(now) => queued.describe_at(now),
                        None => queued.describe_queued(),
                    })
                    .or_else(|| Some(attempt::last_given_up_attempt(bead)?.describe_failure())),
                BeadStanding::Failed => Some(bead.close_reason.clone()),
                BeadStanding::Done => describe_unmerged(bead),
                BeadStanding::Working => home.idle_reason(id),
                BeadStanding::NeedsStep if home.is_abandoned(bead) => {
                    Some("no one works on it".to_owned())
                }
                BeadStanding::NeedsStep | BeadStanding::Merging => {
                    request.and_then(|request| home.describe_wait(request))
                }
                BeadStanding::Unknown => None,
            })
            .unwrap_or_default(),
        next_steps: Vec::new(),
    }
}

/// Describes the ending of a bead that is done without a merge, by its close reason.
fn describe_unmerged(bead: &Bead) -> Option<String> {
    if bead.is_tombstone() {
        return Some("deleted".to_owned());
    }
    match bead.close_reason.trim() {
        merged
            if ["Merged in ", "Merged to "]
                .iter()
                .any(|mark| merged.starts_with(mark)) =>
        {
            None
        }
        "" | "Closed" => Some("closed without a merge, and without a reason".to_owned()),
        reason => Some(format!("closed without a merge: {reason}")),
    }
}

/// Returns true if the bead is work whose result a convoy waits for. False for records about work.
pub(crate) fn is_work(bead: &Bead) -> bool {
    !bead.issue_type.is_internal()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unchanged_and_cancelled_work_counts_as_done_but_failed_work_does_not() {
        let rows = [
            ("Merged in 0123 (web-mr-1)", BeadEnding::Done),
            ("No change: it is right already", BeadEnding::Done),
            ("Closed", BeadEnding::Done),
            ("", BeadEnding::Done),
            ("Cancelled: nobody wants it", BeadEnding::Done),
            ("cancelled by the overseer", BeadEnding::Done),
            ("Cancelled", BeadEnding::Unexplained),
            ("canceled: ", BeadEnding::Unexplained),
            ("abandoned.", BeadEnding::Unexplained),
            ("Failed: no such API", BeadEnding::Failed),
            ("escalated", BeadEnding::Failed),
        ];
        for (reason, expected) in rows {
            let bead = Bead {
                close_reason: reason.to_owned(),
                ..Bead::default()
            };
            assert_eq!(ending_of(&bead), expected, "{reason}");
        }
    }
}
