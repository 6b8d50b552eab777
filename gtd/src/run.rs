//! The loop: wake → facts → rules → actions.
//!
//! A merge queue runs gates, which take their time: each rig's queue runs beside the loop, one at a time.
//! An action that fails waits longer each time before it is tried again.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use gt::patrol::{self, Acted, Decision, Do, Facts};
use gt::town::Town;
use tokio::sync::broadcast;
use tokio::time::Instant;

use crate::panes::Panes;
use crate::socket::{self, Shared};
use crate::supervise::Instance;
use crate::wake::{Wake, Waker, channel};
use crate::watch::Watch;

/// The safety net: everything is looked at this often, whatever happens.
const HEARTBEAT: Duration = Duration::from_secs(180);
/// How long a failed action waits at first, and at most.
const FIRST_WAIT: Duration = Duration::from_secs(5);
const LONGEST_WAIT: Duration = Duration::from_secs(300);
/// So many passes in a row may find more to do before `--once` calls it a fault.
const PASSES_AT_ONCE: usize = 1000;

/// Makes passes until one changes nothing.
pub(crate) fn once(town: &Town) -> anyhow::Result<()> {
    for _ in 0..PASSES_AT_ONCE {
        let pass = patrol::pass(town)?;
        prepare_briefings(town);
        for acted in &pass.acted {
            report(acted);
        }
        if !pass.acted.iter().any(|acted| acted.changed) {
            return match pass.acted.iter().find(|acted| acted.failed) {
                Some(failed) => Err(anyhow::anyhow!(
                    "{}: {}",
                    failed.decision.rule,
                    failed.outcome
                )),
                None => Ok(()),
            };
        }
    }
    anyhow::bail!("{PASSES_AT_ONCE} passes and still something to do: see `gt why`")
}

/// Watches the town until told to stop.
pub(crate) fn forever(town: Town) -> anyhow::Result<()> {
    let instance = Instance::take(&town)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(watch_over(Arc::new(town), instance))
}

/// The state of the loop.
struct Loop {
    town: Arc<Town>,
    waker: Waker,
    /// Rigs whose queue runs beside the loop.
    queues: Arc<Mutex<BTreeSet<String>>>,
    /// When a failed action may be tried again, by what it does.
    waits: Arc<Mutex<BTreeMap<String, Wait>>>,
    passes: broadcast::Sender<Vec<String>>,
}

#[derive(Debug, Clone, Copy)]
struct Wait {
    length: Duration,
    until: Instant,
}

async fn watch_over(town: Arc<Town>, mut instance: Instance) -> anyhow::Result<()> {
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
        queues: Arc::default(),
        waits: Arc::default(),
        passes,
    };
    // Without a supervisor that listens nobody needs to be told.
    sd_notify::notify(&[sd_notify::NotifyState::Ready]).ok();
    tracing::info!(town = %town.layout.root().display(), pid = std::process::id(), "watching");
    loop {
        let facts = state.pass().await;
        if let Some(watch) = &mut watch {
            watch.refresh(&town).ok();
        }
        instance.passed(&town)?;
        if let Some(facts) = facts {
            panes.follow(&facts.sessions, &waker);
            let mut shared = shared
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            *shared = Shared {
                state: instance.state().clone(),
                degraded: facts.degraded,
            };
        }
        sd_notify::notify(&[sd_notify::NotifyState::Watchdog]).ok();
        if wakes.next(state.until_next()).await == Wake::Stop {
            break;
        }
    }
    tracing::info!("ending; sessions go on");
    instance.end(&town)
}

