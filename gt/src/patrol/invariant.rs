//! Checks the invariants of a town. Pure functions: the simulation checks them after each action,
//! `gt status --health` in a real town.

use jiff::SignedDuration;
use serde::Serialize;

/// The time window in which actions of rules are counted, in a town and in a simulation. A queue
/// that lives long has handled many requests.
pub const ACTION_WINDOW: SignedDuration = SignedDuration::from_hours(24);

/// The maximum number of actions of one rule on one subject in that time. A higher number is a loop.
/// A look that changes nothing is no action, and a failure is retried after five minutes at most.
pub const MOST_ACTS: usize = 400;
/// The time that a session may outlive its work, with room for clocks that jump.
pub const LINGERS: SignedDuration = SignedDuration::from_hours(12);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Invariant {
    /// No bead has two workers.
    OneWorker,
    /// A hooked bead is on a hook, and no other bead is.
    NoLostHook,
    /// Every started bead has a worker, a merge request, a place in a queue, or a message about it.
    EveryStateOwned,
    /// No work is merged twice.
    MergedOnce,
    /// Work that is recorded as merged is on its target.
    MergeVerified,
    /// A session has work, and a stuck worker has no session.
    SessionHasWork,
    /// A convoy lands once, with all its beads done.
    LandedOnce,
    /// No rule acts forever.
    RulesEnd,
}

impl Invariant {
    /// All invariants.
    pub const ALL: [Self; 8] = [
        Self::OneWorker,
        Self::NoLostHook,
        Self::EveryStateOwned,
        Self::MergedOnce,
        Self::MergeVerified,
        Self::SessionHasWork,
        Self::LandedOnce,
        Self::RulesEnd,
    ];

    /// Returns the invariant as a sentence.
    pub fn describe(self) -> &'static str {
        match self {
            Self::OneWorker => "no bead has two workers",
            Self::NoLostHook => "no hook is lost",
            Self::EveryStateOwned => "every bead that is begun has an owner",
            Self::MergedOnce => "no work is merged twice",
            Self::MergeVerified => "what is recorded as merged is on its target",
            Self::SessionHasWork => "no session runs without work",
            Self::LandedOnce => "convoys land once, with all beads done",
            Self::RulesEnd => "no rule acts for ever",
        }
    }
}

/// A violation of an invariant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InvariantViolation {
    pub invariant: Invariant,
    /// The bead, worker, convoy or rule.
    pub subject: String,
    pub what: String,
}

/// The place of a bead's work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkPlace {
    /// Not started, or a user's.
    Free,
    /// On a hook.
    Hooked,
    HandedIn,
    /// Started, and only a message or a queue has it.
    Reported,
    /// Started, without an owner.
    Unowned,
    Closed,
}

/// The state of a bead's work.
#[derive(Debug, Clone)]
pub struct WorkState {
    pub id: String,
    pub place: WorkPlace,
    /// The number of agents with the bead on their hook.
    pub holders: usize,
    /// The number of merges of the current attempt.
    pub merges: usize,
    /// The commit that is recorded as merged and missing on its target.
    pub missing: Option<String>,
    /// True if a landed convoy tracks the bead.
    pub is_landed: bool,
}

#[derive(Debug, Clone)]
pub struct WorkerState {
    pub name: String,
    /// The bead of the worker.
    pub bead: Option<String>,
    /// True if the worker's record says that it is idle.
    pub is_idle: bool,
    pub is_stuck: bool,
    /// The time since the session's last activity. None without a session.
    pub quiet: Option<SignedDuration>,
}

/// The state of a town for the checks.
#[derive(Debug, Clone, Default)]
pub struct TownState {
    /// The work of all beads.
    pub work: Vec<WorkState>,
    pub workers: Vec<WorkerState>,
    /// The convoys that landed more often than they were reopened, with the number of landings.
    pub landings: Vec<(String, usize)>,
    pub acts: Vec<ActionCount>,
}

/// The number of actions of a rule on a subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActionCount {
    pub rule: String,
    pub subject: String,
    pub times: usize,
}

/// Returns all violations.
pub fn find_violations(town: &TownState) -> Vec<InvariantViolation> {
    let mut found = Vec::new();
    for work in &town.work {
        check_work(work, &mut found);
    }
    for worker in &town.workers {
        check_worker(worker, &mut found);
    }
    for (convoy, times) in &town.landings {
        if *times > 1 {
            let what = format!("convoy {convoy} landed {times} times");
            add_violation(&mut found, Invariant::LandedOnce, convoy, what);
        }
    }
    for ActionCount {
        rule,
        subject,
        times,
    } in &town.acts
    {
        if *times > MOST_ACTS {
            let what = format!("{rule} acted {times} times on {subject}");
            add_violation(&mut found, Invariant::RulesEnd, rule, what);
        }
    }
    found
}

fn add_violation(
    found: &mut Vec<InvariantViolation>,
    invariant: Invariant,
    subject: &str,
    what: String,
) {
    found.push(InvariantViolation {
        invariant,
        subject: subject.to_owned(),
        what,
    });
}

