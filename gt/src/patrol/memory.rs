//! Records failed actions between passes, one record per subject, in `.runtime/patrol.json`. Each
//! failure waits before its retry, longer each time in a row.
//!
//! The file holds nothing that the beads could tell, and may be lost at any time.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use jiff::{SignedDuration, Timestamp};
use kit::sys::file;
use serde::{Deserialize, Serialize};

use super::ActionReport;
use super::decision::{Action, ActionSubject, Decision, WorkerVerb};
use super::rule::{self, Rule};
use crate::town::TownLayout;
use crate::town::name::Worker;

/// The first and the longest wait.
const FIRST_WAIT: SignedDuration = SignedDuration::from_secs(5);
const MAX_WAIT: SignedDuration = SignedDuration::from_secs(300);
/// The first wait of an action that found its subject busy.
const BUSY_WAIT: SignedDuration = SignedDuration::from_secs(1);
/// The maximum number of subjects.
const MAX_SUBJECTS: usize = 1000;

/// The records by subject.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatrolMemory {
    subjects: BTreeMap<ActionSubject, SubjectRecord>,
    #[serde(skip)]
    has_changed: bool,
}

/// The record of one subject.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct SubjectRecord {
    /// The failures in a row, by rule.
    failures: BTreeMap<String, RuleFailure>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct RuleFailure {
    /// The number of failures in a row.
    count: u32,
    /// The time of the next retry.
    until: Timestamp,
    /// The state of the subject that failed ([`Action::state`]).
    #[serde(default, skip_serializing_if = "String::is_empty")]
    state: String,
}

impl RuleFailure {
    /// Returns the remaining wait. A wait that is longer than the longest comes from a wrong clock
    /// and does not count.
    fn remaining_wait(&self, now: Timestamp) -> Option<SignedDuration> {
        let wait = self.until.duration_since(now);
        (wait.is_positive() && wait <= MAX_WAIT).then_some(wait)
    }

    /// Returns true if the failure still counts for the next wait. Old failures do not.
    fn is_recent(&self, now: Timestamp) -> bool {
        now.duration_since(self.until).abs() < MAX_WAIT
    }
}

impl PatrolMemory {
    /// Reads a town's memory. A missing file is an empty one.
    pub fn load(path: &Path) -> io::Result<Self> {
        let bytes = file::read_file_if_exists(path)?;
        bytes.map_or_else(
            || Ok(Self::default()),
            |bytes| Ok(serde_json::from_slice(&bytes)?),
        )
    }

    /// Writes the memory if it has changed.
    pub fn save(&mut self, path: &Path) -> io::Result<()> {
        if !std::mem::take(&mut self.has_changed) {
            return Ok(());
        }
        if let Some(folder) = path.parent() {
            file::create_folder(folder, 0o700)?;
        }
        file::replace_file_relaxed(path, &serde_json::to_vec(self)?, 0o600)
    }

    /// Records the result of an action: a failed one waits, twice as long each time in a row.
    pub fn record(&mut self, acted: &ActionReport, now: Timestamp) {
        let subject = acted.decision.action.subject();
        let rule = acted.decision.rule.name;
        if !acted.failed && !acted.busy {
            return self.forget(&subject, rule);
        }
        self.has_changed = true;
        self.subjects.retain(|_, record| {
            record.failures.retain(|_, failure| failure.is_recent(now));
            !record.failures.is_empty()
        });
        if self.subjects.len() >= MAX_SUBJECTS {
            self.subjects.pop_first();
        }
        let failures = &mut self.subjects.entry(subject).or_default().failures;
        let count = failures.get(rule).map_or(0, |failure| failure.count);
        let first = if acted.busy { BUSY_WAIT } else { FIRST_WAIT };
        let wait = (first * 2_i32.pow(count.min(9))).min(MAX_WAIT);
        let count = count.saturating_add(1);
        let until = now.saturating_add(wait);
        if let Ok(until) = until {
            let state = acted.decision.action.state().to_owned();
            let failure = RuleFailure {
                count,
                until,
                state,
            };
            failures.insert(rule.to_owned(), failure);
        }
    }

    fn forget(&mut self, subject: &ActionSubject, rule: &str) {
        let Some(record) = self.subjects.get_mut(subject) else {
            return;
        };
        self.has_changed |= record.failures.remove(rule).is_some();
        if record.failures.is_empty() {
            self.subjects.remove(subject);
        }
    }

    /// Returns true if the action of a decision does not wait.
    pub fn is_due(&self, decision: &Decision, now: Timestamp) -> bool {
        let record = self.subjects.get(&decision.action.subject());
        let failure = record.and_then(|record| record.failures.get(decision.rule.name));
        failure.is_none_or(|failure| {
            failure.state != decision.action.state() || failure.remaining_wait(now).is_none()
        })
    }

    /// Returns the time at which the patrol runs the queue of a rig again after a failed run. None if
    /// the memory cannot be read.
    pub fn next_queue_run(layout: &TownLayout, rig: &str, now: Timestamp) -> Option<Timestamp> {
        let run = Action::RunQueue {
            rig: rig.into(),
            state: String::new(),
        };
        Self::load(&layout.patrol_memory()).ok()?.next_retry(
            rule::Q1_RUN_QUEUE,
            &run.subject(),
            now,
        )
    }

