//! The simulated town: its beads, workers, sessions and queues, and the facts for the rules.

use std::collections::{BTreeMap, BTreeSet};

use gt::flow::townwide::dog::chore::Chore;
use gt::flow::work::done::SandboxLeftovers;
use gt::patrol::attention::{
    AddressedItem, AttentionFacts, AttentionItem, AttentionKind, AttentionMessages,
};
use gt::patrol::invariant::ACTION_WINDOW;
use gt::patrol::outages::{self, RefusedWorker};
use gt::patrol::{
    ChoreFacts, ConvoyFacts, HeldFacts, PolecatFacts, QueueFacts, RigFacts, SchedulerFacts,
    TownFacts, WatchFacts,
};
use gt::record::pause::TownPause;
use gt::record::polecat::{NudgeCount, SlotState};
use gt::record::progress::{ProgressSign, WorkerActivity, WorkerProgress};
use gt::record::pulse::ApiRefusal;
use gt::record::scheduler::{StartObstacle, TownRoom};
use gt::town::hold::{EmergencyStop, Hold, HoldState};
use gt::town::name::Worker;
use jiff::{SignedDuration, Timestamp};

use super::agents::AgentPlan;
use super::forge::SimPull;
use super::queue::{SimMerge, SimTarget, time_until_ready};
use super::user::SimHolds;
use super::{ChaosKind, SimRequest, format_clock};

/// The start time of every simulation.
pub(super) const BEGIN: Timestamp = Timestamp::UNIX_EPOCH;
/// The time that a failure may last before the user gets a message, as `patrol.patience`.
const PATIENCE: SignedDuration = SignedDuration::from_mins(30);
/// The number of repairs of one request that go to workers automatically.
const REPAIRS: u32 = 3;
/// The agent program of all workers.
const AGENT: &str = "sim";

#[derive(Debug, Clone)]
pub(super) struct SimBead {
    pub id: String,
    pub rig: usize,
    pub convoy: usize,
    /// The beads that block it.
    pub blockers: Vec<usize>,
    pub place: BeadPlace,
    /// The number of merges of its current attempt's work.
    pub merges: usize,
    pub is_landed: bool,
    /// The number of the attempt at it.
    pub attempt: u32,
    /// The length of the target when its worker began.
    pub base: usize,
    /// The request that it repairs, if it is a task of the merge queue.
    pub task_for: Option<usize>,
    /// The number of the repair that it is at.
    pub repairs: u32,
    pub closed_at: Option<Timestamp>,
    pub is_archived: bool,
}

impl SimBead {
    pub(super) fn new(rig: usize) -> Self {
        Self {
            id: String::new(),
            rig,
            convoy: 0,
            blockers: Vec::new(),
            place: BeadPlace::Queued,
            merges: 0,
            is_landed: false,
            attempt: 0,
            base: 0,
            task_for: None,
            repairs: 1,
            closed_at: None,
            is_archived: false,
        }
    }
}

/// The place of a bead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BeadPlace {
    /// Open, and not queued for a worker.
    Open,
    /// Waits for a worker.
    Queued,
    /// On a hook.
    Hooked,
    /// In the merge queue.
    Merging,
    /// Merged, or a task that nothing needs any more.
    Closed,
}

#[derive(Debug, Clone)]
pub(super) struct SimWorker {
    pub rig: usize,
    pub name: String,
    pub slot: SlotState,
    pub bead: Option<usize>,
    pub session: SimSession,
    pub respawns: Vec<Timestamp>,
    pub lost: Vec<Timestamp>,
    pub refused: Vec<Timestamp>,
    pub nudges: NudgeCount,
    pub stuck_times: u32,
    /// The host of the last session.
    pub host: u32,
    pub refusal: Option<ApiRefusal>,
}

impl SimWorker {
    fn is_at_work(&self) -> bool {
        self.bead.is_some() && self.slot.stuck_reason().is_none()
    }
}

/// The session of a worker.
#[derive(Debug, Clone)]
pub(super) enum SimSession {
    None,
    Alive {
        mood: AgentPlan,
        /// The time of its last progress.
        progress: Timestamp,
        sign: ProgressSign,
    },
    /// The process has ended, and its screen is kept.
    Dead,
}

