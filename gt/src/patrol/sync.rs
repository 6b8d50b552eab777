//! Rule S1: syncs beads with their branches.

use jiff::SignedDuration;

use super::decision::{Action, Decision};
use super::rule;
use super::thresholds::Thresholds;
use crate::flow::place::sync::{self, SyncState};
use crate::record::town_view::TownView;
use crate::town::Town;
use crate::town::name::RigName;

/// The maximum number of times that the wait doubles after failures.
const MAX_DOUBLINGS: u32 = 5;

/// The age of a change from which a store is synced although someone writes.
const MAX_CHANGE_AGE: SignedDuration = SignedDuration::from_mins(5);

/// Reads the facts.
pub(super) fn facts(town: &Town, view: &TownView) -> Vec<SyncState> {
    sync::facts(town, &view.stores, view.now)
}

/// S1: a store with changes is synced once no one writes, right after a landing, and if its oldest
/// change has waited for some minutes.
pub(super) fn decide(state: &SyncState, thresholds: &Thresholds) -> Option<Decision> {
    let whose = match &state.rig {
        Some(rig) => format!("rig {rig}"),
        None => "the town".to_owned(),
    };
    let why = if state.unpushed {
        "a commit that its remote does not have"
    } else if state.landed {
        "something new, and a convoy landed"
    } else if state.waits >= MAX_CHANGE_AGE {
        "changes that have waited for some minutes"
    } else {
        "something new, and no one is writing"
    };
    time_until_sync(state, thresholds)
        .is_zero()
        .then(|| Decision {
            rule: rule::S1_SHARE_BEADS,
            saw: format!("{whose} has {why}"),
            action: Action::SyncBeads {
                rig: state.rig.as_deref().map(RigName::from),
            },
        })
}

/// Returns the time until a store is synced that is not synced now.
pub(super) fn due(state: &SyncState, thresholds: &Thresholds) -> Option<SignedDuration> {
    Some(time_until_sync(state, thresholds)).filter(SignedDuration::is_positive)
}

/// Returns the time until the next try, if no one writes until then.
fn time_until_sync(state: &SyncState, thresholds: &Thresholds) -> SignedDuration {
    let interval = thresholds.sync_interval * 2_i32.pow(state.failures.min(MAX_DOUBLINGS));
    let wait = state
        .since
        .map_or(SignedDuration::ZERO, |since| interval - since);
    let rest = if state.landed || state.unpushed {
        SignedDuration::ZERO
    } else {
        (thresholds.sync_rest - state.rest).min(MAX_CHANGE_AGE - state.waits)
    };
    wait.max(rest).max(SignedDuration::ZERO)
}

/// Syncs a store's beads with their branch.
pub(super) fn run_sync(town: &Town, rig: Option<&str>) -> anyhow::Result<Option<String>> {
    sync::sync_beads(town, rig)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(rest: i64, since: Option<i64>, failures: u32) -> i64 {
        let state = SyncState {
            rest: SignedDuration::from_secs(rest),
            since: since.map(SignedDuration::from_secs),
            failures,
            ..SyncState::default()
        };
        time_until_sync(&state, &Thresholds::default()).as_secs()
    }

    #[test]
    fn a_quiet_store_syncs_once_per_minute_and_less_often_after_failures() {
        assert_eq!(after(0, None, 0), 30);
        assert_eq!(after(30, None, 0), 0);
        assert_eq!(after(30, Some(10), 0), 50);
        assert_eq!(after(5, Some(100), 0), 25);
        assert_eq!(after(99, Some(60), 1), 60);
        assert_eq!(after(99, Some(0), 9), 32 * 60);
    }

    #[test]
    fn a_store_that_is_always_written_to_syncs_after_some_minutes() {
        let busy = |waits, since| SyncState {
            waits: SignedDuration::from_mins(waits),
            since,
            ..SyncState::default()
        };
        let thresholds = Thresholds::default();
        let wait = |state: &SyncState| time_until_sync(state, &thresholds).as_secs();
        assert_eq!(wait(&busy(0, None)), 30);
        assert_eq!(wait(&busy(5, None)), 0);
        assert_eq!(wait(&busy(5, Some(SignedDuration::from_secs(20)))), 40);
        let decided = decide(&busy(6, None), &thresholds).unwrap();
        assert_eq!(
            decided.saw,
            "the town has changes that have waited for some minutes"
        );
    }

    #[test]
    fn after_a_landing_a_store_syncs_without_waiting_for_quiet() {
        let landed = |since| SyncState {
            landed: true,
            since,
            ..SyncState::default()
        };
        let thresholds = Thresholds::default();
        assert_eq!(
            time_until_sync(&landed(None), &thresholds),
            SignedDuration::ZERO
        );
        let just = Some(SignedDuration::from_secs(20));
        assert_eq!(time_until_sync(&landed(just), &thresholds).as_secs(), 40);
    }

    #[test]
    fn new_changes_stay_due_until_the_store_is_quiet_and_syncs() {
        let state = |rest| SyncState {
            rest: SignedDuration::from_secs(rest),
            ..SyncState::default()
        };
        let thresholds = Thresholds::default();
        assert_eq!(decide(&state(10), &thresholds), None);
        let due_in = due(&state(10), &thresholds);
        assert_eq!(due_in, Some(SignedDuration::from_secs(20)));
        let decided = decide(&state(30), &thresholds).unwrap();
        assert_eq!(decided.rule, rule::S1_SHARE_BEADS);
        assert_eq!(decided.action, Action::SyncBeads { rig: None });
        assert_eq!(due(&state(30), &thresholds), None);
    }
}