    /// Returns the time at which the patrol continues the failed `gt done` of a worker.
    pub(super) fn next_done(
        layout: &TownLayout,
        worker: Worker,
        now: Timestamp,
    ) -> Option<Timestamp> {
        let finish = Action::Worker {
            verb: WorkerVerb::FinishDone,
            worker,
        };
        Self::load(&layout.patrol_memory()).ok()?.next_retry(
            rule::P5_FINISH_DONE,
            &finish.subject(),
            now,
        )
    }

    /// Returns the time of the next retry of a rule's failed action on a subject.
    fn next_retry(
        &self,
        rule: &Rule,
        subject: &ActionSubject,
        now: Timestamp,
    ) -> Option<Timestamp> {
        let failure = self.subjects.get(subject)?.failures.get(rule.name)?;
        failure.remaining_wait(now).map(|_| failure.until)
    }

    /// Returns the time until the next wait ends.
    pub fn due_in(&self, now: Timestamp) -> Option<SignedDuration> {
        self.subjects
            .values()
            .flat_map(|record| record.failures.values())
            .filter_map(|failure| failure.remaining_wait(now))
            .min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(rig: &str, failed: bool, busy: bool) -> ActionReport {
        ActionReport {
            decision: Decision {
                rule: rule::Q1_RUN_QUEUE,
                saw: String::new(),
                action: Action::RunQueue {
                    rig: rig.into(),
                    state: String::new(),
                },
            },
            outcome: String::new(),
            failed,
            changed: false,
            busy,
        }
    }

    fn secs(wait: i64) -> SignedDuration {
        SignedDuration::from_secs(wait)
    }

    #[test]
    fn each_consecutive_failure_doubles_the_wait_up_to_a_limit() {
        let (mut memory, mut now) = (PatrolMemory::default(), Timestamp::UNIX_EPOCH);
        let (failed, other) = (queue("a", true, false), queue("b", true, false));
        let mut waits = Vec::new();
        for _ in 0..9 {
            memory.record(&failed, now);
            let wait = memory.due_in(now).unwrap();
            assert!(!memory.is_due(&failed.decision, now) && memory.is_due(&other.decision, now));
            now += wait;
            assert!(memory.is_due(&failed.decision, now));
            waits.push(wait.as_secs());
        }
        assert_eq!(waits, [5, 10, 20, 40, 80, 160, 300, 300, 300]);
    }

    #[test]
    fn a_failure_does_not_hold_back_a_queue_that_has_changed_since() {
        let (mut memory, now) = (PatrolMemory::default(), Timestamp::UNIX_EPOCH);
        let failed = queue("a", true, false);
        memory.record(&failed, now);
        let subject = failed.decision.action.subject();
        let next = memory.next_retry(rule::Q1_RUN_QUEUE, &subject, now);
        assert_eq!(next, Some(now + FIRST_WAIT));
        let mut changed = failed.decision.clone();
        changed.action = Action::RunQueue {
            rig: "a".into(),
            state: "retried".to_owned(),
        };
        assert!(!memory.is_due(&failed.decision, now) && memory.is_due(&changed, now));
    }

    #[test]
    fn yesterdays_failure_does_not_lengthen_todays_first_wait() {
        let (mut memory, now) = (PatrolMemory::default(), Timestamp::UNIX_EPOCH);
        memory.record(&queue("a", true, false), now);
        memory.record(&queue("a", true, false), now);
        let later = now + secs(24 * 3600);
        memory.record(&queue("a", true, false), later);
        assert_eq!(memory.due_in(later), Some(FIRST_WAIT));
        // A clock that went back keeps nothing waiting.
        assert!(memory.is_due(&queue("a", true, false).decision, now));
        memory.record(&queue("a", true, false), now);
        assert_eq!(memory.due_in(now), Some(FIRST_WAIT));
    }

    #[test]
    fn a_success_resets_the_wait_and_a_busy_subject_is_retried_soon() {
        let (mut memory, now) = (PatrolMemory::default(), Timestamp::UNIX_EPOCH);
        memory.record(&queue("a", true, false), now);
        memory.record(&queue("a", false, false), now);
        assert!(memory.is_due(&queue("a", true, false).decision, now));
        memory.record(&queue("a", false, true), now);
        assert_eq!(memory.due_in(now), Some(BUSY_WAIT));
    }

    #[test]
    fn changed_memory_is_written_and_damaged_memory_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/patrol.json");
        let mut memory = PatrolMemory::load(&path).unwrap();
        memory.record(&queue("a", false, false), Timestamp::UNIX_EPOCH);
        memory.save(&path).unwrap();
        assert!(!path.exists(), "nothing failed");
        memory.record(&queue("a", true, false), Timestamp::UNIX_EPOCH);
        memory.save(&path).unwrap();
        assert_eq!(PatrolMemory::load(&path).unwrap(), memory);
        std::fs::remove_file(&path).unwrap();
        memory.save(&path).unwrap();
        assert!(!path.exists(), "it has not changed since");
        std::fs::write(&path, "{").unwrap();
        assert!(PatrolMemory::load(&path).is_err());
        for number in 0..2 * MAX_SUBJECTS {
            let failed = queue(&number.to_string(), true, false);
            memory.record(&failed, Timestamp::UNIX_EPOCH);
        }
        assert_eq!(memory.subjects.len(), MAX_SUBJECTS);
    }
}
