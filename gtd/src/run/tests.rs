use std::collections::{BTreeMap, BTreeSet};

use gt::flow::place::sync::SyncState;
use gt::patrol::{Action, QueueFacts, RigFacts, SchedulerFacts, WatchFacts, WorkerVerb};
use gt::record::polecat::NudgeCount;
use gt::record::progress::{ProgressSign, WorkerActivity, WorkerProgress};
use jiff::SignedDuration;
use tokio::time::Instant;

use super::*;
use crate::wake::create_wake_channel;

const DAY: u64 = 24 * 3600;

type TestScript<T, R> = Box<dyn Fn(T) -> R + Send + Sync>;

/// A world on tokio's clock, which advances when all tasks wait. Times are in seconds since its
/// start.
struct TestWorld {
    begun: Instant,
    /// The second at which the clock jumps ahead by a day, as after a suspension.
    sleeps_at: u64,
    /// The facts at a second.
    facts: TestScript<u64, anyhow::Result<TownFacts>>,
    succeeds: TestScript<Action, bool>,
    /// The seconds of the passes.
    passes: Mutex<Vec<u64>>,
    /// The actions with their times.
    acts: Mutex<Vec<(u64, Action)>>,
}

impl TestWorld {
    fn seconds(&self) -> u64 {
        self.begun.elapsed().as_secs()
    }
}

impl LoopWorld for TestWorld {
    fn now(&self) -> Timestamp {
        let slept = u64::from(self.seconds() >= self.sleeps_at) * DAY;
        Timestamp::UNIX_EPOCH + self.begun.elapsed() + Duration::from_secs(slept)
    }

    fn facts(&self) -> anyhow::Result<TownFacts> {
        lock_mutex(&self.passes).push(self.seconds());
        (self.facts)(self.seconds())
    }

    fn act(&self, decision: Decision) -> ActionReport {
        let changed = (self.succeeds)(decision.action.clone());
        lock_mutex(&self.acts).push((self.seconds(), decision.action.clone()));
        ActionReport {
            decision,
            outcome: String::new(),
            failed: !changed,
            changed,
            busy: false,
        }
    }

    fn tidy(&self) {}
    fn stop(&self) {}
}

/// Runs the loop for so many seconds, with a wake-up by a file at each of `files`.
async fn run(
    limit: u64,
    files: &[u64],
    facts: impl Fn(u64) -> anyhow::Result<TownFacts> + Send + Sync + 'static,
    succeeds: impl Fn(Action) -> bool + Send + Sync + 'static,
) -> (Vec<u64>, Vec<(u64, Action)>) {
    run_with(u64::MAX, limit, files, facts, succeeds).await
}

/// Does the same on a machine that sleeps for a day at some second.
async fn run_with(
    sleeps_at: u64,
    limit: u64,
    files: &[u64],
    facts: impl Fn(u64) -> anyhow::Result<TownFacts> + Send + Sync + 'static,
    succeeds: impl Fn(Action) -> bool + Send + Sync + 'static,
) -> (Vec<u64>, Vec<(u64, Action)>) {
    let folder = tempfile::tempdir().unwrap();
    let (waker, mut wakes) = create_wake_channel();
    let play = TestWorld {
        begun: Instant::now(),
        sleeps_at,
        facts: Box::new(facts),
        succeeds: Box::new(succeeds),
        passes: Mutex::default(),
        acts: Mutex::default(),
    };
    for (at, wake) in files
        .iter()
        .map(|at| (*at, WakeReason::Files))
        .chain([(limit, WakeReason::Stop)])
    {
        let waker = waker.clone();
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_secs(at)).await;
            waker.wake(wake);
        });
    }
    let running = PatrolLoop::new(play, waker, folder.path().join("patrol.json"));
    running.watch(&mut wakes).await;
    let world = running.world();
    (
        lock_mutex(&world.passes).clone(),
        lock_mutex(&world.acts).clone(),
    )
}

fn facts_of_rig(rig: RigFacts) -> TownFacts {
    TownFacts {
        rigs: BTreeMap::from([("web".to_owned(), rig)]),
        ..TownFacts::default()
    }
}