fn check_work(work: &WorkState, found: &mut Vec<InvariantViolation>) {
    let id = &work.id;
    let holders = work.holders;
    match (work.place, holders) {
        (WorkPlace::Unowned, 0) => {
            let what = format!("{id} is begun, and nothing has it");
            add_violation(found, Invariant::EveryStateOwned, id, what);
        }
        (WorkPlace::Hooked, 0) => {
            let what = format!("{id} is hooked, and on no hook");
            add_violation(found, Invariant::NoLostHook, id, what);
        }
        (WorkPlace::Hooked, 1) | (_, 0) => {}
        (_, 1) => {
            let what = format!("{id} is on a hook, and {:?}", work.place);
            add_violation(found, Invariant::NoLostHook, id, what);
        }
        _ => {
            let what = format!("{id} has {holders} workers");
            add_violation(found, Invariant::OneWorker, id, what);
        }
    }
    if work.merges > 1 {
        let what = format!("{id} was merged {} times", work.merges);
        add_violation(found, Invariant::MergedOnce, id, what);
    }
    if let Some(commit) = &work.missing {
        let what = format!("{id} is recorded as merged as {commit:.12}, which its target lacks");
        add_violation(found, Invariant::MergeVerified, id, what);
    }
    if work.is_landed && work.place != WorkPlace::Closed {
        let what = format!("{id} is {:?}, and its convoy has landed", work.place);
        add_violation(found, Invariant::LandedOnce, id, what);
    }
}

fn check_worker(worker: &WorkerState, found: &mut Vec<InvariantViolation>) {
    let name = &worker.name;
    match (&worker.bead, worker.is_idle) {
        (Some(bead), true) => {
            let what = format!("{name} has {bead}, and its record says that it is idle");
            add_violation(found, Invariant::NoLostHook, name, what);
        }
        (None, false) => {
            let what = format!("{name} has no bead, and its record says that it is at work");
            add_violation(found, Invariant::NoLostHook, name, what);
        }
        _ => {}
    }
    if worker.is_idle && worker.quiet.is_some_and(|quiet| quiet > LINGERS) {
        let what = format!("{name} has no work, and its session runs on");
        add_violation(found, Invariant::SessionHasWork, name, what);
    }
    if worker.is_stuck && worker.quiet.is_some() {
        let what = format!("{name} is stuck, and its session runs on");
        add_violation(found, Invariant::SessionHasWork, name, what);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work(place: WorkPlace, holders: usize) -> WorkState {
        WorkState {
            id: "web-1".to_owned(),
            place,
            holders,
            merges: 1,
            missing: None,
            is_landed: false,
        }
    }

    fn worker() -> WorkerState {
        WorkerState {
            name: "web/nux".to_owned(),
            bead: None,
            is_idle: true,
            is_stuck: false,
            quiet: None,
        }
    }

    fn of(town: &TownState) -> Vec<Invariant> {
        find_violations(town)
            .into_iter()
            .map(|fault| fault.invariant)
            .collect()
    }

    #[test]
    fn every_violated_invariant_of_a_bead_is_found() {
        let one = |work: WorkState| {
            let work = vec![work];
            of(&TownState {
                work,
                ..TownState::default()
            })
        };
        let closed = || work(WorkPlace::Closed, 0);
        for sound in [
            work(WorkPlace::Hooked, 1),
            work(WorkPlace::Free, 0),
            work(WorkPlace::Reported, 0),
            closed(),
        ] {
            assert_eq!(one(sound), []);
        }
        assert_eq!(one(work(WorkPlace::Hooked, 2)), [Invariant::OneWorker]);
        assert_eq!(one(work(WorkPlace::Hooked, 0)), [Invariant::NoLostHook]);
        assert_eq!(one(work(WorkPlace::Closed, 1)), [Invariant::NoLostHook]);
        assert_eq!(
            one(work(WorkPlace::Unowned, 0)),
            [Invariant::EveryStateOwned]
        );
        let twice = WorkState {
            merges: 2,
            ..closed()
        };
        assert_eq!(one(twice), [Invariant::MergedOnce]);
        let missing = Some("c0ffee".to_owned());
        assert_eq!(
            one(WorkState {
                missing,
                ..closed()
            }),
            [Invariant::MergeVerified]
        );
        let landed = WorkState {
            is_landed: true,
            ..work(WorkPlace::HandedIn, 0)
        };
        assert_eq!(one(landed), [Invariant::LandedOnce]);
    }

    #[test]
    fn every_violated_invariant_of_a_worker_convoy_or_rule_is_found() {
        let one = |worker: WorkerState| {
            let workers = vec![worker];
            of(&TownState {
                workers,
                ..TownState::default()
            })
        };
        assert_eq!(one(worker()), []);
        let bead = Some("web-1".to_owned());
        assert_eq!(
            one(WorkerState { bead, ..worker() }),
            [Invariant::NoLostHook]
        );
        assert_eq!(
            one(WorkerState {
                is_idle: false,
                ..worker()
            }),
            [Invariant::NoLostHook]
        );
        let quiet = Some(SignedDuration::from_hours(13));
        assert_eq!(
            one(WorkerState { quiet, ..worker() }),
            [Invariant::SessionHasWork]
        );
        let bead = Some("web-1".to_owned());
        let stuck = WorkerState {
            bead,
            is_idle: false,
            is_stuck: true,
            quiet,
            ..worker()
        };
        assert_eq!(one(stuck), [Invariant::SessionHasWork]);
        let town = TownState {
            landings: vec![("hq-cv-1".to_owned(), 2)],
            acts: vec![ActionCount {
                rule: "P6".to_owned(),
                subject: "worker web/nux".to_owned(),
                times: 401,
            }],
            ..TownState::default()
        };
        assert_eq!(of(&town), [Invariant::LandedOnce, Invariant::RulesEnd]);
    }
}
