//! Runs the agent of a session in a jail, from a process outside that stays until the agent ends.
//!
//! Outside, the wrapper is the first process of the session. It has the session's environment, so
//! that its descendants are found as members of the session. It takes in processes whose parent
//! ended, and kills the remaining ones after the agent's end. Inside, the agent runs in the
//! foreground of the terminal, so that no key reaches the processes that hold the jail.
//!
//! The first wrapper serves the gateway, and starts a second one, which starts the jail with the
//! agent, waits for its end and kills the processes that are left. What the gateway starts for the
//! agent is no descendant of the second one, because some of it outlives the session (`gt handoff`).

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::ExitStatus;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use kit::gateway::ADDRESS_VARIABLE;
use kit::sys::jail::{JailError, JailNetwork, JailPlan};
use kit::sys::{ChildCommand, clock};

use crate::host::network::{SOCKET_IN_JAIL, relay_args};
pub use crate::host::session_jail::SessionJail;
use crate::host::wrapper::{StartError, StartFile};
use crate::town::config::NetworkAccess;
use crate::town::process::{self, Process};

/// The hidden command of our own program that runs an agent in the foreground, inside its jail.
pub const FOREGROUND: [&str; 3] = ["session-wrapper", "--foreground", "--"];

/// Runs the agent of a start file in its jail, until it ends. `exe` is our own program, `terminal`
/// the backend's value of `TERM`.
pub fn run_session(
    start: &StartFile,
    jail: &SessionJail,
    exe: &Path,
    terminal: Option<&str>,
) -> Result<ExitStatus, StartError> {
    if !start.cwd.is_dir() {
        let cwd = start.cwd.clone();
        return Err(StartError::NoFolder { cwd });
    }
    adopt_orphans().map_err(StartError::Jail)?;
    outlive_agent()?;
    let command = build_command(start, jail, exe, terminal);
    let plan = build_plan(jail, exe);
    let status = plan.wrap(jail.backend, command)?.run_attached()?;
    kill_descendants();
    Ok(status)
}

/// Returns a command in the jail of a session, without a terminal.
pub(crate) fn wrap_trial(
    jail: &SessionJail,
    exe: &Path,
    command: ChildCommand,
) -> Result<ChildCommand, JailError> {
    let plan = JailPlan {
        is_interactive: false,
        ..build_plan(jail, exe)
    };
    let command = if jail.has_relay() {
        command.run_by(exe, foreground_args(jail))
    } else {
        command
    };
    plan.wrap(jail.backend, command)
}

/// Keeps this process until the agent ends. The end of a session signals all its processes, and the
/// agent has the time to end that they get.
pub fn outlive_agent() -> Result<(), StartError> {
    let ignored = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(signal_hook::consts::SIGTERM, ignored).map_err(StartError::Jail)?;
    Ok(())
}

/// Makes this process the parent of the processes below it whose parent ended.
#[cfg(target_os = "linux")]
fn adopt_orphans() -> io::Result<()> {
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn adopt_orphans() -> io::Result<()> {
    Ok(())
}

fn build_command(
    start: &StartFile,
    jail: &SessionJail,
    exe: &Path,
    terminal: Option<&str>,
) -> ChildCommand {
    let command = ChildCommand::new(exe)
        .args(foreground_args(jail))
        .args(&start.argv)
        .cwd(&start.cwd)
        .env("TERM", terminal.unwrap_or("dumb"))
        .env("PWD", &start.cwd);
    let variables = start.env.iter();
    variables.fold(command, |command, (name, value)| command.env(name, value))
}

/// Returns the words of our own program that run a program in the foreground of a jail.
fn foreground_args(jail: &SessionJail) -> Vec<OsString> {
    if jail.has_relay() {
        relay_args(&FOREGROUND, Path::new(SOCKET_IN_JAIL))
    } else {
        FOREGROUND.map(OsString::from).into()
    }
}

fn build_plan(jail: &SessionJail, exe: &Path) -> JailPlan {
    let own = ["PWD", ADDRESS_VARIABLE].map(str::to_owned);
    let program_folder = exe.parent().map(Path::to_owned);
    JailPlan {
        folder: jail.folder.clone(),
        home: jail.home.clone(),
        writable: jail.writable.clone(),
        readable: jail
            .readable
            .iter()
            .cloned()
            .chain(program_folder)
            .collect(),
        protected: Vec::new(),
        network: match &jail.network {
            NetworkAccess::Full => JailNetwork::Full,
            // With Landlock, the gateway is one of the ports.
            NetworkAccess::Hosts(_) => JailNetwork::Ports(jail.ports.clone()),
        },
        variables: jail.variables.iter().cloned().chain(own).collect(),
        is_interactive: true,
        sockets: jail.sockets.clone(),
    }
}

/// Kills what an agent left. Each round can meet processes that were started in the meantime.
fn kill_descendants() {
    let Some(own) = Process::find(process::own_pid()) else {
        return;
    };
    clock::wait_for(Duration::from_secs(5), || {
        let left: Vec<Process> = process::process_tree(own)
            .into_iter()
            .filter(|process| *process != own)
            .collect();
        for process in &left {
            // A process that cannot be killed is found by the end of the session.
            process.signal(rustix::process::Signal::KILL).ok();
        }
        left.is_empty().then_some(())
    });
}
