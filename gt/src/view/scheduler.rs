//! Reads the queued beads of the town, in the order of their turns, and why none is started.

use jiff::Timestamp;
use serde::Serialize;

use crate::host::LiveTown;
use crate::record::progress::ActivityCache;
use crate::record::queued_sling::{QueuedSling, list_queued_slings, turn_of};
use crate::record::scheduler::{
    SchedulerState, StartObstacle, count_workers, find_town_room, find_use_obstacle,
    priority_of_rig, read_use_limits,
};
use crate::record::town_view::TownView;
use crate::town::Rig;

/// The queue of the town.
#[derive(Debug, Clone, Serialize)]
pub struct SchedulerReport {
    pub paused: bool,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub paused_by: String,
    pub queued_total: usize,
    /// The queued beads that nothing but room keeps from a worker.
    pub queued_ready: usize,
    pub active_polecats: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_dispatch_at: Option<Timestamp>,
    /// The reason of the whole town for starting none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub obstacle: Option<StartObstacle>,
    pub beads: Vec<QueuedBead>,
}

/// A queued bead.
#[derive(Debug, Clone, Serialize)]
pub struct QueuedBead {
    pub id: String,
    pub title: String,
    pub status: String,
    pub target_rig: String,
    pub enqueued_at: String,
    pub blocked: bool,
    /// The blockers, or the reason why its rig starts no worker.
    pub waits_for: Vec<String>,
    /// The reason why the last try failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_failure: Option<String>,
}

/// Reads the queue of the town, or of one rig.
pub fn read_scheduler(town: &LiveTown, rig: Option<&Rig>) -> anyhow::Result<SchedulerReport> {
    let view = TownView::read_idle(town, &ActivityCache::default())?;
    let state = SchedulerState::load(&town.layout);
    let limits = read_use_limits(town, &view);
    let mut beads = Vec::new();
    for (name, snapshot) in &view.stores.rigs {
        if rig.is_some_and(|rig| rig.name() != name) {
            continue;
        }
        let priority = priority_of_rig(view.settings.for_rig(Some(name)));
        for queued in list_queued_slings(snapshot) {
            let turn = turn_of(&queued, snapshot.get(&queued.work_bead_id));
            let bead = snapshot.get(&queued.work_bead_id);
            let layers = view.settings.for_rig(Some(name));
            let needs = limits.needs_of(&town.rig(name), layers, &queued.options, bead);
            let obstacle = find_use_obstacle(&limits, &needs);
            beads.push((
                (priority, turn),
                describe_bead(&view, name, queued, obstacle),
            ));
        }
    }
    beads.sort_by(|(one, _), (other, _)| one.cmp(other));
    let beads: Vec<QueuedBead> = beads.into_iter().map(|(_, bead)| bead).collect();
    Ok(SchedulerReport {
        paused: state.paused,
        paused_by: state.paused_by,
        queued_total: beads.len(),
        queued_ready: beads.iter().filter(|bead| !bead.blocked).count(),
        active_polecats: count_workers(&view),
        last_dispatch_at: state.last_dispatch_at,
        obstacle: find_town_room(&town.layout, &view).obstacle,
        beads,
    })
}

/// Describes why a rig can start no other worker: it has as many as its setting allows.
pub fn describe_full_rig(view: &TownView, rig: &str) -> Option<String> {
    let layers = view.settings.for_rig(Some(rig));
    let limit = usize::try_from(layers.valid_value("max_polecats").as_u64()?).ok()?;
    let at_work = view
        .polecats_of(rig)
        .iter()
        .filter(|worker| worker.is_counted_as_working())
        .count();
    (at_work >= limit).then(|| {
        let workers = kit::ui::counted(at_work, "worker");
        format!("rig {rig} has {workers} at work (setting max_polecats: {limit})")
    })
}

/// Returns the open beads, of all rigs, that a queued bead waits for.
pub fn find_queue_blockers(view: &TownView, rig: &str, id: &str) -> Vec<String> {
    let Some(snapshot) = view.stores.rigs.get(rig) else {
        return Vec::new();
    };
    let mut blockers: Vec<String> = bd::graph::find_blockers(snapshot, id)
        .into_iter()
        .map(str::to_owned)
        .collect();
    if let Some(bead) = snapshot.get(id) {
        blockers.extend(view.stores.external_blockers(bead));
    }
    blockers
}

fn describe_bead(
    view: &TownView,
    rig: &str,
    queued: QueuedSling,
    obstacle: Option<StartObstacle>,
) -> QueuedBead {
    let id = queued.work_bead_id;
    let snapshot = view.stores.rigs.get(rig);
    let bead = snapshot.and_then(|beads| beads.get(&id));
    let mut waits_for = find_queue_blockers(view, rig, &id);
    let hold = view.stores.holds.get(rig);
    waits_for.extend(hold.map(crate::town::hold::Hold::describe_wait));
    let blocked = !waits_for.is_empty();
    if !blocked {
        waits_for.extend(describe_full_rig(view, rig));
        waits_for.extend(obstacle.map(|obstacle| obstacle.to_string()));
    }
    QueuedBead {
        title: bead.map_or_else(String::new, |bead| bead.title.clone()),
        status: bead.map_or_else(|| "missing".to_owned(), |bead| bead.status.to_string()),
        target_rig: rig.to_owned(),
        enqueued_at: queued.enqueued_at,
        blocked,
        waits_for,
        last_failure: queued.failed.map(|failed| failed.why),
        id,
    }
}
