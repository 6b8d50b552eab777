//! The loop: wake → facts → rules → actions.
//!
//! Starting a session and running gates take their time: each action runs beside the loop, one at a time of
//! its kind. An action that fails waits longer each time before it is tried again.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bd::store::upkeep;
use gt::host::LiveTown;
use gt::patrol::{self, Acted, Action, Decision, Executor, Facts};
use tokio::sync::broadcast;
use tokio::time::Instant;

use crate::backoff::Backoff;
use crate::panes::Panes;
use crate::socket::{self, Shared};
use crate::supervise::Instance;
use crate::wake::{Wake, Waker, channel};
use crate::watch::Watch;

/// The safety net: everything is looked at this often, whatever happens.
const HEARTBEAT: Duration = Duration::from_secs(180);
/// How long what is being done may take to come to its end when the daemon stops.
const PARTING: Duration = Duration::from_secs(8);
/// So many passes in a row may find more to do before `--once` calls it a fault.
const PASSES_AT_ONCE: usize = 1000;

/// Makes passes until one changes nothing.
pub(crate) fn once(town: &LiveTown) -> anyhow::Result<()> {
    for _ in 0..PASSES_AT_ONCE {
        let pass = patrol::pass(town)?;
        prepare_briefings(town);
        for acted in &pass.acted {
            report(acted);
        }
        if !pass.acted.iter().any(|acted| acted.changed) {
            // Beads that are not on their branch yet lose nothing; that was logged.
            let is_fault = |acted: &&Acted| {
                acted.failed && !matches!(acted.decision.action, Action::ShareBeads { .. })
            };
            return match pass.acted.iter().find(is_fault) {
                Some(failed) => Err(anyhow::anyhow!(
                    "{}: {}",
                    failed.decision.rule.name,
                    failed.outcome
                )),
                None => Ok(()),
            };
        }
    }
    anyhow::bail!("{PASSES_AT_ONCE} passes and still something to do: see `gt why`")
}

/// Watches the town until told to stop.
pub(crate) fn forever(town: LiveTown) -> anyhow::Result<()> {
    let instance = Instance::take(&town)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(watch_over(Arc::new(town), instance))
}

/// The state of the loop; cheap to clone.
#[derive(Clone)]
struct Loop {
    town: Arc<LiveTown>,
    waker: Waker,
    /// What is being done beside the loop.
    executor: Arc<Mutex<Executor>>,
    /// How many decisions are left for the pass after the end of an action.
    left: Arc<AtomicUsize>,
    /// When a failed action may be tried again, by its key.
    backoff: Arc<Mutex<Backoff>>,
    passes: broadcast::Sender<Vec<String>>,
}

async fn watch_over(town: Arc<LiveTown>, mut instance: Instance) -> anyhow::Result<()> {
    let (waker, mut wakes) = channel();
    let (passes, _) = broadcast::channel(64);
    let shared = Arc::new(Mutex::new(Shared {
        state: instance.state().clone(),
        degraded: None,
    }));
    socket::open(&town, waker.clone(), Arc::clone(&shared), passes.clone())?;
    let mut watch = begin_watch(&town, &waker);
    stop_on_signals(&waker)?;
    let mut panes = Panes::default();
    let state = Loop {
        town: Arc::clone(&town),
        waker: waker.clone(),
        executor: Arc::default(),
        left: Arc::default(),
        backoff: Arc::default(),
        passes,
    };
    // Without a supervisor that listens nobody needs to be told.
    sd_notify::notify(&[sd_notify::NotifyState::Ready]).ok();
    tracing::info!(town = %town.layout.root().display(), pid = std::process::id(), "watching");
    loop {
        let mut sleep = HEARTBEAT;
        if let Some(facts) = state.read().await {
            let due = patrol::due_in(&facts).and_then(|due| due.try_into().ok());
            sleep = due.map_or(HEARTBEAT, |due: Duration| due.min(HEARTBEAT));
            // Before anything is done: what ends from here on is heard of.
            panes.follow(&facts.sessions, &waker);
            state.start(&facts);
            let mut shared = lock(&shared);
            shared.degraded = facts.degraded;
        }
        state.prepare_briefings().await;
        if let Some(watch) = &mut watch {
            watch.refresh(&town).ok();
        }
        instance.passed(&town);
        lock(&shared).state = instance.state().clone();
        sd_notify::notify(&[sd_notify::NotifyState::Watchdog]).ok();
        if wakes.next(state.until_next().min(sleep)).await == Wake::Stop {
            break;
        }
    }
    state.finish().await;
    tracing::info!("ending; sessions go on");
    instance.end(&town)
}

fn begin_watch(town: &LiveTown, waker: &Waker) -> Option<Watch> {
    match Watch::begin(town, waker) {
        Ok(watch) => Some(watch),
        Err(error) => {
            tracing::warn!(%error, "no file events; looking every three minutes only");
            None
        }
    }
}

fn stop_on_signals(waker: &Waker) -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let kinds = [
        (SignalKind::terminate(), Wake::Stop),
        (SignalKind::interrupt(), Wake::Stop),
        (SignalKind::hangup(), Wake::Request),
    ];
    for (kind, wake) in kinds {
        let (mut signals, waker) = (signal(kind)?, waker.clone());
        tokio::spawn(async move {
            while signals.recv().await.is_some() {
                waker.wake(wake);
            }
        });
    }
    Ok(())
}

