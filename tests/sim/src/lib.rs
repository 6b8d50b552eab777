//! Simulates a town without processes: the real rules of the patrol over simulated agents,
//! sessions, merges and a clock.
//!
//! `gtd sim` draws a town and its troubles from a seed, lets the rules act until every bead has
//! landed, and checks the invariants after each action (`check`). The rules
//! ([`gt::patrol::decide`]), the executor and the memory of failures are those of the daemon.
//! `act` models the actions, `queue` the merge queue in its steps, `agents` the behaviour of agents
//! and the troubles, `forge` and `user` the people around the town. The same seed gives the same
//! run.

mod act;
mod agents;
mod args;
mod check;
mod forge;
mod queue;
mod town;
mod user;

use gt::patrol::{self, ActionExecutor, ActionReport, PatrolMemory, Thresholds};
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

pub use args::main;
use town::SimTown;

/// The interval of the full check, as in the loop of the daemon.
const HEARTBEAT: SignedDuration = SignedDuration::from_secs(180);
/// The number of days after which a run has failed.
const DAYS: i64 = 21;

/// The parameters of a simulation.
#[derive(Debug, Clone)]
pub struct SimRequest {
    /// The seed of all random choices.
    pub seed: u64,
    /// How many rigs.
    pub rigs: usize,
    /// The number of workers per rig.
    pub polecats: usize,
    /// The total number of beads.
    pub beads: usize,
    /// The kinds of trouble. Empty for all.
    pub chaos: Vec<ChaosKind>,
}

/// A kind of trouble.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum ChaosKind {
    /// Agents end without having done their work.
    Crash,
    /// Agents live and do nothing.
    Hang,
    /// Agents stop with a question, or open a dialog.
    Question,
    /// The API refuses for a while.
    Outage,
    /// Sessions are killed, one or all at once.
    Kill,
    /// The daemon is killed between two actions.
    Daemon,
    /// Events are lost: the daemon looks only at its next heartbeat.
    Lost,
    /// The remote refuses merges and pushes for a while.
    Remote,
    /// The clock jumps ahead, as when a machine wakes up.
    Clock,
    /// Work fails its gates and clashes, and others push to the target.
    Merge,
    /// Half of the rigs land by pull request, which people review, merge and close.
    Forge,
    /// The user pauses, stops, parks, limits, rejects, slings and archives.
    User,
}

/// The result of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SimResult {
    /// The seed.
    pub seed: u64,
    /// How many beads landed.
    pub landed: usize,
    /// The duration in simulated minutes.
    pub minutes: i64,
    /// The number of the patrol's actions.
    pub actions: usize,
    /// The number of started sessions.
    pub sessions: usize,
    /// The number of messages to the user.
    pub messages: usize,
    /// The violations with their simulated times. Empty on success.
    pub faults: Vec<String>,
    /// The log, one line per event.
    #[serde(skip)]
    pub log: Vec<String>,
}

/// Runs one simulation.
pub fn simulate_town(request: &SimRequest) -> SimResult {
    let mut sim = Simulation {
        town: SimTown::new(request),
        executor: ActionExecutor::default(),
        memory: PatrolMemory::default(),
        thresholds: Thresholds::default(),
        actions: 0,
    };
    let end = sim.town.now + SignedDuration::from_hours(24 * DAYS);
    while !sim.town.is_over() && sim.town.faults.is_empty() {
        if sim.town.now > end {
            let open = sim.town.describe_open();
            sim.town
                .record_fault(&format!("after {DAYS} days these are open: {open}"));
            break;
        }
        let wait = sim.run_pass();
        sim.town.now += wait;
        agents::step_world(&mut sim.town);
        check::check_town(&mut sim.town);
    }
    if sim.town.faults.is_empty() {
        check::check_end(&mut sim.town);
    }
    let town = sim.town;
    let beads = town.beads.iter().filter(|bead| bead.task_for.is_none());
    SimResult {
        seed: request.seed,
        landed: beads.filter(|bead| bead.is_landed).count(),
        minutes: town.now.duration_since(town::BEGIN).as_mins(),
        actions: sim.actions,
        sessions: town.sessions,
        messages: town.messages,
        faults: town.faults,
        log: town.log,
    }
}

struct Simulation {
    town: SimTown,
    executor: ActionExecutor,
    memory: PatrolMemory,
    thresholds: Thresholds,
    actions: usize,
}

impl Simulation {
    /// Runs one pass of the daemon, and returns its sleep.
    fn run_pass(&mut self) -> SignedDuration {
        if self.town.is_struck(ChaosKind::Daemon, 50) {
            // The daemon was killed and restarted, so its memory is lost.
            self.executor = ActionExecutor::default();
            self.memory = PatrolMemory::default();
        }
        let now = self.town.now;
        let facts = self.town.facts();
        let decisions = patrol::decide(&facts, &|decision| self.memory.is_due(decision, now));
        let (started, left) = self.executor.admit(decisions, |_| &self.thresholds);
        let mut looks_again = !left.is_empty();
        let count = started.len();
        for (number, decision) in started.into_iter().enumerate() {
            self.actions += 1;
            let subject = decision.action.subject();
            user::interfere(&mut self.town);
            let acted = act::act(&mut self.town, decision);
            looks_again |= acted.changed;
            self.record(&acted);
            self.executor.finish(&subject);
            check::check_town(&mut self.town);
            if std::mem::take(&mut self.town.is_killed) {
                self.executor = ActionExecutor::default();
                self.memory = PatrolMemory::default();
                break;
            }
            if number + 1 < count && self.town.is_struck(ChaosKind::Daemon, 100) {
                self.executor = ActionExecutor::default();
                break;
            }
        }
        if self.town.is_struck(ChaosKind::Lost, 20) {
            return HEARTBEAT;
        }
        if looks_again {
            return SignedDuration::from_secs(1);
        }
        let due = patrol::due_in(&facts).into_iter();
        let due = due.chain(self.memory.due_in(now));
        let wakes = self.town.next_wake().map(|at| at.duration_since(now));
        let waits = due.chain(wakes).chain([HEARTBEAT]);
        let least = SignedDuration::from_secs(1);
        waits.min().unwrap_or(HEARTBEAT).max(least)
    }

    fn record(&mut self, acted: &ActionReport) {
        self.memory.record(acted, self.town.now);
        let (rule, subject) = (acted.decision.rule.name, acted.decision.action.subject());
        let outcome = &acted.outcome;
        self.town
            .log_line(&format!("{rule} on {subject}: {outcome}"));
        if acted.changed || acted.failed {
            self.town.count_action(rule, &subject.to_string());
        }
    }
}

/// Formats a time as the time since the start of the simulation.
fn format_clock(now: Timestamp) -> String {
    let since = now.duration_since(town::BEGIN);
    let (hours, minutes) = (since.as_hours(), since.as_mins() % 60);
    format!("{hours:>3}:{minutes:02}:{:02}", since.as_secs() % 60)
}

#[cfg(test)]
mod tests;
