//! The facts of one pass: sessions by one call, every store read once, locks looked at, the clock read
//! once. Nothing is written.

use std::collections::BTreeMap;

use bd::bead::attempt;
use bd::store::Snapshot;
use jiff::Timestamp;

use crate::flow::convoy;
use crate::flow::done::{self, Left};
use crate::flow::mq;
use crate::flow::sync::{self, Sharing};
use crate::host::Live;
use crate::host::LiveTown;
use crate::patrol::attention::{self, Messages};
use crate::record;
use crate::record::merge_task;
use crate::record::polecat::{Polecat, SlotState, State};
use crate::record::queued_sling;
use crate::record::town_view::TownView;
use crate::town::RigLayout;
use crate::town::config::RigSettings;
use crate::town::identity::Address;
use crate::town::lock::Lock;

/// What is known about the town at the start of a pass.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// When.
    pub now: Timestamp,
    /// By rig.
    pub rigs: BTreeMap<String, RigFacts>,
    /// Open convoys whose tracked work is all done.
    pub landable: Vec<String>,
    /// Requests for convoys that are approved and not finished, and nobody is at them.
    pub unfinished_convoys: Vec<String>,
    /// Rigs whose beads could not be read, with the reason.
    pub unreadable: Vec<String>,
    /// Why the sessions could not be asked, where that is so.
    pub degraded: Option<String>,
    /// Messages about what needs a person that are to be written or closed.
    pub messages: Messages,
    /// Stores with something new for their branches.
    pub sharing: Vec<Sharing>,
    /// The sessions that were seen, for whoever wants to hear of their end.
    pub sessions: Vec<Live>,
}

/// What is known about a rig.
#[derive(Debug, Clone, Default)]
pub struct RigFacts {
    /// Its polecats.
    pub polecats: Vec<PolecatFacts>,
    /// Whether its merge queue has a ready request and nobody is at it.
    pub queue_ready: bool,
    /// Beads in line that nothing blocks any more.
    pub unblocked: Vec<String>,
    /// Conflict and repair tasks that go to a worker automatically and are not queued yet.
    pub repairs: Vec<String>,
    /// How many more polecats can take work.
    pub room: usize,
}

/// What is known about a polecat.
#[derive(Debug, Clone)]
pub struct PolecatFacts {
    /// Its name.
    pub name: String,
    /// What it is.
    pub state: State,
    /// Why.
    pub why: String,
    /// The bead on its hook.
    pub hook: Option<String>,
    /// Whether that bead is closed.
    pub hook_closed: bool,
    /// Whether someone else than its worker closed or deleted it, or closed and reopened it.
    pub superseded: bool,
    /// When it was closed.
    pub closed_at: Option<Timestamp>,
    /// What its sandbox holds that is on no target; looked at only where the bead is closed.
    pub left: Left,
    /// Whether its local record knows nothing of the bead on its hook.
    pub record_lost: bool,
    /// Whether a gt process holds its slot.
    pub busy: bool,
    /// Whether its session runs; `None` where it could not be asked.
    pub alive: Option<bool>,
    /// Whether its session has ended and its last screen is still shown.
    pub shown: bool,
    /// What it is in the middle of.
    pub slot: SlotState,
    /// When its session was started anew, for this bead.
    pub respawns: Vec<Timestamp>,
}

/// Reads the facts.
pub fn facts(town: &LiveTown) -> anyhow::Result<Facts> {
    let view = TownView::read_idle(town)?;
    let (now, stores) = (view.now, &view.stores);
    let mut rigs = BTreeMap::new();
    let mut matters = Vec::new();
    for (name, beads) in &stores.rigs {
        let rig = town.layout.rig(name);
        let all = view.polecats_of(name);
        let automatic = RigSettings::load(town, &rig)
            .unwrap_or_default()
            .auto_repair();
        matters.extend(attention::of_rig((name, automatic), beads, all, now));
        rigs.insert(name.clone(), rig_facts(town, &view, &rig, beads));
    }
    let mayor_runs = view.session_of(&Address::Mayor).is_some();
    let board = convoy::Board::of_view(&view);
    let landable = record::convoy::list(&stores.town, false)
        .into_iter()
        .map(|convoy| board.progress(convoy))
        .filter(convoy::Progress::is_done)
        .map(|progress| progress.id)
        .collect();
    let unreadable = stores
        .unreadable
        .iter()
        .map(|(rig, reason)| format!("{rig}: {reason}"))
        .collect();
    Ok(Facts {
        now,
        rigs,
        landable,
        unfinished_convoys: convoy::review::unfinished(&stores.town)
            .into_iter()
            .filter(|id| Lock::is_free(&town.layout.review_lock(id)))
            .collect(),
        unreadable,
        degraded: view.blind.clone(),
        messages: attention::messages(&stores.town, matters, mayor_runs),
        sharing: sync::facts(town, stores, now),
        sessions: view.sessions.unwrap_or_default(),
    })
}

