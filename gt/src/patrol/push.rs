//! Rule K1: pushes the commits of unfinished work to the remote.

use jiff::{SignedDuration, Timestamp};

use super::decision::{Action, Decision, WorkerVerb};
use super::rule;
use super::thresholds::Thresholds;
use crate::record::polecat::Polecat;
use crate::record::pushed::PushRecord;
use crate::record::town_view::TownView;
use crate::town::RigLayout;
use crate::town::name::Worker;

/// The factor of the wait after a refusal.
const AFTER_REFUSAL: i32 = 12;

/// A worker with commits since the last push of its branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnfinishedWork {
    pub worker: Worker,
    pub committed: Timestamp,
    /// The last push of the branch, or its refusal.
    pub last: Option<Timestamp>,
    /// True if the remote refused that push.
    pub refused: bool,
    pub alive: bool,
}

/// Reads the facts. Checking for a remote costs a process, so the action does it.
pub(super) fn facts(view: &TownView, rig: &RigLayout) -> Vec<UnfinishedWork> {
    view.polecats_of(rig.name())
        .iter()
        .filter_map(|polecat| unfinished_work_of(rig, polecat))
        .collect()
}

fn unfinished_work_of(rig: &RigLayout, polecat: &Polecat) -> Option<UnfinishedWork> {
    let slot = &polecat.slot;
    if !slot.is_unfinished() || polecat.busy || polecat.hook.as_deref() != Some(&*slot.bead) {
        return None;
    }
    let committed = polecat.committed?;
    let pushed = PushRecord::load(rig, &polecat.name);
    let is_same = pushed.branch == *polecat.slot.branch;
    let last = pushed.at.filter(|_| is_same);
    if is_same && pushed.committed == Some(committed) && pushed.refused.is_none() {
        return None;
    }
    Some(UnfinishedWork {
        worker: Worker::new(rig.name(), polecat.name.as_str()),
        committed,
        refused: last.is_some() && pushed.refused.is_some(),
        last,
        alive: polecat
            .session
            .as_ref()
            .is_some_and(|live| live.dead.is_none()),
    })
}

/// K1: commits of unfinished work are pushed after a while, and at once if the session has ended.
pub(super) fn decide(
    facts: &[UnfinishedWork],
    now: Timestamp,
    thresholds: &Thresholds,
) -> Vec<Decision> {
    facts
        .iter()
        .filter(|work| time_until_push(work, now, thresholds).is_zero())
        .map(|work| Decision {
            rule: rule::K1_PUSH_UNFINISHED,
            saw: format!("{} has commits that its remote may not have", work.worker),
            action: Action::Worker {
                verb: WorkerVerb::PushUnfinished,
                worker: work.worker.clone(),
            },
        })
        .collect()
}

/// Returns the time until the next push.
pub(super) fn due(
    facts: &[UnfinishedWork],
    now: Timestamp,
    thresholds: &Thresholds,
) -> Option<SignedDuration> {
    facts
        .iter()
        .map(|work| time_until_push(work, now, thresholds))
        .filter(SignedDuration::is_positive)
        .min()
}

fn time_until_push(
    work: &UnfinishedWork,
    now: Timestamp,
    thresholds: &Thresholds,
) -> SignedDuration {
    let (from, interval) = match work.last {
        Some(last) if work.refused => (last, thresholds.push * AFTER_REFUSAL),
        _ if !work.alive => return SignedDuration::ZERO,
        last => (last.unwrap_or(work.committed), thresholds.push),
    };
    // If the clock was turned back, the wait is at most the interval.
    let wait = interval - now.duration_since(from);
    wait.clamp(SignedDuration::ZERO, interval)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn minutes(number: i64) -> Timestamp {
        Timestamp::UNIX_EPOCH + SignedDuration::from_mins(number)
    }

    #[test]
    fn pushes_wait_minutes_for_running_sessions_and_longer_after_a_refusal() {
        let thresholds = Thresholds::default();
        let work = |last: Option<i64>, refused, alive| UnfinishedWork {
            worker: Worker::new("web", "nux"),
            committed: minutes(10),
            last: last.map(minutes),
            refused,
            alive,
        };
        let wait =
            |work: &UnfinishedWork| time_until_push(work, minutes(12), &thresholds).as_mins();
        assert_eq!(wait(&work(None, false, true)), 3);
        assert_eq!(wait(&work(Some(8), false, true)), 1);
        assert_eq!(wait(&work(Some(2), false, true)), 0);
        assert_eq!(wait(&work(None, false, false)), 0);
        assert_eq!(wait(&work(Some(11), true, false)), 59);
        let ripe = [work(Some(2), false, true)];
        let decided = decide(&ripe, minutes(12), &thresholds);
        let worker = Worker::new("web", "nux");
        let verb = WorkerVerb::PushUnfinished;
        assert_eq!(decided[0].action, Action::Worker { verb, worker });
        assert_eq!(due(&ripe, minutes(12), &thresholds), None);
    }
}
