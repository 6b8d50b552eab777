//! Checks the invariants of a real town: reads the facts for [`invariant::find_violations`].

use std::collections::{BTreeMap, BTreeSet};

use bd::bead::{Bead, Kind, Status, attempt};
use bd::git::Git;
use bd::store::{BeadMark, BeadRef, Snapshot};
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use crate::host::LiveTown;
use crate::patrol::PatrolSettings;
use crate::patrol::attention;
use crate::patrol::invariant::{
    self, ACTION_WINDOW, ActionCount, Invariant, InvariantViolation, TownState, WorkPlace,
    WorkState, WorkerState,
};
use crate::record::convoy;
use crate::record::merge_request;
use crate::record::polecat::{Polecat, SlotState};
use crate::record::queued_sling;
use crate::record::town_view::TownView;
use crate::town::beads::TownStores;
use crate::town::event::{Event, NewestEvents};
use crate::town::target_loss::TargetLoss;
use crate::town::{Rig, TownLayout};

/// The time window in which merges are verified on their targets.
const MERGE_WINDOW: SignedDuration = SignedDuration::from_hours(24 * 30);

#[derive(Debug, Clone, Serialize)]
pub struct TownHealth {
    /// True if all checked invariants hold.
    pub healthy: bool,
    /// The invariants with their violations.
    pub invariants: Vec<InvariantCount>,
    /// The number of checked beads, workers and merges.
    pub checked: HealthCounts,
    /// The parts that could not be read and were not checked.
    pub problems: Vec<String>,
}

/// One invariant with its violations.
#[derive(Debug, Clone, Serialize)]
pub struct InvariantCount {
    pub invariant: Invariant,
    pub says: &'static str,
    /// The number of current violations.
    pub count: usize,
    pub faults: Vec<InvariantViolation>,
}

/// The number of checked objects.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct HealthCounts {
    /// Beads with open work.
    pub beads: usize,
    pub workers: usize,
    /// Merges of the last 30 days.
    pub merges: usize,
}

pub fn check_health(town: &LiveTown) -> anyhow::Result<TownHealth> {
    let view = TownView::read(town)?;
    let mut problems: Vec<String> = view.blind.iter().cloned().collect();
    for (rig, reason) in &view.stores.unreadable {
        problems.push(format!("rig {rig} cannot be read: {reason}"));
    }
    let mut state = TownState::default();
    for (rig, beads) in &view.stores.rigs {
        let rig = town.rig(rig);
        let settings = PatrolSettings::from_layers(view.settings.for_rig(Some(rig.name())), &rig);
        let items = attention::rig_items(&town.layout, &view, rig.name(), &settings);
        let reported: BTreeSet<String> = items.into_iter().map(|item| item.bead).collect();
        let polecats = view.polecats_of(rig.name());
        // A worker that a command holds is between two states.
        state.workers.extend(
            polecats
                .iter()
                .filter(|polecat| !polecat.busy)
                .map(|polecat| worker_state(polecat, view.now)),
        );
        let busy = polecats
            .iter()
            .filter(|polecat| polecat.busy)
            .map(|polecat| polecat.slot.bead.to_string())
            .collect();
        let look = RigWork {
            beads,
            reported,
            busy,
        };
        state.work.extend(look.open_work());
        state.work.extend(recent_merges(&rig, beads, view.now));
    }
    mark_landed(&view.stores, &mut state.work);
    state.acts = count_actions(&town.layout, view.now)?;
    let faults = invariant::find_violations(&state);
    let open = state
        .work
        .iter()
        .filter(|work| work.place != WorkPlace::Closed)
        .count();
    Ok(TownHealth {
        healthy: faults.is_empty() && problems.is_empty(),
        invariants: count_by_invariant(&faults),
        checked: HealthCounts {
            beads: open,
            workers: state.workers.len(),
            merges: state.work.len() - open,
        },
        problems,
    })
}

fn count_by_invariant(faults: &[InvariantViolation]) -> Vec<InvariantCount> {
    Invariant::ALL
        .into_iter()
        .map(|invariant| {
            let faults: Vec<InvariantViolation> = faults
                .iter()
                .filter(|fault| fault.invariant == invariant)
                .cloned()
                .collect();
            InvariantCount {
                invariant,
                says: invariant.describe(),
                count: faults.len(),
                faults,
            }
        })
        .collect()
}

fn worker_state(polecat: &Polecat, now: Timestamp) -> WorkerState {
    WorkerState {
        name: format!("{}/{}", polecat.rig, polecat.name),
        bead: polecat.hook.clone(),
        is_idle: matches!(polecat.slot.state, SlotState::Idle),
        is_stuck: polecat.slot.state.stuck_reason().is_some(),
        quiet: polecat
            .session
            .as_ref()
            .filter(|live| live.dead.is_none())
            .map(|live| now.duration_since(live.activity)),
    }
}

/// The beads of a rig.
struct RigWork<'a> {
    beads: &'a Snapshot,
    /// The beads that a message is about.
    reported: BTreeSet<String>,
    /// The beads of workers that a command holds.
    busy: BTreeSet<String>,
}