impl Loop {
    /// Reads the facts. What panics is logged and costs that pass only.
    async fn read(&self) -> Option<Facts> {
        let town = Arc::clone(&self.town);
        let facts = match tokio::task::spawn_blocking(move || patrol::facts(&town)).await {
            Ok(Ok(facts)) => facts,
            Ok(Err(error)) => {
                tracing::error!(error = format!("{error:#}"), "the town cannot be read");
                return None;
            }
            Err(error) => {
                tracing::error!(%error, "reading the town panicked");
                return None;
            }
        };
        for rig in &facts.unreadable {
            tracing::warn!(rig, "a rig's beads cannot be read");
        }
        Some(facts)
    }

    /// Decides, and starts what is due and not being done already. A start waits for its agent and a queue
    /// for its gates, so each runs beside the loop; locks keep them out of each other's way.
    fn start(&self, facts: &Facts) {
        let mut decisions = patrol::decide(facts);
        decisions.retain(|decision| self.is_due(decision));
        let (now, left) = lock(&self.executor).admit(decisions, |rig| facts.numbers(rig));
        if self.left.swap(left.len(), Ordering::Relaxed) != left.len() {
            tracing::info!(now = now.len(), left = left.len(), "left for the next pass");
        }
        for decision in now {
            let beside = self.clone();
            tokio::spawn(async move {
                let subject = decision.action.subject();
                let town = Arc::clone(&beside.town);
                let acted = tokio::task::spawn_blocking(move || patrol::act(&town, decision)).await;
                // A failed action waits from here on; only then may another be started.
                match acted {
                    Ok(acted) => beside.took(&acted),
                    Err(error) => tracing::error!(%error, %subject, "an action panicked"),
                }
                lock(&beside.executor).ended(&subject);
                if beside.left.load(Ordering::Relaxed) > 0 {
                    beside.waker.wake(Wake::Finished);
                }
            });
        }
    }

    /// Keeps briefings ready. They are derived: failing only means that readers compute them.
    async fn prepare_briefings(&self) {
        let town = Arc::clone(&self.town);
        let prepared = tokio::task::spawn_blocking(move || prepare_briefings(&town)).await;
        if let Err(error) = prepared {
            tracing::error!(%error, "preparing briefings panicked");
        }
    }

    /// Ends what runs beside the loop: gates are stopped, everything else comes to its end.
    async fn finish(&self) {
        self.town.stop.store(true, Ordering::Relaxed);
        let ended = async {
            while !lock(&self.executor).running().is_empty() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        if tokio::time::timeout(PARTING, ended).await.is_err() {
            tracing::warn!(left = ?lock(&self.executor).running(), "ending in the middle of this; the next start goes on");
        }
    }

    /// Takes note of what was done: tells subscribers, and sets how long a failed action waits.
    fn took(&self, one: &Acted) {
        report(one);
        let key = key(&one.decision);
        let now = Instant::now();
        if one.failed || one.busy {
            lock(&self.backoff).failed(key, one.busy, now);
        } else {
            lock(&self.backoff).succeeded(&key);
        }
        if one.changed || one.failed {
            let did = vec![format!("{}: {}", one.decision.rule.name, one.outcome)];
            // Nobody may be listening.
            self.passes.send(did).ok();
        }
        if one.changed {
            self.waker.wake(Wake::Finished);
        }
    }

    fn is_due(&self, decision: &Decision) -> bool {
        lock(&self.backoff).is_due(&key(decision), Instant::now())
    }

    /// How long to sleep at most: until the heartbeat, or until a failed action may be tried again.
    fn until_next(&self) -> Duration {
        let next = lock(&self.backoff).next(Instant::now());
        next.map_or(HEARTBEAT, |next| next.min(HEARTBEAT))
    }
}

/// What an action is known by while it waits.
fn key(decision: &Decision) -> String {
    format!("{:?}", decision.action)
}

/// A poisoned lock means a panic between two plain writes; the value is still sound.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Keeps briefings ready. They are derived: failing only means that readers compute them.
fn prepare_briefings(town: &LiveTown) {
    if let Err(error) = gt::flow::convoy::ready::prepare(town) {
        tracing::debug!(error = format!("{error:#}"), "briefings are not ready");
    }
    keep_stores(town);
}

/// What the stores of the town have to say, and a journal of theirs that is to be folded while nothing else
/// is to be done.
fn keep_stores(town: &LiveTown) {
    for notice in town.reports.take_notices() {
        tracing::warn!(notice, "a store");
    }
    upkeep::run(&town.reports, &town.clock);
    let rigs = town.rigs().unwrap_or_default();
    let stores = std::iter::once(town.store()).chain(rigs.iter().map(|rig| town.rig_store(rig)));
    for store in stores.flatten() {
        if let Err(error) = store.fold_when_old(&town.clock) {
            tracing::warn!(store = %store.dir().display(), %error, "its journal is not folded");
        }
    }
}

fn report(acted: &Acted) {
    let (rule, saw, outcome) = (
        acted.decision.rule.name,
        &acted.decision.saw,
        &acted.outcome,
    );
    if acted.failed {
        tracing::warn!(rule, saw, outcome, "failed");
    } else if acted.changed {
        tracing::info!(rule, saw, outcome, "done");
    }
}