pub(super) struct SimTown {
    pub now: Timestamp,
    /// Empty facts with the built-in thresholds.
    blank: TownFacts,
    blank_rig: RigFacts,
    pub rng: fastrand::Rng,
    chaos: Vec<ChaosKind>,
    pub rigs: Vec<String>,
    pub workers: Vec<SimWorker>,
    /// The maximum number of workers at work in the town.
    pub limit: usize,
    pub holds: SimHolds,
    /// The settings of each rig: how many parts of a batch are checked at the same time, and if
    /// work lands by pull request, with a review.
    pub parallel: Vec<usize>,
    pub lands_by_pull: Vec<bool>,
    pub needs_review: Vec<bool>,
    pub targets: Vec<SimTarget>,
    /// All merge requests, open and closed.
    pub requests: Vec<SimMerge>,
    /// All pull requests at the forge.
    pub pulls: Vec<SimPull>,
    /// The last run of each chore.
    pub chores: BTreeMap<String, Timestamp>,
    /// The daemon was killed during an action.
    pub is_killed: bool,
    pub beads: Vec<SimBead>,
    pub convoys: usize,
    /// The number of landings per convoy.
    pub landings: BTreeMap<usize, usize>,
    /// The number of the current session host: a new one after all sessions were lost.
    pub host: u32,
    /// The end of the current outages of the API and the remote.
    pub api_down: Option<Timestamp>,
    pub remote_down: Option<Timestamp>,
    /// The reported items, with the times at which the user acts.
    pub reported: BTreeMap<String, Timestamp>,
    pub sessions: usize,
    pub messages: usize,
    pub faults: Vec<String>,
    pub log: Vec<String>,
    /// The number of actions of each rule on each subject.
    pub counts: BTreeMap<(String, String), Vec<Timestamp>>,
}

impl SimTown {
    pub(super) fn new(request: &SimRequest) -> Self {
        let mut rng = fastrand::Rng::with_seed(request.seed);
        let rigs: Vec<String> = (0..request.rigs)
            .map(|number| format!("r{number}"))
            .collect();
        let convoys = request.beads.div_ceil(6).max(1);
        let beads = (0..request.beads).map(|number| {
            let blockers: BTreeSet<usize> = match number {
                0 => BTreeSet::new(),
                _ => (0..rng.usize(..3)).map(|_| rng.usize(..number)).collect(),
            };
            let rig = rng.usize(..rigs.len());
            SimBead {
                id: format!("{}-{number}", rigs[rig]),
                convoy: rng.usize(..convoys),
                blockers: blockers.into_iter().collect(),
                ..SimBead::new(rig)
            }
        });
        let beads = beads.collect();
        let workers = (0..rigs.len()).flat_map(|rig| {
            (0..request.polecats).map(move |number| SimWorker {
                rig,
                name: format!("w{number}"),
                slot: SlotState::Idle,
                bead: None,
                session: SimSession::None,
                respawns: Vec::new(),
                lost: Vec::new(),
                refused: Vec::new(),
                nudges: NudgeCount::default(),
                stuck_times: 0,
                host: 0,
                refusal: None,
            })
        });
        let workers: Vec<SimWorker> = workers.collect();
        // Half of the towns have a limit. Its own generator keeps the other events of each seed.
        let mut limits = fastrand::Rng::with_seed(!request.seed);
        let limit = if limits.bool() {
            limits.usize(1..=workers.len().max(1))
        } else {
            usize::MAX
        };
        let has_forge = request.chaos.is_empty() || request.chaos.contains(&ChaosKind::Forge);
        let count = rigs.len();
        let mut blank = TownFacts::default();
        for (chore, interval) in &mut blank.thresholds.chores {
            let is_archive = *chore == Chore::Archive.name();
            *interval = SignedDuration::from_hours(if is_archive { 4 } else { 0 });
        }
        Self {
            now: BEGIN,
            blank,
            blank_rig: RigFacts::default(),
            rng,
            chaos: request.chaos.clone(),
            workers,
            limit,
            holds: SimHolds {
                rigs: vec![None; count],
                queues: vec![None; count],
                ..SimHolds::default()
            },
            parallel: (0..count).map(|_| limits.usize(1..=3)).collect(),
            lands_by_pull: (0..count).map(|_| has_forge && limits.bool()).collect(),
            needs_review: (0..count).map(|_| limits.bool()).collect(),
            targets: vec![SimTarget::default(); count],
            requests: Vec::new(),
            pulls: Vec::new(),
            chores: BTreeMap::new(),
            is_killed: false,
            rigs,
            beads,
            convoys,
            landings: BTreeMap::new(),
            host: 1,
            api_down: None,
            remote_down: None,
            reported: BTreeMap::new(),
            sessions: 0,
            messages: 0,
            faults: Vec::new(),
            log: Vec::new(),
            counts: BTreeMap::new(),
        }
    }

