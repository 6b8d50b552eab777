//! The patrol loop: wake → facts → rules → actions.
//!
//! Starting a session and running gates take long, so each action runs beside the loop, and the
//! executor decides which ones may run at the same time. An action that fails waits longer each
//! time before a retry. Everything outside of the loop is behind [`LoopWorld`], so that tests can
//! run it on a clock of their own.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use gt::patrol::{self, ActionExecutor, ActionReport, Decision, PatrolMemory, TownFacts};
use jiff::{SignedDuration, Timestamp};

use crate::wake::{WakeReason, WakeReceiver, WakeSender};

/// The interval of the full check that runs even without any event.
pub(crate) const HEARTBEAT: Duration = Duration::from_secs(180);
/// A sleep that takes this much longer than its limit means that the machine was suspended.
const SUSPEND_TOLERANCE: Duration = Duration::from_secs(60);
/// The time that running actions get when the daemon stops. `gt daemon stop` waits a little longer.
const STOP_GRACE: Duration = Duration::from_secs(6);

/// The world of the loop. All methods but the clock may block, and are called beside the loop.
pub(crate) trait LoopWorld: Send + Sync + 'static {
    fn now(&self) -> Timestamp;
    fn facts(&self) -> anyhow::Result<TownFacts>;
    fn act(&self, decision: Decision) -> ActionReport;
    /// Does the housekeeping after each pass.
    fn tidy(&self);
    /// Stops long actions.
    fn stop(&self);
    /// Returns true if the world no longer exists, so that the loop ends.
    fn is_gone(&self) -> bool {
        false
    }
    /// Returns the maximum time between two passes.
    fn heartbeat(&self) -> Duration {
        HEARTBEAT
    }
}

/// The loop over a world.
pub(crate) struct PatrolLoop<W> {
    world: W,
    waker: WakeSender,
    /// The actions that run beside the loop.
    executor: Mutex<ActionExecutor>,
    memory: Mutex<PatrolMemory>,
    memory_file: PathBuf,
    /// The end of the last suspension of the machine.
    awake_since: Mutex<Option<Timestamp>>,
    /// The number of decisions that are left for the pass after the end of an action.
    left: AtomicUsize,
}

impl<W: LoopWorld> PatrolLoop<W> {
    pub(crate) fn new(world: W, waker: WakeSender, memory_file: PathBuf) -> Arc<Self> {
        let memory = PatrolMemory::load(&memory_file).unwrap_or_else(|error| {
            tracing::warn!(%error, file = %memory_file.display(), "cannot be read, so failures so far do not count");
            PatrolMemory::default()
        });
        Arc::new(Self {
            world,
            waker,
            executor: Mutex::default(),
            memory: Mutex::new(memory),
            memory_file,
            awake_since: Mutex::default(),
            left: AtomicUsize::new(0),
        })
    }

    pub(crate) fn world(&self) -> &W {
        &self.world
    }

    /// Watches until it is stopped, and waits for the running actions.
    pub(crate) async fn watch(self: &Arc<Self>, wakes: &mut WakeReceiver) {
        loop {
            if self.run_beside("looking for the town", W::is_gone).await == Some(true) {
                break;
            }
            let limit = self.run_pass().await;
            let before = self.world.now();
            let wake = wakes.next(limit).await;
            self.record_suspension(before, limit);
            if wake == WakeReason::Stop {
                break;
            }
        }
        self.finish().await;
    }

    /// Records a suspension of the machine if more time has passed since `before` than the loop's
    /// clock shows.
    fn record_suspension(&self, before: Timestamp, limit: Duration) {
        let now = self.world.now();
        let limit =
            SignedDuration::try_from(limit + SUSPEND_TOLERANCE).unwrap_or(SignedDuration::MAX);
        if now.duration_since(before) > limit {
            tracing::info!("the machine stood still; workers are judged from now on");
            *lock_mutex(&self.awake_since) = Some(now);
        }
    }

