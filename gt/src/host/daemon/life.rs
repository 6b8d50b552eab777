//! Starting, stopping and asking after the daemon.
//!
//! The kernel lock `daemon/daemon.lock` is what says whether it runs; the pid file only says which
//! process that is.

use std::path::PathBuf;
use std::time::Duration;

use kit::sys::{ChildCommand, clock, file};
use serde::{Deserialize, Serialize};

use super::client::ask_daemon;
use super::protocol::{DaemonAnswer, DaemonRequest};
use crate::host::runtime;
use crate::host::wrapper;
use crate::town::Town;
use crate::town::lock::Lock;
use crate::town::process::Process;

/// The daemon's own record in `daemon/state.json`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DaemonState {
    /// Whether it runs.
    pub running: bool,
    /// Its process number.
    pub pid: u32,
    /// When it was started, RFC 3339.
    pub started_at: String,
    /// When its last pass ended, RFC 3339.
    pub last_heartbeat: String,
    /// How many passes it made.
    pub heartbeat_count: u64,
}

/// How the daemon is.
#[derive(Debug, Clone, Serialize)]
pub struct DaemonStatus {
    /// Whether it runs.
    pub running: bool,
    /// Its process number; 0 where it does not run.
    pub pid: u32,
    /// When it was started.
    pub started_at: String,
    /// When its last pass ended.
    pub last_heartbeat: String,
    /// How many passes it made.
    pub heartbeat_count: u64,
    /// What keeps it from doing everything.
    pub degraded: Option<String>,
}

/// Why the daemon did not do as asked.
#[derive(Debug, thiserror::Error)]
pub enum DaemonError {
    /// It runs already.
    #[error("the daemon of this town runs already (pid {pid})")]
    Running {
        /// Its process number.
        pid: u32,
    },
    /// It does not run.
    #[error("no daemon runs in this town (`gt daemon start` starts one)")]
    NotRunning,
    /// The program is not there.
    #[error("the program gtd is not beside {} and not on PATH", gt.display())]
    NoProgram {
        /// Where gt is.
        gt: PathBuf,
    },
    /// It did not come up.
    #[error("the daemon did not come up; the end of {}:\n{tail}", log.display())]
    DidNotStart {
        /// Its log.
        log: PathBuf,
        /// The end of it.
        tail: String,
    },
    /// It did not end.
    #[error("the daemon (pid {pid}) did not end within 10s; what it is doing is in {}", log.display())]
    DidNotStop {
        /// Its process number.
        pid: u32,
        /// Its log.
        log: PathBuf,
    },
}

/// `daemon/daemon.lock`.
pub fn lock_path(town: &Town) -> PathBuf {
    town.layout.daemon().join("daemon.lock")
}

/// `daemon/daemon.pid`.
pub fn pid_path(town: &Town) -> PathBuf {
    town.layout.daemon().join("daemon.pid")
}

/// `daemon/daemon.log`.
pub fn log_path(town: &Town) -> PathBuf {
    town.layout.daemon().join("daemon.log")
}

/// `daemon/state.json`.
pub fn state_path(town: &Town) -> PathBuf {
    town.layout.daemon().join("state.json")
}

/// Asks after the daemon: on its socket, else from lock and state file.
pub fn read_daemon_status(town: &Town) -> DaemonStatus {
    let stored: DaemonState = file::read_file_if_exists(&state_path(town))
        .ok()
        .flatten()
        .and_then(|bytes| serde_json::from_slice(&bytes).ok())
        .unwrap_or_default();
    let answer = ask_daemon(town, &DaemonRequest::Status).ok();
    // One that answers runs, whatever became of its lock file.
    let running = answer.is_some() || !Lock::is_free(&lock_path(town));
    match answer {
        Some(DaemonAnswer::Status {
            pid,
            started_at,
            passes,
            last_pass,
            degraded,
        }) => DaemonStatus {
            running,
            pid,
            started_at,
            last_heartbeat: last_pass,
            heartbeat_count: passes,
            degraded,
        },
        _ => DaemonStatus {
            running,
            pid: if running { read_pid(town) } else { 0 },
            started_at: stored.started_at,
            last_heartbeat: stored.last_heartbeat,
            heartbeat_count: stored.heartbeat_count,
            degraded: None,
        },
    }
}

