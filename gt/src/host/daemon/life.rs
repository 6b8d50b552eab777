//! Starts, stops and queries the daemon.
//!
//! The daemon runs if and only if the kernel lock `daemon/daemon.lock` is held. The pid file only
//! names its process.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use kit::json::to_pretty_json;
use kit::sys::{ChildCommand, clock, file};
use rustix::process::Signal;
use serde::{Deserialize, Serialize};

use super::client::ask_daemon;
use super::program::{find_daemon_program, find_difference};
use super::protocol::{DaemonAnswer, DaemonRequest};
use super::real_root;
use crate::host::runtime;
use crate::host::wrapper;
use crate::town::lock::Lock;
use crate::town::process::Process;
use crate::town::{Town, TownLayout};

/// The daemon's own record in `daemon/state.json`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DaemonState {
    pub running: bool,
    pub pid: u32,
    /// The start time, RFC 3339.
    pub started_at: String,
    /// The end of the last pass, RFC 3339.
    pub last_heartbeat: String,
    /// The number of passes.
    pub heartbeat_count: u64,
    /// The root of the town at the start, as text. None in the record of an earlier version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
}

impl DaemonState {
    /// Returns the record of a daemon that starts now.
    pub fn started(town: &Town, pid: u32) -> Self {
        Self {
            running: true,
            pid,
            started_at: town.clock.now().to_string(),
            root: Some(describe_root(&town.layout)),
            ..Self::default()
        }
    }

    /// Reads the record. A missing or damaged one is that of a town without a daemon.
    fn load(layout: &TownLayout) -> Self {
        file::read_file_if_exists(&state_path(layout))
            .ok()
            .flatten()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .unwrap_or_default()
    }

    /// Returns the earlier place of a town that was moved since the daemon's start. A second path
    /// of the same folder, such as a bind mount, is no other place.
    fn find_earlier_place(&self, layout: &TownLayout) -> Option<PathBuf> {
        let root = self.root.as_ref()?;
        let is_here = *root == describe_root(layout) || is_same_folder(root, layout.root());
        (!is_here).then(|| PathBuf::from(root))
    }
}

fn describe_root(layout: &TownLayout) -> String {
    real_root(layout).display().to_string()
}

fn is_same_folder(path: &str, other: &Path) -> bool {
    let identity_of = |path: &Path| path.metadata().ok().map(|found| (found.dev(), found.ino()));
    let identity = identity_of(Path::new(path));
    identity.is_some() && identity == identity_of(other)
}

/// The status of the daemon.
#[derive(Debug, Clone, Serialize)]
pub struct DaemonStatus {
    pub running: bool,
    /// The process id. 0 if the daemon does not run.
    pub pid: u32,
    pub started_at: String,
    /// The end of the last pass.
    pub last_heartbeat: String,
    /// The number of passes.
    pub heartbeat_count: u64,
    /// The reason for reduced operation, if there is one.
    pub degraded: Option<String>,
    /// The difference between the running daemon and the installed programs, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outdated: Option<String>,
    /// True if the last daemon ended without being stopped: killed, crashed, or the machine restarted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub ended_unexpectedly: bool,
    /// The earlier place of the town, if the daemon was started there and runs on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved_from: Option<PathBuf>,
}

#[derive(Debug, thiserror::Error)]
pub enum DaemonError {
    #[error("the daemon of this town runs already (pid {pid})")]
    Running { pid: u32 },
    #[error(
        "this town was restored from a backup of {}, which runs: both would work on the same beads; \
         stop that one first (`gt down` there)", root.display()
    )]
    OriginalRuns { root: PathBuf },
    #[error("no daemon runs in this town (`gt daemon start` starts one)")]
    NotRunning,
    /// The program `gtd` is missing.
    #[error("the program gtd is not beside {} and not on PATH", gt.display())]
    NoProgram { gt: PathBuf },
    /// The daemon did not answer in time after its start.
    #[error("the daemon did not come up; the end of {}:\n{tail}", log.display())]
    DidNotStart { log: PathBuf, tail: String },
    #[error("the daemon (pid {pid}) did not end within 10s; what it is doing is in {}", log.display())]
    DidNotStop { pid: u32, log: PathBuf },
}

