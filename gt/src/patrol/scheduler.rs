//! Rules W1 and R1: choose the beads that go to a rig's workers.

use std::collections::{HashMap, VecDeque};

use bd::bead::Status;
use bd::store::Snapshot;
use jiff::{SignedDuration, Timestamp};

use super::decision::{Action, Decision};
use super::rule;
use crate::flow::work::{mq, sling};
use crate::host::LiveTown;
use crate::record::merge_task;
use crate::record::queued_sling;
use crate::record::scheduler::{TownRoom, find_use_obstacle, find_work_obstacle, priority_of_rig};
use crate::record::start_use::{StartNeeds, UseLimits};
use crate::record::town_view::TownView;
use crate::town::Rig;
use crate::town::config::RigSettings;
use crate::town::lock;

/// The facts about the beads for a rig's workers.
#[derive(Debug, Clone, Default)]
pub struct SchedulerFacts {
    pub rig: String,
    /// Queued beads that nothing blocks any more and no budget stops, in the order of their turns.
    pub unblocked: Vec<String>,
    /// Conflict and repair tasks that go to a worker automatically and are not queued yet.
    pub repairs: Vec<String>,
    /// The number of additional polecats that can take work.
    pub room: usize,
    /// The number of polecats at work.
    pub at_work: usize,
    /// The rig's place among the rigs if the town has too little room: 0 is first.
    pub priority: i64,
    /// The needs of the worker of each unblocked bead, if it has any.
    pub needs: HashMap<String, StartNeeds>,
    /// The turn of the first unblocked bead. Of two rigs with as many polecats at work, the one
    /// whose bead has waited longer is first.
    pub first_turn: Option<Timestamp>,
}

/// Reads the facts.
pub(super) fn facts(
    view: &TownView,
    rig: &Rig,
    beads: &Snapshot,
    settings: Option<&RigSettings>,
    limits: &UseLimits,
) -> SchedulerFacts {
    let mut waiting = queued_sling::list_queued_slings(beads);
    waiting.sort_by_cached_key(|queued| {
        queued_sling::turn_of(queued, beads.get(&queued.work_bead_id))
    });
    let turns: HashMap<String, Timestamp> = waiting
        .iter()
        .map(|queued| {
            let (turn, ..) = queued_sling::turn_of(queued, beads.get(&queued.work_bead_id));
            (queued.work_bead_id.clone(), turn)
        })
        .collect();
    let layers = view.settings.for_rig(Some(rig.name()));
    let needs = waiting.iter().map(|queued| {
        let bead = beads.get(&queued.work_bead_id);
        let needs = limits.needs_of(rig, layers, &queued.options, bead);
        (queued.work_bead_id.clone(), needs)
    });
    let needs = needs.collect();
    let queued: Vec<String> = waiting
        .into_iter()
        .map(|queued| queued.work_bead_id)
        .collect();
    let repairs = if settings.is_some_and(RigSettings::is_auto_repair) {
        find_repairs(beads, &queued)
    } else {
        Vec::new()
    };
    let at_work = view
        .polecats_of(rig.name())
        .iter()
        .filter(|polecat| polecat.is_counted_as_working())
        .count();
    let limit = settings.map_or(0, RigSettings::max_polecats);
    let room = limit.saturating_sub(at_work);
    let unblocked: Vec<String> = queued
        .into_iter()
        .filter(|id| {
            !bd::graph::is_blocked(beads, id)
                && beads
                    .get(id)
                    .is_none_or(|bead| view.stores.external_blockers(bead).is_empty())
                && find_work_obstacle(view, rig.name(), id).is_none()
        })
        .collect();
    SchedulerFacts {
        rig: rig.name().to_owned(),
        needs,
        first_turn: unblocked.first().and_then(|bead| turns.get(bead)).copied(),
        unblocked,
        repairs,
        // No worker is started while the running sessions are unknown.
        room: view.sessions.as_ref().map_or(0, |_| room),
        at_work,
        priority: priority_of_rig(view.settings.for_rig(Some(rig.name()))),
    }
}

/// Returns the merge queue's tasks that go to a worker automatically.
fn find_repairs(beads: &Snapshot, queued: &[String]) -> Vec<String> {
    merge_task::open_tasks(beads)
        .into_iter()
        .filter(|task| mq::is_automatic_task(beads, task) && !queued.contains(&task.id))
        .map(|task| task.id.clone())
        .collect()
}