fn rig_facts(town: &LiveTown, view: &TownView, rig: &RigLayout, beads: &Snapshot) -> RigFacts {
    let (all, stores) = (view.polecats_of(rig.name()), &view.stores);
    let at_work = all.iter().filter(|polecat| polecat.takes_up_room()).count();
    let room = crate::town::config::max_polecats(town, rig).saturating_sub(at_work);
    let unblocked = queued_sling::waiting(beads)
        .into_iter()
        .map(|waiting| waiting.work_bead_id)
        .filter(|id| !bd::graph::is_blocked(beads, id))
        .filter(|id| {
            let bead = beads.get(id);
            bead.is_none_or(|bead| stores.blockers_elsewhere(bead).is_empty())
        })
        .collect();
    // Settings that cannot be read are for the queue to complain about.
    let settings = RigSettings::load(town, rig).unwrap_or_default();
    let is_on = settings.merge_queue.enabled != Some(false);
    RigFacts {
        polecats: all
            .iter()
            .map(|polecat| polecat_facts(rig, beads, view, polecat))
            .collect(),
        queue_ready: is_on && mq::has_ready(beads, view.now) && Lock::is_free(&rig.queue_lock()),
        unblocked,
        repairs: if settings.auto_repair() {
            repairs(beads)
        } else {
            Vec::new()
        },
        // Nothing is started while nobody knows what runs.
        room: view.sessions.as_ref().map_or(0, |_| room),
    }
}

/// The tasks of the queue that go to a worker automatically.
fn repairs(beads: &Snapshot) -> Vec<String> {
    let queued = queued_sling::waiting(beads);
    let is_queued = |id: &str| queued.iter().any(|waiting| waiting.work_bead_id == id);
    let tasks = merge_task::open_tasks(beads).into_iter();
    tasks
        .filter(|task| mq::is_automatic(beads, task) && !is_queued(&task.id))
        .map(|task| task.id.clone())
        .collect()
}

fn polecat_facts(
    rig: &RigLayout,
    beads: &Snapshot,
    view: &TownView,
    polecat: &Polecat,
) -> PolecatFacts {
    let slot = &polecat.slot;
    let on_hook = polecat.hook.as_deref().and_then(|id| beads.get(id));
    let closed = on_hook.filter(|bead| !bead.is_open());
    let closed_at = closed.and_then(|bead| bead.closed_at.as_ref());
    PolecatFacts {
        state: polecat.state,
        why: polecat.why.clone(),
        hook_closed: closed.is_some(),
        record_lost: polecat.hook.as_ref().is_some_and(|hook| *hook != slot.bead),
        superseded: match beads.get(&slot.bead) {
            None => !slot.bead.is_empty(),
            Some(bead) => {
                let is_on_hook = on_hook.is_some_and(|on_hook| on_hook.id == bead.id);
                is_on_hook && (attempt::of(bead) != slot.attempt || bead.is_tombstone())
            }
        },
        closed_at: closed_at.map(bd::bead::Stamp::instant),
        left: closed.map_or(Left::Nothing, |_| done::left(rig, &polecat.name, slot)),
        busy: polecat.busy,
        alive: view.sessions.as_ref().map(|_| {
            polecat
                .session
                .as_ref()
                .is_some_and(|live| live.dead.is_none())
        }),
        shown: polecat
            .session
            .as_ref()
            .is_some_and(|live| live.dead.is_some()),
        slot: slot.state.clone(),
        respawns: slot
            .respawns
            .iter()
            .filter_map(|text| text.parse().ok())
            .collect(),
        hook: polecat.hook.clone(),
        name: polecat.name.clone(),
    }
}
