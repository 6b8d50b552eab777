//! Rule Q1: runs the merge queue of a rig.

use bd::store::Snapshot;
use jiff::{SignedDuration, Timestamp};

use super::decision::{Action, Decision};
use super::rule;
use crate::flow::work::mq;
use crate::town::config::RigSettings;
use crate::town::lock::Lock;
use crate::town::queue_pause::QueuePause;
use crate::town::{Rig, RigLayout};

/// The facts about a rig's merge queue.
#[derive(Debug, Clone, Default)]
pub struct QueueFacts {
    pub rig: String,
    /// The time until the queue has a ready request. None if no request is open, the queue is
    /// turned off or paused, its settings are wrong, or another process holds it.
    pub ready_in: Option<SignedDuration>,
    /// The time after which a request that the queue looks at now must be looked at again: its pull
    /// request, or the target that it waits for.
    pub next_look_in: Option<SignedDuration>,
    /// A hash of the open requests and of the gates.
    pub state: String,
}

/// Reads the facts.
pub(super) fn facts(
    rig: &RigLayout,
    beads: &Snapshot,
    settings: Option<&RigSettings>,
    now: Timestamp,
) -> QueueFacts {
    // The requests are read last: while the queue runs, no rule needs them.
    let running = settings.filter(|settings| {
        settings.merge_queue.enabled != Some(false)
            && QueuePause::load(rig).is_none()
            && Lock::is_free(&rig.queue_lock())
    });
    QueueFacts {
        rig: rig.name().to_owned(),
        ready_in: running.and_then(|settings| mq::time_until_ready(rig, settings, beads, now)),
        next_look_in: running.and_then(|settings| mq::pause_between_looks(settings, beads)),
        state: running.map_or_else(String::new, |settings| mq::hash_queue(settings, beads)),
    }
}

/// Q1: a ready merge request runs the queue.
pub(super) fn decide(facts: &QueueFacts) -> Vec<Decision> {
    let rig = &facts.rig;
    facts
        .ready_in
        .filter(SignedDuration::is_zero)
        .map(|_| Decision {
            rule: rule::Q1_RUN_QUEUE,
            saw: format!("rig {rig} has a merge request that nothing blocks"),
            action: Action::RunQueue {
                rig: rig.clone().into(),
                state: facts.state.clone(),
            },
        })
        .into_iter()
        .collect()
}

/// Returns the time until a request that waits for its target or its pull request must be looked at
/// again. A look that changes nothing wakes no pass, so the one after a look of now counts, too.
pub(super) fn due(facts: &QueueFacts) -> Option<SignedDuration> {
    let ready_in = facts.ready_in?;
    if ready_in.is_positive() {
        Some(ready_in)
    } else {
        facts.next_look_in
    }
}

/// Runs the queue. If only outside problems were in the way, fails so that the run is retried.
pub(super) fn run_queue_action(rig: &Rig) -> anyhow::Result<Option<String>> {
    let mut merged = mq::run_queue(rig)?;
    merged.retain(|merge| {
        !matches!(
            merge.outcome,
            mq::MergeOutcome::PullRequest { is_news: false, .. }
                | mq::MergeOutcome::TargetStillBroken { .. }
        )
    });
    let reasons: Vec<String> = merged
        .iter()
        .filter_map(|merge| match &merge.outcome {
            mq::MergeOutcome::Later { reason } | mq::MergeOutcome::GateCannotRun { reason, .. } => {
                Some(reason.clone())
            }
            _ => None,
        })
        .collect();
    match (merged.len(), reasons.first()) {
        (0, _) => Ok(None),
        (all, Some(reason)) if reasons.len() == all => Err(anyhow::anyhow!("{reason}")),
        (all, _) => Ok(Some(format!(
            "{} handled",
            kit::ui::counted(all, "merge request")
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ready_request_runs_the_queue_and_a_waiting_one_is_due_later() {
        let facts = |ready_in| QueueFacts {
            rig: "web".to_owned(),
            ready_in,
            ..QueueFacts::default()
        };
        let later = Some(SignedDuration::from_secs(90));
        assert!(decide(&facts(None)).is_empty() && decide(&facts(later)).is_empty());
        assert_eq!(due(&facts(later)), later);
        let ready = facts(Some(SignedDuration::ZERO));
        assert_eq!(decide(&ready)[0].rule, rule::Q1_RUN_QUEUE);
        assert_eq!((due(&ready), due(&facts(None))), (None, None));
        let minute = Some(SignedDuration::from_mins(1));
        let looked_at = QueueFacts {
            next_look_in: minute,
            ..ready
        };
        assert_eq!(due(&looked_at), minute);
    }
}