    /// Returns true if a kind of trouble comes now, on average once in `times` calls.
    pub(super) fn is_struck(&mut self, kind: ChaosKind, times: usize) -> bool {
        let may_come = self.chaos.is_empty() || self.chaos.contains(&kind);
        may_come && self.rng.usize(..times) == 0
    }

    pub(super) fn log_line(&mut self, text: &str) {
        self.log.push(format!("{}  {text}", format_clock(self.now)));
    }

    pub(super) fn record_fault(&mut self, text: &str) {
        self.log_line(&format!("FAULT: {text}"));
        self.faults
            .push(format!("{}  {text}", format_clock(self.now)));
    }

    pub(super) fn count_action(&mut self, rule: &str, subject: &str) {
        let key = (rule.to_owned(), subject.to_owned());
        let now = self.now;
        let times = self.counts.entry(key).or_default();
        times.retain(|at| now.duration_since(*at) < ACTION_WINDOW);
        times.push(now);
    }

    /// Returns true if every bead has landed and no session runs.
    pub(super) fn is_over(&self) -> bool {
        let is_running = |worker: &SimWorker| !matches!(worker.session, SimSession::None);
        self.beads.iter().all(|bead| bead.is_landed) && !self.workers.iter().any(is_running)
    }

    pub(super) fn describe_open(&self) -> String {
        let open = self.beads.iter().filter(|bead| !bead.is_landed);
        let open = open.map(|bead| format!("{} {:?}", bead.id, bead.place));
        open.take(9).collect::<Vec<_>>().join(", ")
    }

    pub(super) fn is_api_down(&self) -> bool {
        self.api_down.is_some_and(|until| until > self.now)
    }

    pub(super) fn is_remote_down(&self) -> bool {
        self.remote_down.is_some_and(|until| until > self.now)
    }

    /// Returns the index of the worker.
    pub(super) fn find_worker(&self, worker: &Worker) -> Option<usize> {
        let is_it = |candidate: &SimWorker| self.worker_name(candidate) == *worker;
        self.workers.iter().position(is_it)
    }

    pub(super) fn worker_name(&self, worker: &SimWorker) -> Worker {
        Worker::new(self.rigs[worker.rig].as_str(), worker.name.as_str())
    }

    /// Returns the next time at which a session's process ends or a bead becomes ready, which wakes
    /// the daemon.
    pub(super) fn next_wake(&self) -> Option<Timestamp> {
        let sessions = self
            .workers
            .iter()
            .filter_map(|worker| match &worker.session {
                SimSession::Alive { mood, .. } => mood.ends_at(),
                _ => None,
            });
        sessions.filter(|at| *at > self.now).min()
    }

    /// Returns the facts as the patrol reads them from a real town.
    pub(super) fn facts(&self) -> TownFacts {
        let rigs = (0..self.rigs.len()).map(|rig| (self.rigs[rig].clone(), self.rig_facts(rig)));
        let landable = (0..self.convoys).filter(|convoy| self.is_landable(*convoy));
        TownFacts {
            now: self.now,
            rigs: rigs.collect(),
            convoys: ConvoyFacts {
                landable: landable.map(|convoy| format!("c{convoy}")).collect(),
                unfinished: Vec::new(),
            },
            attention: self.attention(),
            outages: self.outages(),
            room: self.room(),
            paused: self.holds.town.map(|_| TownPause::default()),
            stopped: self.holds.stop.map(|_| EmergencyStop::default()),
            chores: ChoreFacts {
                last: self.chores.clone(),
                from: BEGIN,
                event: self.now,
                ..ChoreFacts::default()
            },
            ..self.blank.clone()
        }
    }

    /// Returns the room of the town for workers, as `gt sling` reads it too.
    pub(super) fn room(&self) -> TownRoom {
        if self.holds.scheduler.is_some() {
            return TownRoom {
                slots: 0,
                obstacle: Some(StartObstacle::Paused {
                    by: String::new(),
                    reason: String::new(),
                }),
            };
        }
        TownRoom {
            slots: self.limit.saturating_sub(self.count_at_work()),
            obstacle: None,
        }
    }

    fn count_at_work(&self) -> usize {
        let workers = self.workers.iter();
        let active = workers.filter(|worker| self.holds.rigs[worker.rig].is_none());
        active.filter(|worker| worker.is_at_work()).count()
    }

