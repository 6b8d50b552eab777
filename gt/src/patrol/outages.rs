//! Rule A1: handles APIs that refuse requests. There is one outage per agent program of the town,
//! whose account its workers share, however many of them it stops, and one per end of a usage
//! limit.
//!
//! During an outage, one worker at a time retries: at the time that the program named, otherwise
//! after a wait that doubles each time. When any worker of the program makes progress after the
//! last refusal, all others continue. An outage opens no breaker. A lasting outage is reported once
//! ([`super::attention`]).

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use super::decision::{Action, Decision, WorkerVerb};
use super::polecats::doubled_wait;
use super::rule;
use crate::record::polecat::{NudgeCount, Polecat};
use crate::record::progress::WorkerProgress;
use crate::record::pulse::ApiRefusal;
use crate::record::town_view::TownView;
use crate::town::name::Worker;

/// The first and the longest wait before a refused request is retried.
const FIRST_WAIT: SignedDuration = SignedDuration::from_secs(30);
const MAX_WAIT: SignedDuration = SignedDuration::from_mins(10);

/// Usage limits that end within such a step belong to one outage.
const LIMIT_STEP: SignedDuration = SignedDuration::from_mins(10);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outage {
    pub agent: String,
    /// The time of the first known refusal.
    pub since: Timestamp,
    pub last: ApiRefusal,
    /// The stopped workers, longest waiting first.
    pub stopped: Vec<StoppedWorker>,
    /// The time of the last retry.
    pub tried: Timestamp,
    /// The number of all retries.
    pub tries: usize,
    /// True if a worker of the program made progress after the last refusal.
    pub is_over: bool,
}

/// A worker that an outage stops.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoppedWorker {
    pub worker: Worker,
    /// True if the session runs, so that a message is enough. Otherwise it is restarted.
    pub is_running: bool,
    /// True if the worker has retried since its last refusal.
    pub is_trying: bool,
    since: Timestamp,
}

impl Outage {
    /// Returns the time of the next retry. A time that the program named counts.
    pub fn next_try(&self) -> Timestamp {
        let wait = if self.last.is_usage_limit() {
            ApiRefusal::LIMIT_INTERVAL
        } else {
            doubled_wait(FIRST_WAIT, self.tries, MAX_WAIT)
        };
        let waited = self.tried.checked_add(wait).unwrap_or(Timestamp::MAX);
        // Only the first retry waits for a named time, because the program may have meant another
        // day.
        self.last
            .until
            .filter(|until| *until > self.tried)
            .unwrap_or(waited)
    }
}

/// A worker that the API refuses.
#[derive(Debug, Clone)]
pub struct RefusedWorker {
    pub worker: Worker,
    pub agent: String,
    pub refusal: ApiRefusal,
    pub is_running: bool,
    /// The nudges that the session got.
    pub nudges: NudgeCount,
    /// The times at which the session was restarted after a refusal, for this bead.
    pub restarts: Vec<Timestamp>,
}

/// Returns the outages of the town, by agent program.
pub fn find_outages(view: &TownView) -> Vec<Outage> {
    let mut refused = Vec::new();
    let mut others = Vec::new();
    for polecat in view.polecats.values().flatten() {
        if polecat.refusal.is_some() {
            refused.extend(find_refused_worker(polecat, view.now));
        } else if let Some(progress) = &polecat.progress {
            others.push((&*polecat.agent, progress));
        }
    }
    group_outages(refused, &others)
}

fn find_refused_worker(polecat: &Polecat, now: Timestamp) -> Option<RefusedWorker> {
    // A worker without a session waits for the answer to its question first.
    if polecat.asks.is_some() && polecat.progress.is_none() {
        return None;
    }
    // Times in the future come from a wrong clock.
    let restarts: Vec<Timestamp> = polecat
        .slot
        .refused
        .iter()
        .filter(|at| **at <= now)
        .copied()
        .collect();
    let mut refusal = polecat.refusal.clone()?;
    refusal.since = find_first_refusal(&refusal, &restarts, polecat.committed);
    Some(RefusedWorker {
        worker: Worker::new(polecat.rig.as_str(), polecat.name.as_str()),
        agent: polecat.agent.clone(),
        refusal,
        is_running: polecat.progress.is_some(),
        nudges: polecat.slot.nudges.until(now),
        restarts,
    })
}

/// Returns the time from which a worker is refused. A restart that it did not commit anything after
/// did not end the outage.
fn find_first_refusal(
    refusal: &ApiRefusal,
    restarts: &[Timestamp],
    committed: Option<Timestamp>,
) -> Timestamp {
    restarts
        .iter()
        .filter(|at| committed.is_none_or(|last| **at > last))
        .min()
        .copied()
        .unwrap_or(refusal.since)
        .min(refusal.since)
}

