//! Chooses the decisions to act on now. Two actions on one subject never run at the same time, and
//! each kind is limited per rig: thirty beads that become unblocked together do not start thirty
//! sessions at once.

use std::collections::BTreeMap;

use super::decision::{Action, ActionKind, ActionSubject, Decision};
use super::thresholds::Thresholds;

/// The running actions, by subject.
#[derive(Debug, Default)]
pub struct ActionExecutor {
    running: BTreeMap<ActionSubject, Action>,
}

impl ActionExecutor {
    /// Splits the decisions into those to start now, which count as running from here on, and those
    /// to leave for the pass after the end of an action. Actions that run already are in neither
    /// list.
    pub fn admit<'a>(
        &mut self,
        mut decisions: Vec<Decision>,
        thresholds: impl Fn(Option<&str>) -> &'a Thresholds,
    ) -> (Vec<Decision>, Vec<Decision>) {
        decisions.retain(|decision| {
            self.running.get(&decision.action.subject()) != Some(&decision.action)
        });
        decisions.into_iter().partition(|decision| {
            let action = &decision.action;
            let subject = action.subject();
            let kind = action.kind();
            let rig = action.rig();
            let has_room = self.count(rig, kind) < thresholds(rig).budget(kind);
            let is_admitted = has_room && !self.running.contains_key(&subject);
            if is_admitted {
                self.running.insert(subject, action.clone());
            }
            is_admitted
        })
    }

    /// Records the end of an action.
    pub fn finish(&mut self, subject: &ActionSubject) {
        self.running.remove(subject);
    }

    /// Returns the subjects of the running actions.
    pub fn running_subjects(&self) -> Vec<String> {
        self.running.keys().map(ToString::to_string).collect()
    }

    fn count(&self, rig: Option<&str>, kind: ActionKind) -> usize {
        self.running
            .values()
            .filter(|action| action.kind() == kind && action.rig() == rig)
            .count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patrol::WorkerVerb;
    use crate::patrol::rule;
    use crate::town::name::Worker;

    fn sling(rig: &str, number: usize) -> Decision {
        Decision {
            rule: rule::W1_SLING_UNBLOCKED,
            saw: String::new(),
            action: Action::SlingQueued {
                rig: rig.into(),
                bead: format!("{rig}-{number}").into(),
            },
        }
    }

    #[test]
    fn a_hundred_quiet_workers_are_reminded_a_few_at_a_time() {
        let thresholds = Thresholds::default();
        let mut executor = ActionExecutor::default();
        let nudges = (0..100).map(|number| Decision {
            rule: rule::G1_NUDGE_QUIET,
            saw: String::new(),
            action: Action::Worker {
                verb: WorkerVerb::NudgeQuiet,
                worker: Worker::new("web", format!("w{number}").as_str()),
            },
        });
        let (started, left) = executor.admit(nudges.collect(), |_| &thresholds);
        assert_eq!((started.len(), left.len()), (10, 90));
        let subject = started[0].action.subject();
        executor.finish(&subject);
        assert_eq!(executor.admit(left, |_| &thresholds).0.len(), 1);
    }

    #[test]
    fn thirty_unblocked_beads_do_not_start_thirty_sessions_at_once() {
        let thresholds = Thresholds::default();
        let mut executor = ActionExecutor::default();
        let beads = || (0..30).map(|number| sling("web", number)).collect();
        let (now, later) = executor.admit(beads(), |_| &thresholds);
        assert_eq!((now.len(), later.len()), (5, 25));
        let (other, _) = executor.admit(vec![sling("api", 1)], |_| &thresholds);
        assert_eq!(other.len(), 1, "each rig has its own budget");
        let (again, rest) = executor.admit(beads(), |_| &thresholds);
        assert_eq!(
            (again.len(), rest.len()),
            (0, 25),
            "what runs is not decided twice"
        );
        executor.finish(&now[0].action.subject());
        let (next, _) = executor.admit(later, |_| &thresholds);
        assert_eq!(next, [sling("web", 5)]);
    }

    #[test]
    fn only_one_of_two_decisions_on_a_subject_is_executed() {
        let thresholds = Thresholds::default();
        let mut executor = ActionExecutor::default();
        let queue = Decision {
            action: Action::QueueRepair {
                rig: "web".into(),
                bead: "web-1".into(),
            },
            ..sling("web", 0)
        };
        let both = vec![queue.clone(), sling("web", 1)];
        let (now, later) = executor.admit(both, |_| &thresholds);
        assert_eq!((now, later), (vec![queue], vec![sling("web", 1)]));
    }
}