    /// Returns true if nothing may be started in a rig.
    pub(super) fn is_held(&self, rig: usize) -> bool {
        self.holds.stop.is_some() || self.holds.rigs[rig].is_some()
    }

    /// Returns true if the queue of a rig may merge.
    pub(super) fn may_merge(&self, rig: usize) -> bool {
        !self.is_held(rig) && self.holds.queues[rig].is_none()
    }

    /// Returns true if a bead is queued and nothing blocks it.
    pub(super) fn is_unblocked(&self, bead: usize) -> bool {
        let bead = &self.beads[bead];
        let is_done = |blocker: &usize| self.beads[*blocker].place == BeadPlace::Closed;
        bead.place == BeadPlace::Queued && bead.blockers.iter().all(is_done)
    }

    /// Returns true if a bead is a task that goes to a worker automatically.
    pub(super) fn is_repair(&self, bead: usize) -> bool {
        let bead = &self.beads[bead];
        let request = bead.task_for.map(|request| &self.requests[request]);
        let is_needed = request.is_some_and(|request| request.is_open);
        bead.place == BeadPlace::Open && is_needed && bead.repairs <= REPAIRS
    }

    pub(super) fn close_bead(&mut self, bead: usize) {
        self.beads[bead].place = BeadPlace::Closed;
        self.beads[bead].closed_at = Some(self.now);
    }

    /// Opens a bead again at a new attempt.
    pub(super) fn reopen_bead(&mut self, bead: usize, place: BeadPlace) {
        let bead = &mut self.beads[bead];
        bead.place = place;
        bead.attempt += 1;
        bead.merges = 0;
    }

    pub(super) fn is_landable(&self, convoy: usize) -> bool {
        let mut beads = self
            .beads
            .iter()
            .filter(|bead| bead.convoy == convoy)
            .peekable();
        let is_open = beads.peek().is_some_and(|bead| !bead.is_landed);
        is_open && beads.all(|bead| bead.place == BeadPlace::Closed)
    }

    fn rig_facts(&self, rig: usize) -> RigFacts {
        let workers = || self.workers.iter().filter(move |worker| worker.rig == rig);
        let ids_of = |is_one: &dyn Fn(usize) -> bool| -> Vec<String> {
            let beads = (0..self.beads.len()).filter(|bead| self.beads[*bead].rig == rig);
            let chosen = beads.filter(|bead| is_one(*bead));
            chosen.map(|bead| self.beads[bead].id.clone()).collect()
        };
        let is_stuck = |worker: &&SimWorker| worker.slot.stuck_reason().is_some();
        let has_room = |worker: &&SimWorker| worker.bead.is_none() || is_stuck(worker);
        // A stuck worker takes no room but keeps its bead, so the idle workers limit the room.
        let idle = workers().filter(|worker| worker.bead.is_none()).count();
        let room = workers().filter(has_room).count().min(idle);
        RigFacts {
            polecats: workers().map(|worker| self.polecat_facts(worker)).collect(),
            watched: workers()
                .filter_map(|worker| self.watch_facts(worker))
                .collect(),
            scheduler: SchedulerFacts {
                rig: self.rigs[rig].clone(),
                unblocked: ids_of(&|bead| self.is_unblocked(bead)),
                repairs: ids_of(&|bead| self.is_repair(bead)),
                room,
                at_work: workers().filter(|worker| worker.is_at_work()).count(),
                ..SchedulerFacts::default()
            },
            queue: QueueFacts {
                rig: self.rigs[rig].clone(),
                ready_in: time_until_ready(self, rig).filter(|_| self.holds.queues[rig].is_none()),
                ..QueueFacts::default()
            },
            held: self.held_facts(rig),
            ..self.blank_rig.clone()
        }
    }

    fn held_facts(&self, rig: usize) -> Option<HeldFacts> {
        let name = &self.rigs[rig];
        let is_alive = |worker: &&SimWorker| matches!(worker.session, SimSession::Alive { .. });
        let workers = self.workers.iter().filter(|worker| worker.rig == rig);
        let running = workers.filter(is_alive);
        self.is_held(rig).then(|| HeldFacts {
            rig: name.clone(),
            hold: Hold {
                state: HoldState::Parked,
                reason: format!("rig {name} is parked"),
                next: String::new(),
            },
            sessions: running.map(|worker| worker.name.clone()).collect(),
        })
    }