pub fn lock_path(layout: &TownLayout) -> PathBuf {
    layout.daemon().join("daemon.lock")
}

pub fn pid_path(layout: &TownLayout) -> PathBuf {
    layout.daemon().join("daemon.pid")
}

pub fn log_path(layout: &TownLayout) -> PathBuf {
    layout.daemon().join("daemon.log")
}

pub fn state_path(layout: &TownLayout) -> PathBuf {
    layout.daemon().join("state.json")
}

/// Returns true if a daemon holds the town's lock. It works for an earlier place if the town was
/// moved since.
fn is_locked(layout: &TownLayout) -> bool {
    !Lock::is_free(&lock_path(layout))
}

/// Returns true if a daemon works for the town at this place.
pub fn is_daemon_running(layout: &TownLayout) -> bool {
    is_locked(layout)
        && DaemonState::load(layout)
            .find_earlier_place(layout)
            .is_none()
}

/// Returns the start time of the running daemon.
pub fn read_start_time(layout: &TownLayout) -> Option<jiff::Timestamp> {
    let started = DaemonState::load(layout).started_at.parse().ok()?;
    is_daemon_running(layout).then_some(started)
}

/// Returns the daemon's status, from its socket or otherwise from lock and state file.
pub fn read_daemon_status(town: &Town) -> DaemonStatus {
    let stored = DaemonState::load(&town.layout);
    let answer = ask_status(town);
    // A daemon that answers runs, even if its lock file was removed.
    let running = answer.is_some() || is_locked(&town.layout);
    let moved_from = stored.find_earlier_place(&town.layout);
    match answer {
        Some(DaemonAnswer::Status {
            pid,
            started_at,
            passes,
            last_pass,
            degraded,
            version,
        }) => DaemonStatus {
            running,
            outdated: find_difference(town, pid, version.as_deref()),
            pid,
            started_at,
            last_heartbeat: last_pass,
            heartbeat_count: passes,
            degraded,
            ended_unexpectedly: false,
            moved_from: None,
        },
        _ => DaemonStatus {
            running,
            pid: if running { read_pid(&town.layout) } else { 0 },
            started_at: stored.started_at,
            last_heartbeat: stored.last_heartbeat,
            heartbeat_count: stored.heartbeat_count,
            degraded: None,
            outdated: None,
            ended_unexpectedly: stored.running && !running && moved_from.is_none(),
            moved_from: moved_from.filter(|_| running),
        },
    }
}

/// Asks the daemon of this town for its status. The daemon of a town that was at this place before
/// may still listen there.
pub(super) fn ask_status(town: &Town) -> Option<DaemonAnswer> {
    let answer = ask_daemon(town, &DaemonRequest::Status).ok()?;
    let DaemonAnswer::Status { pid, .. } = &answer else {
        return None;
    };
    let is_own = is_locked(&town.layout) || *pid == read_pid(&town.layout);
    is_own.then_some(answer)
}

/// Refuses to start a restored town beside its original: both would work on the same beads.
fn check_original(layout: &TownLayout) -> anyhow::Result<()> {
    let path = layout.restored_from();
    let Some(root) = file::read_file_if_exists(&path)? else {
        return Ok(());
    };
    let root = PathBuf::from(OsString::from_vec(root));
    let original = TownLayout::new(&root);
    anyhow::ensure!(
        root == layout.root() || !is_locked(&original),
        DaemonError::OriginalRuns { root }
    );
    Ok(())
}