fn facts_with_ready_queue() -> TownFacts {
    facts_of_rig(RigFacts {
        queue: QueueFacts {
            rig: "web".to_owned(),
            ready_in: Some(SignedDuration::ZERO),
            ..QueueFacts::default()
        },
        ..RigFacts::default()
    })
}

fn seconds_of(acts: &[(u64, Action)]) -> Vec<u64> {
    acts.iter().map(|(at, _)| *at).collect()
}

#[tokio::test(start_paused = true)]
async fn each_heartbeat_runs_a_pass_and_a_stop_ends_the_loop() {
    let (passes, acts) = run(600, &[], |_| Ok(TownFacts::default()), |_| true).await;
    assert_eq!(passes, [0, 180, 360, 540]);
    assert!(acts.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_file_event_wakes_the_loop() {
    let (passes, _) = run(250, &[50, 50, 60], |_| Ok(TownFacts::default()), |_| true).await;
    assert_eq!(passes, [0, 50, 60, 240]);
}

#[tokio::test(start_paused = true)]
async fn the_loop_sleeps_until_a_rule_is_due() {
    let facts = |at: u64| {
        let rest = SignedDuration::from_secs(i64::try_from(at).unwrap());
        let state = SyncState {
            rest,
            ..SyncState::default()
        };
        Ok(TownFacts {
            sync: (at < 31).then_some(state).into_iter().collect(),
            ..TownFacts::default()
        })
    };
    let (passes, acts) = run(100, &[], facts, |_| false).await;
    assert_eq!(passes[..2], [0, 30]);
    assert_eq!(acts, [(30, Action::SyncBeads { rig: None })]);
}

#[tokio::test(start_paused = true)]
async fn a_failed_action_waits_longer_each_time_and_old_failures_are_forgotten() {
    let (_, acts) = run(100, &[], |_| Ok(facts_with_ready_queue()), |_| false).await;
    assert_eq!(seconds_of(&acts), [0, 5, 15, 35, 75]);
    let facts = |at| match at {
        20..DAY => Ok(TownFacts::default()),
        _ => Ok(facts_with_ready_queue()),
    };
    let (_, acts) = run(DAY + 12, &[DAY], facts, |_| false).await;
    assert_eq!(seconds_of(&acts), [0, 5, 15, DAY, DAY + 5]);
}

#[tokio::test(start_paused = true)]
async fn a_success_resets_the_wait_of_an_action() {
    let calls = AtomicUsize::new(0);
    // Fails twice, succeeds once, and fails again.
    let succeeds = move |_| calls.fetch_add(1, Ordering::Relaxed) == 2;
    let (_, acts) = run(22, &[], |_| Ok(facts_with_ready_queue()), succeeds).await;
    assert_eq!(seconds_of(&acts), [0, 5, 15, 15, 20]);
}

#[tokio::test(start_paused = true)]
async fn decisions_over_the_budget_start_as_soon_as_an_action_ends() {
    for succeeds in [true, false] {
        let slung: Arc<Mutex<BTreeSet<String>>> = Arc::default();
        let gone = Arc::clone(&slung);
        let facts = move |_| {
            let beads = (0..12).map(|number| format!("web-{number}"));
            let scheduler = SchedulerFacts {
                rig: "web".to_owned(),
                unblocked: beads
                    .filter(|bead| !lock_mutex(&gone).contains(bead))
                    .collect(),
                room: 12,
                ..SchedulerFacts::default()
            };
            Ok(facts_of_rig(RigFacts {
                scheduler,
                ..RigFacts::default()
            }))
        };
        let sling = move |action| {
            if let Action::SlingQueued { bead, .. } = action
                && succeeds
            {
                lock_mutex(&slung).insert(bead.to_string());
            }
            succeeds
        };
        let (passes, acts) = run(1, &[], facts, sling).await;
        let beads: BTreeSet<String> = acts
            .iter()
            .map(|(_, action)| format!("{action:?}"))
            .collect();
        assert_eq!((acts.len(), beads.len()), (12, 12), "{acts:?}");
        assert!(passes.len() >= 3, "five at a time: {passes:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_failing_or_panicking_pass_does_not_end_the_loop() {
    let facts = |at| match at {
        0 => anyhow::bail!("the disk is away"),
        180 => panic!("a bug"),
        _ => Ok(TownFacts::default()),
    };
    let (passes, _) = run(500, &[], facts, |_| true).await;
    assert_eq!(passes, [0, 180, 360]);
}

/// A worker without progress since the start, on a machine that sleeps for a day at some second.
fn quiet_worker(at: u64, sleeps_at: u64) -> TownFacts {
    let watched = WatchFacts {
        worker: gt::town::name::Worker::new("web", "nux"),
        progress: WorkerProgress {
            at: Timestamp::UNIX_EPOCH,
            sign: ProgressSign::Tool,
            work: Timestamp::UNIX_EPOCH,
            changed: None,
            doing: WorkerActivity::AtPrompt,
            attached: false,
        },
        nudges: NudgeCount::default(),
        respawns: Vec::new(),
        busy: false,
        asks: false,
    };
    let slept = u64::from(at >= sleeps_at) * DAY;
    TownFacts {
        now: Timestamp::UNIX_EPOCH + Duration::from_secs(at + slept),
        ..facts_of_rig(RigFacts {
            watched: vec![watched],
            ..RigFacts::default()
        })
    }
}

#[tokio::test(start_paused = true)]
async fn a_quiet_worker_gets_its_full_time_again_after_the_machine_sleeps() {
    const SLEEPS: u64 = 100;
    let facts = |at| Ok(quiet_worker(at, SLEEPS));
    let nudge = u64::try_from(gt::patrol::Thresholds::default().nudge.as_secs()).unwrap();
    let limit = SLEEPS + nudge + 10;
    let (_, acts) = run_with(SLEEPS, limit, &[SLEEPS + 1], facts, |_| false).await;
    // Wake-ups are collected for a moment before a pass.
    let (at, first) = &acts[0];
    assert!((1..=2).contains(&(at - SLEEPS - nudge)), "{at} {first:?}");
    let verb = match &first {
        Action::Worker { verb, .. } => Some(*verb),
        _ => None,
    };
    assert_eq!(verb, Some(WorkerVerb::NudgeQuiet), "{first:?}");
}

#[tokio::test(start_paused = true)]
async fn sleep_in_the_middle_of_a_pass_does_not_count_against_workers() {
    // The clock jumps after the read has begun, so its facts are from after the sleep.
    let slept = Arc::new(AtomicUsize::new(0));
    let asleep = Arc::clone(&slept);
    let facts = move |at| {
        asleep.store(1, Ordering::Relaxed);
        Ok(quiet_worker(at, 0))
    };
    let folder = tempfile::tempdir().unwrap();
    let (waker, mut wakes) = create_wake_channel();
    let world = SleepingWorld {
        play: TestWorld {
            begun: Instant::now(),
            sleeps_at: u64::MAX,
            facts: Box::new(facts),
            succeeds: Box::new(|_| false),
            passes: Mutex::default(),
            acts: Mutex::default(),
        },
        slept,
    };
    let stop = waker.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_secs(60)).await;
        stop.wake(WakeReason::Stop);
    });
    let running = PatrolLoop::new(world, waker, folder.path().join("patrol.json"));
    running.watch(&mut wakes).await;
    assert!(lock_mutex(&running.world().play.acts).is_empty());
}

/// A world whose clock jumps by a day in its first read.
struct SleepingWorld {
    play: TestWorld,
    slept: Arc<AtomicUsize>,
}

impl LoopWorld for SleepingWorld {
    fn now(&self) -> Timestamp {
        let days = self.slept.load(Ordering::Relaxed) as u64;
        self.play.now() + Duration::from_secs(days * DAY)
    }

    fn facts(&self) -> anyhow::Result<TownFacts> {
        self.play.facts()
    }

    fn act(&self, decision: Decision) -> ActionReport {
        self.play.act(decision)
    }

    fn tidy(&self) {}
    fn stop(&self) {}
}
