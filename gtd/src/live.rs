//! Connects the patrol loop to a real town: wake-up sources, event subscribers, housekeeping.

use std::fs::File;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::Context;
use bd::store::upkeep;
use gt::host::LiveTown;
use gt::patrol::{self, Action, ActionReport, Decision, PatrolCache, TownFacts};
use gt::record::heartbeat::Heartbeat;
use gt::town::Town;
use gt::town::event::EventListener;
use jiff::Timestamp;
use tokio::sync::broadcast;

use crate::desktop::DesktopNotices;
use crate::metrics::{self, MetricsReader};
use crate::panes::SessionWaits;
use crate::run::{HEARTBEAT, LoopWorld, PatrolLoop, lock_mutex};
use crate::socket::{self, SocketState};
use crate::supervise::{DaemonError, DaemonInstance};
use crate::wake::{WakeReason, WakeSender, create_wake_channel};
use crate::watch::FolderWatch;

/// The maximum number of passes in a row before `--once` reports an error.
const PASSES_AT_ONCE: usize = 1000;

/// Lists the decisions of one pass without acting: one line each with the rule, the action and the
/// facts.
pub(crate) fn list_decisions(town: &LiveTown) -> anyhow::Result<String> {
    let facts = patrol::facts(town)?;
    let decisions = patrol::decide(&facts, &|_| true);
    let text: String = decisions
        .iter()
        .map(|decision| {
            let rule = decision.rule.name;
            let saw = kit::ui::escape::escape_line(&decision.saw);
            format!("{rule}  {}: {saw}\n", decision.action.subject())
        })
        .collect();
    Ok(match text.as_str() {
        "" => "nothing to do\n".to_owned(),
        _ => text,
    })
}