    /// Runs a pass. Returns the maximum sleep: until a rule applies, until a failed action may be
    /// retried, or until the heartbeat.
    async fn run_pass(self: &Arc<Self>) -> Duration {
        let mut due = None;
        // A suspension can also happen during a read, and the loop's clock stops with the machine.
        let began = tokio::time::Instant::now();
        let before = self.world.now();
        match self.run_beside("reading the town", W::facts).await {
            Some(Ok(mut facts)) => {
                self.record_suspension(before, began.elapsed());
                if let Some(at) = *lock_mutex(&self.awake_since) {
                    facts.awake_since(at);
                }
                // Nothing is written below the path of a town that was moved during the read.
                if self.run_beside("looking for the town", W::is_gone).await == Some(true) {
                    return Duration::ZERO;
                }
                due = patrol::due_in(&facts);
                self.start_actions(&facts);
                let micros = u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX);
                tracing::debug!(micros, "looked");
            }
            Some(Err(error)) => {
                tracing::error!(error = format!("{error:#}"), "the town cannot be read");
            }
            None => {}
        }
        self.run_beside("keeping briefings and stores", W::tidy)
            .await;
        let retry = lock_mutex(&self.memory).due_in(self.world.now());
        self.record_suspension(before, began.elapsed());
        let sleep = due
            .into_iter()
            .chain(retry)
            .min()
            .and_then(|wait| wait.try_into().ok());
        let heartbeat = self.world.heartbeat();
        sleep.map_or(heartbeat, |sleep: Duration| sleep.min(heartbeat))
    }

    /// Runs blocking code beside the loop. A panic is logged and ends only that code.
    async fn run_beside<T: Send + 'static>(
        self: &Arc<Self>,
        what: &str,
        run: impl FnOnce(&W) -> T + Send + 'static,
    ) -> Option<T> {
        let this = Arc::clone(self);
        match tokio::task::spawn_blocking(move || run(&this.world)).await {
            Ok(value) => Some(value),
            Err(error) => {
                tracing::error!(%error, what, "panicked");
                None
            }
        }
    }

    /// Decides, and starts the due actions that do not run already. A start waits for its agent and
    /// a queue for its gates, so each runs beside the loop. Locks keep them from interfering.
    fn start_actions(self: &Arc<Self>, facts: &TownFacts) {
        let now = self.world.now();
        let decisions = {
            let memory = lock_mutex(&self.memory);
            patrol::decide(facts, &|decision| memory.is_due(decision, now))
        };
        let (started, left) =
            lock_mutex(&self.executor).admit(decisions, |rig| facts.thresholds_for(rig));
        if self.left.swap(left.len(), Ordering::Relaxed) != left.len() {
            let rule = left.first().map(|decision| decision.rule.name);
            tracing::info!(left = left.len(), rule, "left until an action has ended");
        }
        for decision in started {
            let this = Arc::clone(self);
            tokio::spawn(async move { this.run_action(decision).await });
        }
    }

    async fn run_action(self: &Arc<Self>, decision: Decision) {
        let subject = decision.action.subject();
        let acted = self
            .run_beside("an action", |world| world.act(decision))
            .await;
        let mut look_again = self.left.load(Ordering::Relaxed) > 0;
        if let Some(acted) = acted {
            // A failed action waits from here on. Only then may another one start.
            let mut memory = lock_mutex(&self.memory);
            memory.record(&acted, self.world.now());
            if !self.world.is_gone()
                && let Err(error) = memory.save(&self.memory_file)
            {
                tracing::warn!(%error, file = %self.memory_file.display(), "is not written");
            }
            // Also after a failure, because the loop does not know the time of its retry yet.
            look_again |= acted.changed || acted.failed || acted.busy;
        }
        lock_mutex(&self.executor).finish(&subject);
        if look_again {
            self.waker.wake(WakeReason::Finished);
        }
    }

    /// Stops the gates and waits for all other actions.
    async fn finish(&self) {
        self.world.stop();
        let ended = async {
            while !lock_mutex(&self.executor).running_subjects().is_empty() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        if tokio::time::timeout(STOP_GRACE, ended).await.is_err() {
            let left = lock_mutex(&self.executor).running_subjects();
            tracing::warn!(
                ?left,
                "ending in the middle of this; the next start goes on"
            );
        }
    }
}

/// A poisoned lock means a panic between two plain writes, so the value is still valid.
pub(crate) fn lock_mutex<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