/// The refusals that belong to one outage. Usage limits of different ends are of different accounts
/// or models, and what one worker prints as a limit pauses no worker with another refusal.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct OutageKey {
    agent: String,
    is_usage_limit: bool,
    /// The end of a usage limit in steps of [`LIMIT_STEP`], because programs name rounded times.
    limit_end: Option<i64>,
}

/// Groups refused workers into outages. `others` are the other workers, with their agent programs.
pub fn group_outages(
    refused: impl IntoIterator<Item = RefusedWorker>,
    others: &[(&str, &WorkerProgress)],
) -> Vec<Outage> {
    let mut found: BTreeMap<OutageKey, Outage> = BTreeMap::new();
    for refused_worker in refused {
        let refusal = &refused_worker.refusal;
        let key = OutageKey {
            agent: refused_worker.agent.clone(),
            is_usage_limit: refusal.is_usage_limit(),
            limit_end: refusal
                .until
                .filter(|_| refusal.is_usage_limit())
                .map(|until| until.as_second() / LIMIT_STEP.as_secs()),
        };
        let outage = found.entry(key).or_insert_with(|| Outage {
            agent: refused_worker.agent.clone(),
            since: refused_worker.refusal.since,
            last: refused_worker.refusal.clone(),
            stopped: Vec::new(),
            tried: refused_worker.refusal.at,
            tries: 0,
            is_over: false,
        });
        add_worker(outage, refused_worker);
    }
    for outage in found.values_mut() {
        outage.stopped.sort_by_key(|worker| worker.since);
        outage.is_over = others.iter().any(|(agent, progress)| {
            *agent == outage.agent && progress.has_progress_since(outage.last.at)
        });
    }
    found.into_values().collect()
}

fn add_worker(outage: &mut Outage, refused_worker: RefusedWorker) {
    let refusal = refused_worker.refusal;
    outage.since = outage.since.min(refusal.since);
    let nudged_at = refused_worker.nudges.last.filter(|at| *at > refusal.at);
    let mut tries = vec![outage.tried, refusal.at];
    tries.extend(nudged_at);
    tries.extend(
        refused_worker
            .restarts
            .iter()
            .filter(|at| **at >= refusal.since),
    );
    outage.tried = tries.into_iter().max().unwrap_or(refusal.at);
    // A refusal that only the screen shows has no count.
    let times = refusal
        .times
        .saturating_sub(1)
        .max(refused_worker.nudges.count);
    outage.tries += times as usize;
    outage.tries += if refused_worker.is_running {
        0
    } else {
        refused_worker.restarts.len()
    };
    outage.stopped.push(StoppedWorker {
        worker: refused_worker.worker,
        is_running: refused_worker.is_running,
        is_trying: refused_worker.is_running && nudged_at.is_some(),
        since: refusal.at,
    });
    if refusal.at > outage.last.at {
        outage.last = refusal;
    }
}

/// A1: one worker retries. When the API answers, all do. No worker retries before the known end of
/// a usage limit: the progress of others may belong to earlier requests or to another account.
pub(super) fn decide(outages: &[Outage], now: Timestamp) -> Vec<Decision> {
    let mut decisions = Vec::new();
    for outage in outages.iter().filter(|outage| !outage.last.is_pause(now)) {
        let is_due = outage.next_try() <= now;
        let count = if outage.is_over { usize::MAX } else { 1 };
        let retried = outage
            .stopped
            .iter()
            // A worker that got the message and does not answer is retried like any other.
            .filter(|stopped_worker| outage.is_over && !stopped_worker.is_trying || is_due)
            .take(count);
        for stopped_worker in retried {
            let over = if outage.is_over {
                "the API answers again; "
            } else {
                ""
            };
            decisions.push(Decision {
                rule: rule::A1_RESUME_REFUSED,
                saw: format!(
                    "{over}{}: {}; stopped workers: {}",
                    outage.agent,
                    outage.last.describe(),
                    outage.stopped.len()
                ),
                action: Action::Worker {
                    verb: if stopped_worker.is_running {
                        WorkerVerb::ResumeRefused
                    } else {
                        WorkerVerb::RestartRefused
                    },
                    worker: stopped_worker.worker.clone(),
                },
            });
        }
    }
    decisions
}