impl RigWork<'_> {
    fn open_work(&self) -> Vec<WorkState> {
        let agents = self.beads.select_marked(
            &[BeadMark::Kind(&Kind::Agent), BeadMark::Label("gt:agent")],
            BeadRef::is_open,
        );
        let mut hooks: BTreeMap<&str, usize> = BTreeMap::new();
        for agent in agents.filter(|agent| agent.role_type == "polecat") {
            *hooks.entry(agent.hook_bead.as_str()).or_default() += 1;
        }
        let queued_slings = queued_sling::list_queued_slings(self.beads);
        let queued: BTreeSet<&str> = queued_slings
            .iter()
            .map(|queued_bead| queued_bead.work_bead_id.as_str())
            .collect();
        self.beads
            .select(|bead| {
                matches!(bead.status(), Status::Hooked | Status::InProgress) && !bead.is_ephemeral()
            })
            .filter(|bead| !self.busy.contains(&bead.id))
            .map(|bead| WorkState {
                id: bead.id.clone(),
                place: self.place_of(bead, queued.contains(bead.id.as_str())),
                holders: count_holders(bead, hooks.get(bead.id.as_str()).copied().unwrap_or(0)),
                merges: 0,
                missing: None,
                is_landed: false,
            })
            .collect()
    }

    fn place_of(&self, bead: &Bead, is_queued: bool) -> WorkPlace {
        let is_ours = bead.assignee.contains("/polecats/") || attempt::read_attempt(bead) > 0;
        if bead.status == Status::Hooked {
            WorkPlace::Hooked
        } else if merge_request::find_open_request(self.beads, &bead.id).is_some() {
            WorkPlace::HandedIn
        } else if is_queued || self.reported.contains(&bead.id) {
            WorkPlace::Reported
        } else if is_ours {
            WorkPlace::Unowned
        } else {
            WorkPlace::Free
        }
    }
}

/// Returns the number of hooks with the bead. For agents without a record of their own, the
/// assigned beads count as hooked.
fn count_holders(bead: &Bead, polecats: usize) -> usize {
    let is_others = bead.status == Status::Hooked && !bead.assignee.contains("/polecats/");
    polecats + usize::from(is_others && !bead.assignee.is_empty())
}

/// Returns the work that was merged in the last month.
fn recent_merges(rig: &Rig, beads: &Snapshot, now: Timestamp) -> Vec<WorkState> {
    let git = rig.git();
    let settled = list_settled_commits(rig);
    let closed = beads.select(|bead| {
        !bead.is_open() && bead.has_kind_or_label(&Kind::MergeRequest, "gt:merge-request")
    });
    let mut found: BTreeMap<(String, u64), WorkState> = BTreeMap::new();
    for request in closed.filter(|bead| is_recently_closed(bead, now)) {
        let Some(commit) = merge_request::commit_with_work(request) else {
            continue;
        };
        let source = merge_request::source_bead_of(request);
        let receipt = merge_request::receipt_of(request);
        let work = found
            .entry((source.clone(), receipt.attempt))
            .or_insert_with(|| WorkState {
                id: source,
                place: WorkPlace::Closed,
                holders: 0,
                merges: 0,
                missing: None,
                is_landed: false,
            });
        work.merges += 1;
        let is_settled = settled.contains(&commit);
        if !is_settled && !is_on_target(&git, &commit, &receipt.target) {
            work.missing = Some(commit);
        }
    }
    found.into_values().collect()
}

/// Returns the commits that targets have lost and for which that was settled.
fn list_settled_commits(rig: &Rig) -> BTreeSet<String> {
    // A file that cannot be read settles nothing.
    let losses = TargetLoss::load(rig).into_iter().flatten();
    losses
        .filter(|loss| !loss.is_open())
        .flat_map(|loss| loss.merges)
        .map(|merge| merge.commit)
        .collect()
}

fn is_recently_closed(bead: &Bead, now: Timestamp) -> bool {
    let closed = bead.closed_at.as_ref();
    closed.is_some_and(|at| now.duration_since(at.instant()) < MERGE_WINDOW)
}

/// Returns true if the target, as last fetched, contains a commit. A target without a known tip is
/// not judged and counts as true.
fn is_on_target(git: &Git, commit: &str, target: &str) -> bool {
    let names = [
        format!("refs/remotes/origin/{target}"),
        format!("refs/heads/{target}"),
    ];
    let tips: Vec<String> = names
        .iter()
        .filter_map(|name| git.resolve(name).ok().flatten())
        .collect();
    tips.is_empty()
        || tips
            .iter()
            .any(|tip| matches!(git.is_ancestor(commit, tip), Ok(true)))
}

/// Marks the work that was open when its convoy landed. Work that was changed since then was
/// started again and does not count.
fn mark_landed(stores: &TownStores, work: &mut [WorkState]) {
    let mut landed: BTreeMap<&str, Timestamp> = BTreeMap::new();
    for convoy_bead in convoy::list_convoys(&stores.town, true) {
        if let Some(at) = &convoy_bead.closed_at
            && convoy::has_landed(convoy_bead)
        {
            let at = at.instant();
            landed.extend(convoy::tracked_ids(convoy_bead).map(|id| (id, at)));
        }
    }
    for work in work
        .iter_mut()
        .filter(|work| work.place != WorkPlace::Closed)
    {
        let at = landed.get(work.id.as_str());
        work.is_landed = at
            .zip(stores.get(&work.id))
            .is_some_and(|(at, bead)| bead.updated_at.instant() <= *at);
    }
}

/// Counts the actions of each rule on each subject in the last day.
fn count_actions(layout: &TownLayout, now: Timestamp) -> anyhow::Result<Vec<ActionCount>> {
    let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
    let day_ago = now.checked_sub(ACTION_WINDOW).ok();
    for line in NewestEvents::new(layout)?.since(day_ago) {
        let line = line?;
        if let Event::Patrol(acted) = line.to_event()
            && let Ok(at) = line.ts.parse::<Timestamp>()
            && now.duration_since(at) < ACTION_WINDOW
        {
            *counts
                .entry((acted.rule, acted.r#do.to_string()))
                .or_default() += 1;
        }
    }
    Ok(counts
        .into_iter()
        .map(|((rule, subject), times)| ActionCount {
            rule,
            subject,
            times,
        })
        .collect())
}