fn begin_watch(town: &Town, waker: &Waker) -> Option<Watch> {
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
    /// One pass: read, decide, act. What panics is logged and costs that pass only.
    async fn pass(&self) -> Option<Facts> {
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
        let due: Vec<Decision> = patrol::decide(&facts)
            .into_iter()
            .filter(|decision| self.is_due(decision))
            .collect();
        let (queues, others): (Vec<_>, Vec<_>) = due
            .into_iter()
            .partition(|decision| matches!(decision.todo, Do::RunQueue { .. }));
        for decision in queues {
            self.run_beside(decision);
        }
        let town = Arc::clone(&self.town);
        let acted = tokio::task::spawn_blocking(move || {
            let acted: Vec<Acted> = others
                .into_iter()
                .map(|decision| patrol::act(&town, decision))
                .collect();
            prepare_briefings(&town);
            acted
        });
        match acted.await {
            Ok(acted) => self.took(&acted),
            Err(error) => tracing::error!(%error, "an action panicked"),
        }
        Some(facts)
    }

    /// Runs a queue beside the loop, unless it runs already.
    fn run_beside(&self, decision: Decision) {
        let Do::RunQueue { rig } = &decision.todo else {
            return;
        };
        let rig = rig.clone();
        if !lock(&self.queues).insert(rig.clone()) {
            return;
        }
        let (town, queues) = (Arc::clone(&self.town), Arc::clone(&self.queues));
        let beside = Self {
            town: Arc::clone(&self.town),
            waker: self.waker.clone(),
            queues: Arc::clone(&self.queues),
            waits: Arc::clone(&self.waits),
            passes: self.passes.clone(),
        };
        tokio::spawn(async move {
            let acted = tokio::task::spawn_blocking(move || patrol::act(&town, decision)).await;
            lock(&queues).remove(&rig);
            match acted {
                Ok(acted) => beside.took(&[acted]),
                Err(error) => tracing::error!(%error, rig, "the merge queue panicked"),
            }
        });
    }

    /// Takes note of what was done: tells subscribers, sets waits, and looks again after a change.
    fn took(&self, acted: &[Acted]) {
        for one in acted {
            report(one);
            let key = key(&one.decision);
            let mut waits = lock(&self.waits);
            if one.failed {
                let before = waits.get(&key).map(|wait| wait.length * 2);
                let length = before.unwrap_or(FIRST_WAIT).min(LONGEST_WAIT);
                waits.insert(
                    key,
                    Wait {
                        length,
                        until: Instant::now() + length,
                    },
                );
            } else {
                waits.remove(&key);
            }
        }
        let did: Vec<String> = acted
            .iter()
            .filter(|one| one.changed || one.failed)
            .map(|one| format!("{}: {}", one.decision.rule, one.outcome))
            .collect();
        if !did.is_empty() {
            // Nobody may be listening.
            self.passes.send(did).ok();
        }
        if acted.iter().any(|one| one.changed) {
            self.waker.wake(Wake::Finished);
        }
    }

    fn is_due(&self, decision: &Decision) -> bool {
        lock(&self.waits)
            .get(&key(decision))
            .is_none_or(|wait| wait.until <= Instant::now())
    }

    /// How long to sleep at most: until the heartbeat, or until a failed action may be tried again.
    fn until_next(&self) -> Duration {
        let now = Instant::now();
        let waits = lock(&self.waits);
        let next = waits
            .values()
            .map(|wait| wait.until)
            .filter(|until| *until > now)
            .min();
        next.map_or(HEARTBEAT, |until| (until - now).min(HEARTBEAT))
    }
}

/// What an action is known by while it waits.
fn key(decision: &Decision) -> String {
    format!("{:?}", decision.todo)
}

/// A poisoned lock means a panic between two plain writes; the value is still sound.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Keeps briefings ready. They are derived: failing only means that readers compute them.
fn prepare_briefings(town: &Town) {
    if let Err(error) = gt::convoy::ready::prepare(town) {
        tracing::debug!(error = format!("{error:#}"), "briefings are not ready");
    }
}

fn report(acted: &Acted) {
    let (rule, saw, outcome) = (acted.decision.rule, &acted.decision.saw, &acted.outcome);
    if acted.failed {
        tracing::warn!(rule, saw, outcome, "failed");
    } else if acted.changed {
        tracing::info!(rule, saw, outcome, "done");
    }
}