/// Returns the time until the next retry.
pub(super) fn due(outages: &[Outage], now: Timestamp) -> Option<SignedDuration> {
    outages
        .iter()
        .map(|outage| outage.next_try().duration_since(now))
        .filter(SignedDuration::is_positive)
        .min()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(seconds).unwrap()
    }

    pub(crate) fn outage(stopped: usize) -> Outage {
        Outage {
            agent: "claude".to_owned(),
            since: at(0),
            last: ApiRefusal {
                kind: "overloaded".to_owned(),
                ..ApiRefusal::default()
            },
            stopped: (0..stopped)
                .map(|number| StoppedWorker {
                    worker: Worker::new("web", format!("w{number}").as_str()),
                    is_running: number % 2 == 0,
                    is_trying: false,
                    since: at(0),
                })
                .collect(),
            tried: at(0),
            tries: 0,
            is_over: false,
        }
    }

    #[test]
    fn only_one_of_a_hundred_workers_retries_with_doubling_waits() {
        let mut outage = outage(100);
        let mut waits = Vec::new();
        for tries in 0..7 {
            outage.tries = tries;
            let wait = due(&[outage.clone()], at(0)).unwrap();
            assert_eq!(decide(&[outage.clone()], at(0) + wait).len(), 1);
            assert_eq!(decide(&[outage.clone()], at(wait.as_secs() - 1)), []);
            waits.push(wait.as_secs());
        }
        assert_eq!(waits, [30, 60, 120, 240, 480, 600, 600]);
        outage.is_over = true;
        let all = decide(&[outage], at(1));
        assert_eq!(all.len(), 100);
        let verbs = all.iter().take(2).map(|decision| match decision.action {
            Action::Worker { verb, .. } => Some(verb),
            _ => None,
        });
        let expected = [WorkerVerb::ResumeRefused, WorkerVerb::RestartRefused];
        assert!(verbs.eq(expected.map(Some)), "{all:?}");
    }

    #[test]
    fn the_retry_time_reported_by_the_program_is_used() {
        let mut outage = outage(1);
        outage.last.until = Some(at(7200));
        assert_eq!(outage.next_try(), at(7200));
        outage.tried = at(7200);
        assert_eq!(outage.next_try(), at(7230));
    }

    #[test]
    fn no_worker_retries_during_the_pause_of_a_usage_limit() {
        let mut limited = outage(3);
        limited.last.limit_of = Some("claude".to_owned());
        limited.last.until = Some(at(7200));
        limited.is_over = true;
        assert_eq!(decide(&[limited.clone()], at(7199)), []);
        assert_eq!(due(&[limited.clone()], at(0)).unwrap().as_secs(), 7200);
        assert_eq!(decide(&[limited.clone()], at(7200)).len(), 3);
        limited.is_over = false;
        assert_eq!(decide(&[limited.clone()], at(7200)).len(), 1);
        // Its end is not known, or has passed.
        limited.last.until = None;
        assert_eq!(decide(&[limited.clone()], at(899)), []);
        assert_eq!(decide(&[limited], at(900)).len(), 1);
    }

    #[test]
    fn a_usage_limit_of_one_worker_pauses_no_worker_with_another_refusal() {
        let refused = |name: &str, limit_end: Option<i64>| RefusedWorker {
            worker: Worker::new("web", name),
            agent: "claude".to_owned(),
            refusal: ApiRefusal {
                limit_of: limit_end.map(|_| "claude".to_owned()),
                until: limit_end.map(at),
                since: at(0),
                at: at(0),
                ..ApiRefusal::default()
            },
            is_running: true,
            nudges: NudgeCount::default(),
            restarts: Vec::new(),
        };
        let limits = [
            ("overloaded", None),
            ("limited", Some(7200)),
            ("too", Some(7230)),
            ("liar", Some(600_000)),
        ];
        let refused = limits.map(|(name, limit_end)| refused(name, limit_end));
        let outages = group_outages(refused, &[]);
        let sizes: Vec<usize> = outages.iter().map(|outage| outage.stopped.len()).collect();
        assert_eq!(sizes, [1, 2, 1]);
        assert_eq!(decide(&outages, at(30)).len(), 1, "the overloaded one");
        assert_eq!(decide(&outages, at(7230)).len(), 2);
    }

    #[test]
    fn restarts_without_a_commit_do_not_begin_another_outage() {
        let refusal = ApiRefusal {
            since: at(5000),
            ..ApiRefusal::default()
        };
        let since = |committed| {
            let restarts = [at(1000), at(2000), at(3000)];
            find_first_refusal(&refusal, &restarts, committed).as_second()
        };
        assert_eq!(since(None), 1000);
        assert_eq!(since(Some(at(1500))), 2000);
        assert_eq!(since(Some(at(4000))), 5000);
    }

    #[test]
    fn a_worker_already_nudged_is_not_nudged_again_when_the_api_answers() {
        let mut outage = outage(3);
        outage.is_over = true;
        outage.stopped[0].is_trying = true;
        assert_eq!(decide(&[outage], at(1)).len(), 2);
    }
}