/// Starts the daemon detached from this terminal. Returns its process id once it answers.
pub fn start_daemon(town: &Town) -> anyhow::Result<u32> {
    let now = read_daemon_status(town);
    anyhow::ensure!(!now.running, DaemonError::Running { pid: now.pid });
    check_original(&town.layout)?;
    let program = find_daemon_program(town).ok_or_else(|| DaemonError::NoProgram {
        gt: town.exe.clone(),
    })?;
    file::create_folder(&town.layout.daemon(), 0o700)?;
    let log = file::open_append(&log_path(&town.layout), 0o600)?;
    let before = usize::try_from(log.metadata()?.len())?;
    let run = ChildCommand::new(program)
        .args(["run", "--town"])
        .arg(town.layout.root())
        .cwd(town.layout.root())
        .env_clear();
    // The variables of the caller's own session must not leak into the sessions that the daemon
    // starts.
    let inherited = runtime::inheritable_variables(town);
    town.env
        .vars()
        .filter(|(name, _)| !is_foreign(name) || wrapper::is_session_variable(name, &inherited))
        .fold(run, |run, (name, value)| run.env(name, value))
        .spawn_detached(&log)?;
    let answered_pid = clock::wait_for(Duration::from_secs(10), || match ask_status(town) {
        Some(DaemonAnswer::Status { pid, .. }) => Some(pid),
        _ => None,
    });
    answered_pid.ok_or_else(|| {
        // The error names the log, which may be unreadable, too.
        let text = std::fs::read(log_path(&town.layout)).ok();
        let new_lines = text.as_deref().and_then(|text| text.get(before..));
        let tail = new_lines.map_or_else(String::new, |lines| {
            String::from_utf8_lossy(lines).trim().to_owned()
        });
        DaemonError::DidNotStart {
            log: log_path(&town.layout),
            tail,
        }
        .into()
    })
}

/// Returns true if a variable belongs to the caller's own session, not to the town. Variables that
/// every session inherits do not count.
pub(crate) fn is_foreign(name: &str) -> bool {
    const DROPPED_PREFIXES: [&str; 4] = ["GT_", "BEADS_", "GIT_", "CLAUDE_CODE_SESSION"];
    const DROPPED_NAMES: [&str; 8] = [
        "BD_ACTOR",
        "TMUX",
        "TMUX_PANE",
        "CLAUDECODE",
        "CLAUDE_CODE_CHILD_SESSION",
        "CLAUDE_CODE_ENTRYPOINT",
        "CLAUDE_SESSION_ID",
        "AI_AGENT",
    ];
    let is_listed = DROPPED_NAMES.contains(&name)
        || DROPPED_PREFIXES
            .iter()
            .any(|prefix| name.starts_with(prefix));
    is_listed && !wrapper::is_session_variable(name, &[])
}

/// Asks the daemon to end and waits for it. Sessions continue, because they do not need it.
pub fn stop_daemon(town: &Town) -> anyhow::Result<u32> {
    let now = read_daemon_status(town);
    if !now.running {
        record_end(town);
        return Err(DaemonError::NotRunning.into());
    }
    let process = i32::try_from(now.pid).ok().and_then(Process::find);
    if now.moved_from.is_some() {
        // Another town may be at the earlier place, with a daemon at the same socket.
        let process = process.as_ref();
        process
            .map(|process| process.signal(Signal::TERM))
            .transpose()?;
    } else {
        ask_daemon(town, &DaemonRequest::Stop).ok();
    }
    let ended = clock::wait_for(Duration::from_secs(10), || {
        // The daemon releases its lock a moment before its process ends.
        let has_ended = process.is_none_or(|process| !process.is_alive());
        (has_ended && Lock::is_free(&lock_path(&town.layout))).then_some(())
    });
    anyhow::ensure!(
        ended.is_some(),
        DaemonError::DidNotStop {
            pid: now.pid,
            log: log_path(&town.layout)
        }
    );
    record_end(town);
    Ok(now.pid)
}

/// Records that the daemon of this place has ended, if it did not do so itself: it was killed, or
/// wrote to an earlier place of the town.
pub fn record_end(town: &Town) {
    let mut stored = DaemonState::load(&town.layout);
    if stored.running {
        stored.running = false;
        // The record only informs.
        let content = to_pretty_json(&stored);
        file::replace_file_relaxed(&state_path(&town.layout), content.as_bytes(), 0o644).ok();
    }
}

fn read_pid(layout: &TownLayout) -> u32 {
    let text = std::fs::read_to_string(pid_path(layout)).ok();
    text.and_then(|text| text.lines().next()?.trim().parse().ok())
        .unwrap_or(0)
}