/// R1: a conflict or repair task goes to a worker, unless a user must decide that.
pub(super) fn decide_repairs(facts: &SchedulerFacts) -> Vec<Decision> {
    facts
        .repairs
        .iter()
        .map(|bead| Decision {
            rule: rule::R1_QUEUE_REPAIR,
            saw: format!("{bead} is open, and no worker had it"),
            action: Action::QueueRepair {
                rig: facts.rig.clone().into(),
                bead: bead.clone().into(),
            },
        })
        .collect()
}

/// W1: queued beads are slung as soon as nothing blocks them, while rig and town have room. A bead
/// whose retry is not due takes no room. The rigs take turns: first those with the most urgent
/// priority, among them the one with the fewest polecats at work, then the one that waits longest.
pub(super) fn decide_slings(
    rigs: &[&SchedulerFacts],
    town_room: &TownRoom,
    limits: &UseLimits,
    is_due: &dyn Fn(&Decision) -> bool,
) -> Vec<Decision> {
    let mut limits = limits.clone();
    let mut waiting: Vec<WaitingRig> = rigs
        .iter()
        .map(|facts| WaitingRig {
            at_work: facts.at_work,
            room: facts.room,
            facts,
            slings: facts
                .unblocked
                .iter()
                .map(|bead| (bead.as_str(), build_sling(&facts.rig, bead)))
                .filter(|(_, decision)| is_due(decision))
                .collect(),
        })
        .collect();
    let mut decisions = Vec::new();
    for _ in 0..town_room.slots {
        for rig in &mut waiting {
            rig.skip_full_uses(&limits);
        }
        let next = waiting
            .iter_mut()
            .filter(|rig| rig.room > 0 && !rig.slings.is_empty())
            .min_by_key(|rig| (rig.facts.priority, rig.at_work, rig.facts.first_turn));
        let Some(rig) = next else { break };
        rig.at_work += 1;
        rig.room -= 1;
        if let Some((bead, decision)) = rig.slings.pop_front() {
            if let Some(needs) = rig.facts.needs.get(bead) {
                limits.add_needs(needs);
            }
            decisions.push(decision);
        }
    }
    decisions
}

/// Returns the time after which the room of the town, or of a host, may have changed, if beads wait
/// for it.
pub(super) fn due(
    rigs: &[&SchedulerFacts],
    town_room: &TownRoom,
    limits: &UseLimits,
) -> Option<SignedDuration> {
    let waiting = || {
        let with_room = rigs.iter().filter(|facts| facts.room > 0);
        with_room.flat_map(|facts| facts.unblocked.iter().map(|bead| (*facts, bead)))
    };
    waiting().next()?;
    if let Some(obstacle) = &town_room.obstacle {
        return obstacle.recheck_in();
    }
    waiting()
        .filter_map(|(facts, bead)| facts.needs.get(bead))
        .filter_map(|needs| find_use_obstacle(limits, needs)?.recheck_in())
        .min()
}

/// A rig with queued beads.
struct WaitingRig<'f> {
    at_work: usize,
    room: usize,
    facts: &'f SchedulerFacts,
    slings: VecDeque<(&'f str, Decision)>,
}

impl WaitingRig<'_> {
    /// Removes the first beads, as long as their agent program, account or host is at its limit.
    fn skip_full_uses(&mut self, limits: &UseLimits) {
        while let Some((bead, _)) = self.slings.front()
            && let Some(needs) = self.facts.needs.get(*bead)
            && find_use_obstacle(limits, needs).is_some()
        {
            self.slings.pop_front();
        }
    }
}

fn build_sling(rig: &str, bead: &str) -> Decision {
    Decision {
        rule: rule::W1_SLING_UNBLOCKED,
        saw: format!("{bead} is blocked no more, and rig {rig} has room"),
        action: Action::SlingQueued {
            rig: rig.to_owned().into(),
            bead: bead.to_owned().into(),
        },
    }
}

/// Queues a task of the merge queue for a worker of the rig.
pub(super) fn queue_repair(rig: &Rig, task: &str) -> anyhow::Result<Option<String>> {
    let found = rig.town().find_bead(task)?;
    if !mq::is_automatic_task(&found.store.snapshot()?, &found.bead) {
        return Ok(None);
    }
    let request = sling::SlingRequest {
        bead: task.to_owned(),
        target: rig.name().to_owned(),
        ..sling::SlingRequest::default()
    };
    let waits_for = vec!["a free worker".to_owned()];
    sling::enqueue_bead(rig, &request, &found.bead, waits_for)?;
    Ok(Some(format!("{task} is queued for a worker")))
}