    fn polecat_facts(&self, worker: &SimWorker) -> PolecatFacts {
        let closed_at = worker.bead.and_then(|bead| self.beads[bead].closed_at);
        PolecatFacts {
            worker: self.worker_name(worker),
            why: String::new(),
            hook: worker.bead.map(|bead| self.beads[bead].id.clone()),
            hook_closed: closed_at.is_some(),
            superseded: false,
            record_lost: false,
            closed_at,
            left: SandboxLeftovers::Nothing,
            busy: false,
            alive: Some(matches!(worker.session, SimSession::Alive { .. })),
            shown: matches!(worker.session, SimSession::Dead),
            slot: worker.slot.clone(),
            respawns: worker.respawns.clone(),
            worked: false,
            lost: worker.lost.clone(),
            stuck_times: worker.stuck_times,
            asks: false,
            refused: worker.refusal.is_some(),
            held_back: false,
        }
    }

    /// Returns the progress of a working worker.
    pub(super) fn progress(worker: &SimWorker) -> Option<WorkerProgress> {
        let SimSession::Alive {
            mood,
            progress,
            sign,
            ..
        } = &worker.session
        else {
            return None;
        };
        if worker.bead.is_none() || !matches!(worker.slot, SlotState::Working) {
            return None;
        }
        let doing = match (&worker.refusal, mood) {
            (Some(refusal), _) => WorkerActivity::Refused(refusal.clone()),
            (None, AgentPlan::Dialog) => WorkerActivity::Dialog {
                question: String::new(),
            },
            (None, AgentPlan::Asks) => WorkerActivity::AtPrompt,
            (None, _) => WorkerActivity::Unknown,
        };
        Some(WorkerProgress {
            at: *progress,
            sign: *sign,
            work: *progress,
            changed: None,
            doing,
            attached: false,
        })
    }

    fn watch_facts(&self, worker: &SimWorker) -> Option<WatchFacts> {
        Some(WatchFacts {
            worker: self.worker_name(worker),
            progress: Self::progress(worker)?,
            nudges: worker.nudges,
            respawns: worker.respawns.clone(),
            busy: false,
            asks: false,
        })
    }

    fn outages(&self) -> Vec<outages::Outage> {
        let refused = self.workers.iter().filter_map(|worker| {
            Some(RefusedWorker {
                worker: self.worker_name(worker),
                agent: AGENT.to_owned(),
                refusal: worker.refusal.clone()?,
                is_running: matches!(worker.session, SimSession::Alive { .. }),
                nudges: worker.nudges,
                restarts: worker.refused.clone(),
            })
        });
        let others = self
            .workers
            .iter()
            .filter(|worker| worker.refusal.is_none());
        let others: Vec<WorkerProgress> = others.filter_map(Self::progress).collect();
        let others: Vec<(&str, &WorkerProgress)> =
            others.iter().map(|progress| (AGENT, progress)).collect();
        outages::group_outages(refused, &others)
    }

    /// Returns the current items for the user: stuck workers, dialogs, a lasting outage.
    pub(super) fn items(&self) -> BTreeSet<String> {
        let stuck = self
            .workers
            .iter()
            .filter(|worker| worker.slot.stuck_reason().is_some());
        let stuck = stuck.map(|worker| {
            let times = worker.stuck_times;
            format!("stuck:{}:{times}", self.worker_name(worker))
        });
        let lasting = self.outages().into_iter();
        let lasting = lasting.filter(|outage| self.now.duration_since(outage.since) > PATIENCE);
        let lasting = lasting.map(|outage| format!("outage:{}", outage.since));
        stuck.chain(lasting).collect()
    }

    fn attention(&self) -> AttentionFacts {
        let items = self.items();
        let new = items.iter().filter(|key| !self.reported.contains_key(*key));
        let over = self.reported.keys().filter(|key| !items.contains(*key));
        AttentionFacts {
            messages: AttentionMessages {
                new: new.map(|key| build_item(key)).collect(),
                over: over.cloned().collect(),
            },
            due_in: None,
        }
    }
}

fn build_item(key: &str) -> AddressedItem {
    let item = AttentionItem {
        key: key.to_owned(),
        bead: String::new(),
        kind: AttentionKind::Stuck,
        subject: key.to_owned(),
        text: String::new(),
        next: Vec::new(),
        due: Timestamp::MIN,
    };
    AddressedItem {
        item,
        mailboxes: Vec::new(),
    }
}