/// Runs passes until one changes nothing.
pub(crate) fn run_until_idle(town: &LiveTown) -> anyhow::Result<()> {
    for _ in 0..PASSES_AT_ONCE {
        let pass = patrol::run_pass(town)?;
        prepare_briefings(town);
        for acted in &pass {
            log_action(acted);
        }
        if !pass.iter().any(|acted| acted.changed) {
            // A failed sync of beads loses nothing, and the log has it.
            let fault = pass.iter().find(|acted| {
                acted.failed && !matches!(acted.decision.action, Action::SyncBeads { .. })
            });
            return match fault {
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

/// Watches the town until it is stopped.
pub(crate) fn watch_forever(town: LiveTown) -> Result<(), DaemonError> {
    let instance = DaemonInstance::take(&town)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(anyhow::Error::from)?;
    let watched = runtime.block_on(watch_town(town, instance));
    // Actions that are still running end with the process. The next start continues them.
    runtime.shutdown_background();
    Ok(watched?)
}

async fn watch_town(mut town: LiveTown, instance: DaemonInstance) -> anyhow::Result<()> {
    let (waker, mut wakes) = create_wake_channel();
    let (events, _) = broadcast::channel(64);
    let sender = events.clone();
    // Fails if there is no subscriber.
    town.listener = EventListener::new(move |line| drop(sender.send(line.clone())));
    let town = Arc::new(town);
    let shared = Arc::new(Mutex::new(SocketState {
        state: instance.state().clone(),
        degraded: None,
    }));
    let numbers = Arc::new(MetricsReader::new(&town));
    socket::open_socket(
        &town,
        waker.clone(),
        Arc::clone(&shared),
        events,
        Arc::clone(&numbers),
    )?;
    metrics::serve_metrics(Arc::clone(&numbers)).await;
    metrics::export_metrics(numbers);
    stop_on_signals(&waker)?;
    let watched = WatchedTown {
        root: WatchedFolder::open(town.layout.root())?,
        watch: Mutex::new(FolderWatch::start(&town, &waker)),
        town: Arc::clone(&town),
        waker: waker.clone(),
        instance: Mutex::new(instance),
        panes: Mutex::default(),
        cache: Mutex::default(),
        heartbeat: Mutex::default(),
        notices: Mutex::new(DesktopNotices::new(&town)),
        shared,
    };
    let running = PatrolLoop::new(watched, waker, town.layout.patrol_memory());
    // Fails if there is no supervisor that waits for the message.
    sd_notify::notify(&[sd_notify::NotifyState::Ready]).ok();
    tracing::info!(town = %town.layout.root().display(), pid = std::process::id(), "watching");
    running.watch(&mut wakes).await;
    if running.world().is_gone() {
        let root = town.layout.root();
        tracing::error!(town = %root.display(), "the town's folder was removed or moved away; ending");
        // The current socket belongs to another town.
        if !root.exists() {
            kit::sys::file::remove_file(&gt::host::daemon::socket_path(&town))?;
        }
        return Ok(());
    }
    tracing::info!("ending; sessions go on");
    lock_mutex(&running.world().instance).end(&town)
}

/// A folder at its path. The open handle keeps its inode number from being reused.
struct WatchedFolder {
    path: PathBuf,
    handle: File,
}

impl WatchedFolder {
    fn open(path: &Path) -> anyhow::Result<Self> {
        Ok(Self {
            path: path.to_owned(),
            handle: File::open(path).with_context(|| format!("cannot open {}", path.display()))?,
        })
    }

    /// Returns true if the folder no longer exists. False if it cannot be checked, because the disk
    /// or the network fails.
    fn is_gone(&self) -> bool {
        match (self.path.metadata(), self.handle.metadata()) {
            (Ok(there), Ok(handle)) => (there.dev(), there.ino()) != (handle.dev(), handle.ino()),
            (Err(error), _) => error.kind() == ErrorKind::NotFound,
            (_, Err(_)) => false,
        }
    }
}

/// The watched town.
struct WatchedTown {
    town: Arc<LiveTown>,
    /// The town's folder at the start of the watch. A folder that is created again at the same path
    /// is another town.
    root: WatchedFolder,
    waker: WakeSender,
    instance: Mutex<DaemonInstance>,
    watch: Mutex<FolderWatch>,
    panes: Mutex<SessionWaits>,
    cache: Mutex<PatrolCache>,
    /// The heartbeat of the next pass, and the rules that acted since the last one.
    heartbeat: Mutex<(Option<Heartbeat>, Vec<&'static str>)>,
    notices: Mutex<DesktopNotices>,
    shared: Arc<Mutex<SocketState>>,
}

impl LoopWorld for WatchedTown {
    fn now(&self) -> Timestamp {
        self.town.clock.now()
    }

    fn is_gone(&self) -> bool {
        self.root.is_gone()
    }

    fn facts(&self) -> anyhow::Result<TownFacts> {
        let facts = patrol::facts_with(&self.town, &mut lock_mutex(&self.cache))?;
        for rig in &facts.unreadable {
            tracing::warn!(rig, "a rig's beads cannot be read");
        }
        // Done before any action, so that the end of each process from here on is noticed.
        lock_mutex(&self.panes).follow(&facts.sessions, &self.waker);
        lock_mutex(&self.shared)
            .degraded
            .clone_from(&facts.degraded);
        lock_mutex(&self.heartbeat).0.clone_from(&facts.heartbeat);
        Ok(facts)
    }

    fn act(&self, decision: Decision) -> ActionReport {
        let acted = patrol::act(&self.town, decision);
        log_action(&acted);
        if acted.changed {
            lock_mutex(&self.heartbeat).1.push(acted.decision.rule.name);
        }
        acted
    }

    fn tidy(&self) {
        // A town that was moved is not created again at its earlier place.
        if self.is_gone() {
            return;
        }
        prepare_briefings(&self.town);
        lock_mutex(&self.watch).refresh(&self.town);
        lock_mutex(&self.notices).show_new(&self.town);
        if let Err(error) =
            gt::host::daemon::rotate_log(&gt::host::daemon::log_path(&self.town.layout), false)
        {
            tracing::warn!(%error, "the log is not rotated");
        }
        let (heartbeat, rules) = std::mem::take(&mut *lock_mutex(&self.heartbeat));
        if let Err(error) = patrol::write_heartbeat(&self.town, heartbeat, &rules) {
            tracing::warn!(error = format!("{error:#}"), "the heartbeat is not written");
        }
        let mut instance = lock_mutex(&self.instance);
        instance.count_pass(&self.town);
        lock_mutex(&self.shared).state = instance.state().clone();
        sd_notify::notify(&[sd_notify::NotifyState::Watchdog]).ok();
    }

    fn stop(&self) {
        sd_notify::notify(&[sd_notify::NotifyState::Stopping]).ok();
        self.town.stop.store(true, Ordering::Relaxed);
    }

    /// Returns the interval between passes: at most half of the supervisor's timeout, so that the
    /// supervisor gets two signs of life per timeout.
    fn heartbeat(&self) -> Duration {
        let watchdog = sd_notify::watchdog_enabled();
        watchdog.map_or(HEARTBEAT, |limit| HEARTBEAT.min(limit / 2))
    }
}

fn stop_on_signals(waker: &WakeSender) -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let kinds = [
        (SignalKind::terminate(), WakeReason::Stop),
        (SignalKind::interrupt(), WakeReason::Stop),
        (SignalKind::hangup(), WakeReason::Request),
    ];
    for (kind, wake) in kinds {
        let mut signals = signal(kind)?;
        let waker = waker.clone();
        tokio::spawn(async move {
            while signals.recv().await.is_some() {
                waker.wake(wake);
            }
        });
    }
    Ok(())
}

/// Keeps briefings ready. Errors are only logged, because readers can compute the briefings
/// themselves.
fn prepare_briefings(town: &Town) {
    if let Err(error) = gt::flow::work::convoy::ready::prepare_briefings(town) {
        tracing::debug!(error = format!("{error:#}"), "briefings are not ready");
    }
    keep_stores(town);
}

/// Reports warnings of the town's stores, and folds the journals of idle stores.
fn keep_stores(town: &Town) {
    for notice in town.reports.take_notices() {
        tracing::warn!(notice, "a store");
    }
    upkeep::run_upkeep(&town.reports, &town.clock);
    // The patrol reports an unreadable registry.
    let rigs = town.list_rigs();
    for store in std::iter::once(town.open_town_store())
        .chain(rigs.iter().flatten().map(gt::town::Rig::store))
        .flatten()
    {
        if let Err(error) = store.fold_when_old(&town.clock) {
            tracing::warn!(store = %store.dir().display(), %error, "its journal is not folded");
        }
    }
}

fn log_action(acted: &ActionReport) {
    let rule = acted.decision.rule.name;
    let saw = &acted.decision.saw;
    let outcome = &acted.outcome;
    if acted.failed {
        tracing::warn!(rule, saw, outcome, "failed");
    } else if acted.changed {
        tracing::info!(rule, saw, outcome, "done");
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn an_unreadable_folder_does_not_count_as_removed() {
        let place = tempfile::tempdir().unwrap();
        let [disk, path] = ["disk", "disk/town"].map(|name| place.path().join(name));
        fs::create_dir_all(&path).unwrap();
        let folder = WatchedFolder::open(&path).unwrap();
        let aside = place.path().join("aside");
        fs::rename(&disk, &aside).unwrap();
        assert!(folder.is_gone());
        // A link that leads to itself cannot be followed.
        symlink(&disk, &disk).unwrap();
        assert!(!folder.is_gone());
        fs::remove_file(&disk).unwrap();
        fs::create_dir_all(&path).unwrap();
        assert!(folder.is_gone(), "another one");
        fs::remove_dir_all(&disk).unwrap();
        fs::rename(&aside, &disk).unwrap();
        assert!(!folder.is_gone());
    }
}