/// Slings a queued bead. The claim removes it from the queue. If the sling fails, it stays queued.
pub(super) fn sling_queued(
    town: &LiveTown,
    rig: &Rig,
    bead: &str,
) -> anyhow::Result<Option<String>> {
    let beads = rig.store()?.snapshot()?;
    let Some(queued) = queued_sling::list_queued_slings(&beads)
        .into_iter()
        .find(|w| w.work_bead_id == bead)
    else {
        return Ok(None);
    };
    if beads
        .get(bead)
        .is_none_or(|bead| bead.status != Status::Open)
    {
        queued_sling::remove_queued_sling(rig, bead)?;
        return Ok(Some(format!(
            "{bead} is not queued any more: it is not open"
        )));
    }
    let request = sling::SlingRequest {
        bead: bead.to_owned(),
        target: rig.name().to_owned(),
        options: queued.options,
    };
    let slung = sling::sling_bead(town, &request).inspect_err(|error| {
        if !lock::is_lock_held_error(error) {
            // Errors are ignored, because the failed sling is reported in any case.
            queued_sling::record_queue_failure(rig, bead, &format!("{error:#}")).ok();
        }
    })?;
    if !slung.waits_for.is_empty() {
        return Ok(None);
    }
    Ok(Some(format!("{bead} went to {}", slung.target)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(rig: &str, beads: &[&str], room: usize) -> SchedulerFacts {
        SchedulerFacts {
            rig: rig.into(),
            unblocked: beads.iter().map(|bead| (*bead).to_owned()).collect(),
            room,
            ..SchedulerFacts::default()
        }
    }

    fn town_room(slots: usize) -> TownRoom {
        TownRoom {
            slots,
            obstacle: None,
        }
    }

    fn subjects(decisions: &[Decision]) -> Vec<String> {
        let of_one = |one: &Decision| one.action.subject().to_string();
        decisions.iter().map(of_one).collect()
    }

    #[test]
    fn queued_beads_fill_the_room_and_a_bead_backing_off_takes_none() {
        let facts = facts("web", &["a", "b", "c"], 2);
        let slings = |is_due: &dyn Fn(&Decision) -> bool| {
            let room = TownRoom::default();
            subjects(&decide_slings(
                &[&facts],
                &room,
                &UseLimits::default(),
                is_due,
            ))
        };
        assert_eq!(slings(&|_| true), ["bead a", "bead b"]);
        let is_due = |one: &Decision| one.action.subject().to_string() != "bead a";
        assert_eq!(slings(&is_due), ["bead b", "bead c"]);
    }

    #[test]
    fn rigs_share_the_room_of_the_town_by_priority_and_by_their_workers() {
        let busy = SchedulerFacts {
            at_work: 2,
            priority: 2,
            ..facts("web", &["w1", "w2", "w3"], 5)
        };
        let idle = SchedulerFacts {
            priority: 2,
            ..facts("api", &["a1", "a2", "a3", "a4"], 5)
        };
        let urgent = SchedulerFacts {
            at_work: 9,
            priority: 0,
            ..facts("ops", &["o1"], 5)
        };
        let started = |slots| {
            let rigs = [&busy, &idle, &urgent];
            let room = town_room(slots);
            subjects(&decide_slings(&rigs, &room, &UseLimits::default(), &|_| {
                true
            }))
        };
        assert_eq!(
            started(5),
            ["bead o1", "bead a1", "bead a2", "bead w1", "bead a3"]
        );
        assert_eq!(started(0), Vec::<String>::new());
        // Of two idle rigs, the one that waits longer gets the only place.
        let at = |second| Timestamp::from_second(second).ok();
        let first = SchedulerFacts {
            first_turn: at(2),
            ..facts("api", &["a1"], 5)
        };
        let longer = SchedulerFacts {
            first_turn: at(1),
            ..facts("web", &["w1"], 5)
        };
        let rigs = [&first, &longer];
        let one = decide_slings(&rigs, &town_room(1), &UseLimits::default(), &|_| true);
        assert_eq!(subjects(&one), ["bead w1"]);
        assert_eq!(started(usize::MAX).len(), 8);
    }
}