/// Starts the daemon detached from this terminal; returns its process number once it answers.
pub fn start_daemon(town: &Town) -> anyhow::Result<u32> {
    let now = read_daemon_status(town);
    anyhow::ensure!(!now.running, DaemonError::Running { pid: now.pid });
    let program = find_daemon_program(town)?;
    file::create_folder(&town.layout.daemon(), 0o700)?;
    let log = file::open_append(&log_path(town), 0o600)?;
    let before = log.metadata()?.len();
    let run = ChildCommand::new(program)
        .args(["run", "--town"])
        .arg(town.layout.root());
    let run = run.cwd(town.layout.root()).env_clear();
    // Who starts the daemon, and from which agent's session, must not leak into the sessions it starts.
    let pass = runtime::inheritable_variables(town);
    let kept = |name: &str| !is_foreign(name) || wrapper::is_session_variable(name, &pass);
    let own = town.env.vars().filter(|(name, _)| kept(name));
    own.fold(run, |run, (name, value)| run.env(name, value))
        .spawn_detached(&log)?;
    let up = clock::wait_for(Duration::from_secs(10), || {
        match ask_daemon(town, &DaemonRequest::Status) {
            Ok(DaemonAnswer::Status { pid, .. }) => Some(pid),
            _ => None,
        }
    });
    up.ok_or_else(|| {
        let text = std::fs::read(log_path(town)).unwrap_or_default();
        let fresh = text
            .get(usize::try_from(before).unwrap_or_default()..)
            .unwrap_or_default();
        let tail = String::from_utf8_lossy(fresh).trim().to_owned();
        DaemonError::DidNotStart {
            log: log_path(town),
            tail,
        }
        .into()
    })
}

/// Whether a variable belongs to the caller's own session and not to the town. What passes into every session does
/// not.
pub(crate) fn is_foreign(name: &str) -> bool {
    const PREFIXES: [&str; 4] = ["GT_", "BEADS_", "GIT_", "CLAUDE_CODE_SESSION"];
    const NAMES: [&str; 8] = [
        "BD_ACTOR",
        "TMUX",
        "TMUX_PANE",
        "CLAUDECODE",
        "CLAUDE_CODE_CHILD_SESSION",
        "CLAUDE_CODE_ENTRYPOINT",
        "CLAUDE_SESSION_ID",
        "AI_AGENT",
    ];
    let is_own = NAMES.contains(&name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix));
    is_own && !wrapper::is_session_variable(name, &[])
}

/// Asks the daemon to end and waits until it has. Sessions go on: they do not need it.
pub fn stop_daemon(town: &Town) -> anyhow::Result<u32> {
    let now = read_daemon_status(town);
    anyhow::ensure!(now.running, DaemonError::NotRunning);
    let process = i32::try_from(now.pid).ok().and_then(Process::find);
    ask_daemon(town, &DaemonRequest::Stop).ok();
    let gone = clock::wait_for(Duration::from_secs(10), || {
        // It lets go of its lock a moment before its end.
        let has_ended = process.is_none_or(|process| !process.is_alive());
        (has_ended && Lock::is_free(&lock_path(town))).then_some(())
    });
    anyhow::ensure!(
        gone.is_some(),
        DaemonError::DidNotStop {
            pid: now.pid,
            log: log_path(town)
        }
    );
    Ok(now.pid)
}

/// The program `gtd`: beside `gt`, else on `PATH`.
fn find_daemon_program(town: &Town) -> Result<PathBuf, DaemonError> {
    let beside = town.exe.parent().map(|folder| folder.join("gtd"));
    beside
        .filter(|path| path.is_file())
        .or_else(|| which::which_in("gtd", town.env.get("PATH"), town.env.cwd()).ok())
        .ok_or_else(|| DaemonError::NoProgram {
            gt: town.exe.clone(),
        })
}

fn read_pid(town: &Town) -> u32 {
    let text = std::fs::read_to_string(pid_path(town)).unwrap_or_default();
    text.lines()
        .next()
        .and_then(|line| line.trim().parse().ok())
        .unwrap_or_default()
}
