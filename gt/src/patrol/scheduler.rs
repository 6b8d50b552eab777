//! Rules W1 and R1: choose the beads that go to a rig's workers.

use bd::bead::{Bead, Status};
use bd::store::Snapshot;

use super::decision::{Action, Decision};
use super::rule;
use crate::flow::{mq, sling};
use crate::host::LiveTown;
use crate::record::merge_task;
use crate::record::queued_sling;
use crate::record::town_view::TownView;
use crate::town::Rig;
use crate::town::config::RigSettings;
use crate::town::lock;

/// The facts about the beads for a rig's workers.
#[derive(Debug, Clone, Default)]
pub struct SchedulerFacts {
    pub rig: String,
    /// Queued beads that nothing blocks any more.
    pub unblocked: Vec<String>,
    /// Conflict and repair tasks that go to a worker automatically and are not queued yet.
    pub repairs: Vec<String>,
    /// The number of additional polecats that can take work.
    pub room: usize,
}

/// Reads the facts.
pub(super) fn facts(
    view: &TownView,
    rig: &str,
    beads: &Snapshot,
    settings: &RigSettings,
) -> SchedulerFacts {
    let queued: Vec<String> = queued_sling::list_queued_slings(beads)
        .into_iter()
        .map(|queued| queued.work_bead_id)
        .collect();
    let repairs = if settings.is_auto_repair() {
        find_repairs(beads, &queued)
    } else {
        Vec::new()
    };
    let is_free = |id: &String| {
        let elsewhere = |bead| view.stores.external_blockers(bead);
        !bd::graph::is_blocked(beads, id)
            && beads.get(id).is_none_or(|bead| elsewhere(bead).is_empty())
    };
    let polecats = view.polecats_of(rig).iter();
    let at_work = polecats
        .filter(|polecat| polecat.is_counted_as_working())
        .count();
    let room = settings.max_polecats().saturating_sub(at_work);
    SchedulerFacts {
        rig: rig.to_owned(),
        unblocked: queued.into_iter().filter(is_free).collect(),
        repairs,
        // No worker is started while the running sessions are unknown.
        room: view.sessions.as_ref().map_or(0, |_| room),
    }
}

/// Returns the merge queue's tasks that go to a worker automatically.
fn find_repairs(beads: &Snapshot, queued: &[String]) -> Vec<String> {
    let tasks = merge_task::open_tasks(beads).into_iter();
    tasks
        .filter(|task| mq::is_automatic_task(beads, task) && !queued.contains(&task.id))
        .map(|task| task.id.clone())
        .collect()
}

/// - R1: a conflict or repair task goes to a worker, unless a user must decide that.
/// - W1: queued beads are slung as soon as nothing blocks them, while there is room. A bead whose
///   retry is not due takes no room.
pub(super) fn decide(facts: &SchedulerFacts, is_due: &dyn Fn(&Decision) -> bool) -> Vec<Decision> {
    let rig = &facts.rig;
    let queue = |bead: &String| Decision {
        rule: rule::R1_QUEUE_REPAIR,
        saw: format!("{bead} is open, and nobody had it"),
        action: Action::QueueRepair {
            rig: rig.clone().into(),
            bead: bead.clone().into(),
        },
    };
    let go = |bead: &String| Decision {
        rule: rule::W1_SLING_UNBLOCKED,
        saw: format!("{bead} is blocked no more, and rig {rig} has room"),
        action: Action::SlingQueued {
            rig: rig.clone().into(),
            bead: bead.clone().into(),
        },
    };
    let repairs = facts.repairs.iter().map(queue);
    let ready = facts
        .unblocked
        .iter()
        .map(go)
        .filter(|decision| is_due(decision));
    repairs.chain(ready.take(facts.room)).collect()
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
    let is_open = |bead: &Bead| bead.status == Status::Open;
    if !beads.get(bead).is_some_and(is_open) {
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
    Ok(Some(format!("{bead} went to {}", slung.target)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queued_beads_fill_the_room_and_a_bead_backing_off_takes_none() {
        let facts = SchedulerFacts {
            rig: "web".into(),
            unblocked: vec!["a".into(), "b".into(), "c".into()],
            repairs: vec!["r".into()],
            room: 2,
        };
        let decisions = decide(&facts, &|_| true);
        let rules: Vec<&str> = decisions.iter().map(|one| one.rule.name).collect();
        let sling = "W1-sling-unblocked";
        assert_eq!(rules, ["R1-queue-repair", sling, sling]);
        let is_due = |one: &Decision| one.action.subject().to_string() != "bead a";
        let gone: Vec<String> = decide(&facts, &is_due)
            .iter()
            .map(|one| one.action.subject().to_string())
            .collect();
        assert_eq!(gone, ["bead r", "bead b", "bead c"]);
    }
}
