//! Handles processes that are not our children: identifies them, lists their descendants, and is
//! the only way to signal them.
//!
//! A signal goes only to a process whose id *and* start time are the known ones, through a pidfd,
//! so that a reused id is never hit. It goes only to processes of our sessions: those with the
//! token in their environment, and their descendants.
//!
//! This module reads `/proc`. On systems without it (macOS) no process is ever found. Sessions then
//! end only through their backend, and processes that outlive them must be ended by hand.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::Duration;

use kit::sys::ancestor::find_variable;
use kit::sys::clock;
use rustix::process::Signal;

/// The variable with the token of a process's session.
pub const TOKEN: &str = "GT_SESSION_TOKEN";

/// The variable with the name of a session's agent program, as in the settings.
pub const AGENT: &str = "GT_AGENT";

/// One process: its id and its start time, which together are unique.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Process {
    pub pid: i32,
    /// The start time, in clock ticks since the boot.
    pub started: u64,
}

/// The fields of `/proc/<pid>/stat`.
#[derive(Debug, Clone, Copy)]
struct ProcessStat {
    parent: i32,
    started: u64,
    dead: bool,
}

impl Process {
    /// Returns the process with this id, if it is alive.
    pub fn find(pid: i32) -> Option<Self> {
        let stat = read_stat(pid)?;
        let started = stat.started;
        (!stat.dead).then_some(Self { pid, started })
    }

    /// Returns true if the process still exists. False for a zombie.
    pub fn is_alive(&self) -> bool {
        Self::find(self.pid) == Some(*self)
    }

    /// Returns a variable of the environment with which the process was started. None if it is
    /// unreadable.
    pub fn variable(&self, name: &str) -> Option<String> {
        let environ = fs::read(format!("/proc/{}/environ", self.pid)).ok()?;
        // Read before the check, so that the value belongs to the process that is still alive.
        if !self.is_alive() {
            return None;
        }
        find_variable(&environ, name)
    }

    /// Returns true if the process belongs to the session with this token.
    pub fn has_token(&self, token: &str) -> bool {
        !token.is_empty() && self.variable(TOKEN).as_deref() == Some(token)
    }

    /// Returns the root of the town that started the process, if it still exists and is not the
    /// town at `root`. The processes of a moved town name a folder that no longer exists, so they
    /// count as its own.
    pub fn other_town(&self, root: &Path) -> Option<PathBuf> {
        self.started_elsewhere(root)
            .filter(|started_by| super::is_town(started_by))
    }

    /// Returns the earlier root of the town at `root`, if the process was started there.
    pub fn earlier_town(&self, root: &Path) -> Option<PathBuf> {
        self.started_elsewhere(root)
            .filter(|started_by| !super::is_town(started_by))
    }

    /// Returns the root of the town that started the process, if it is not `root`.
    fn started_elsewhere(&self, root: &Path) -> Option<PathBuf> {
        let started_by = PathBuf::from(self.variable("GT_TOWN_ROOT")?);
        let is_same = match (started_by.canonicalize(), root.canonicalize()) {
            (Ok(started_by), Ok(root)) => started_by == root,
            _ => started_by == root,
        };
        (!is_same).then_some(started_by)
    }

    /// Returns the metadata of the program file that the process runs, even if the file was removed
    /// since. None if the system does not show it.
    pub fn program_file(&self) -> Option<fs::Metadata> {
        let file = fs::metadata(format!("/proc/{}/exe", self.pid)).ok()?;
        self.is_alive().then_some(file)
    }

    /// Returns the name, truncated as in the kernel.
    pub fn name(&self) -> Option<String> {
        let name = fs::read_to_string(format!("/proc/{}/comm", self.pid)).ok()?;
        Some(name.trim_end().to_owned())
    }

    /// Returns a handle that becomes readable when the process ends. None if it has ended already.
    pub fn open_handle(&self) -> io::Result<Option<OwnedFd>> {
        open_pidfd(*self)
    }

    /// Sends a signal, if the process is still the same. Returns false if it is not.
    pub fn signal(&self, signal: Signal) -> io::Result<bool> {
        let Some(handle) = self.open_handle()? else {
            return Ok(false);
        };
        send_signal(&handle, signal)
    }
}

#[cfg(target_os = "linux")]
fn open_pidfd(process: Process) -> io::Result<Option<OwnedFd>> {
    use rustix::io::Errno;
    use rustix::process::{Pid, PidfdFlags, pidfd_open};
    let Some(pid) = Pid::from_raw(process.pid) else {
        return Ok(None);
    };
    match pidfd_open(pid, PidfdFlags::empty()) {
        // Opened before the comparison: the handle then keeps referring to the same process.
        Ok(handle) => Ok(process.is_alive().then_some(handle)),
        Err(Errno::SRCH | Errno::INVAL) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

#[cfg(target_os = "linux")]
fn send_signal(handle: &OwnedFd, signal: Signal) -> io::Result<bool> {
    use rustix::io::Errno;
    match rustix::process::pidfd_send_signal(handle, signal) {
        Ok(()) => Ok(true),
        Err(Errno::SRCH) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(target_os = "linux"))]
fn open_pidfd(_: Process) -> io::Result<Option<OwnedFd>> {
    Ok(None)
}

#[cfg(not(target_os = "linux"))]
fn send_signal(_: &OwnedFd, _: Signal) -> io::Result<bool> {
    Ok(false)
}

/// Returns true if this process was started with a signal ignored.
pub(crate) fn is_signal_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").ok();
    let mask = status.and_then(|status| {
        let mask = status
            .lines()
            .find_map(|line| line.strip_prefix("SigIgn:"))?;
        u64::from_str_radix(mask.trim(), 16).ok()
    });
    mask.is_some_and(|mask| (mask >> (signal - 1)) & 1 == 1)
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionProcess {
    pub process: Process,
    /// The token of its session.
    pub token: String,
    /// The name of its session.
    pub session: String,
    pub program: String,
    /// The time since its start.
    pub age: Duration,
}

/// Returns all processes that sessions of the town at `root` started, with any parent.
pub fn list_session_processes(root: &str) -> Vec<SessionProcess> {
    // Without it, every process counts as just started, and none is ended.
    let uptime: u64 = fs::read_to_string("/proc/uptime")
        .ok()
        .and_then(|uptime| uptime.split('.').next()?.parse().ok())
        .unwrap_or(0);
    let ticks = rustix::param::clock_ticks_per_second().max(1);
    read_process_table()
        .into_iter()
        .filter(|(_, stat)| !stat.dead)
        .filter_map(|(pid, stat)| {
            let process = Process {
                pid,
                started: stat.started,
            };
            let token = process.variable(TOKEN).filter(|token| !token.is_empty())?;
            if process.variable("GT_TOWN_ROOT")? != root {
                return None;
            }
            Some(SessionProcess {
                process,
                token,
                session: process.variable("GT_SESSION").unwrap_or_default(),
                program: process.name().unwrap_or_default(),
                age: Duration::from_secs(uptime.saturating_sub(stat.started / ticks)),
            })
        })
        .collect()
}

/// Returns the id of this process.
pub fn own_pid() -> i32 {
    rustix::process::getpid().as_raw_nonzero().get()
}

/// Returns a process and all its descendants, itself first.
pub fn process_tree(root: Process) -> Vec<Process> {
    let all = read_process_table();
    if all
        .get(&root.pid)
        .is_none_or(|stat| stat.started != root.started)
    {
        return Vec::new();
    }
    let mut children: BTreeMap<i32, Vec<i32>> = BTreeMap::new();
    for (pid, stat) in &all {
        children.entry(stat.parent).or_default().push(*pid);
    }
    let mut found = Vec::new();
    let mut open = vec![root.pid];
    while let Some(pid) = open.pop() {
        if let Some(stat) = all.get(&pid).filter(|stat| !stat.dead) {
            let started = stat.started;
            found.push(Process { pid, started });
        }
        open.extend(children.get(&pid).into_iter().flatten());
    }
    found
}

/// Returns all processes with a session's token, with any parent.
pub fn processes_with_token(token: &str) -> Vec<Process> {
    read_process_table()
        .into_iter()
        .map(|(pid, stat)| Process {
            pid,
            started: stat.started,
        })
        .filter(|process| process.has_token(token))
        .collect()
}

/// Returns all processes of a session: the descendants of its first process, if that is ours, and
/// all with its token.
pub fn session_members(root: Option<Process>, token: &str) -> Vec<Process> {
    let all: BTreeSet<Process> = root
        .filter(|root| root.has_token(token))
        .map(process_tree)
        .into_iter()
        .flatten()
        .chain(processes_with_token(token))
        .collect();
    all.into_iter().collect()
}

/// Returns a process and its ancestors up to the first of the machine, itself first.
pub fn list_ancestors(pid: i32) -> Vec<i32> {
    let mut found = vec![pid];
    let mut next = pid;
    while let Some(above) = read_stat(next).map(|stat| stat.parent) {
        if above <= 1 || found.contains(&above) {
            break;
        }
        found.push(above);
        next = above;
    }
    found
}

/// Returns the parent of a process.
pub fn parent_of(pid: i32) -> Option<i32> {
    read_stat(pid).map(|stat| stat.parent)
}

/// Returns the children of any process whose name begins with `name`, each with that process.
/// Processes in `without` are left out.
pub fn children_of_named(name: &str, without: &BTreeSet<i32>) -> Vec<(Process, Process)> {
    let all = read_process_table();
    let mut hosts: BTreeMap<i32, Option<Process>> = BTreeMap::new();
    let mut found = Vec::new();
    for (pid, stat) in all
        .iter()
        .filter(|(_, stat)| !stat.dead && !without.contains(&stat.parent))
    {
        let host = hosts.entry(stat.parent).or_insert_with(|| {
            Process::find(stat.parent).filter(|host| {
                host.name()
                    .is_some_and(|host_name| host_name.starts_with(name))
            })
        });
        if let Some(host) = host {
            let pid = *pid;
            let started = stat.started;
            found.push((Process { pid, started }, *host));
        }
    }
    found
}

/// Ends processes: asks them, waits for `grace`, then kills the rest. Returns the processes that
/// are still alive.
pub fn end_processes(processes: &[Process], grace: Duration) -> Vec<Process> {
    for (signal, patience) in [
        (Signal::TERM, grace),
        (Signal::KILL, Duration::from_secs(2)),
    ] {
        for process in filter_alive(processes) {
            // A process that may not be signalled is reported as alive below.
            process.signal(signal).ok();
        }
        if clock::wait_for(patience, || {
            filter_alive(processes).is_empty().then_some(())
        })
        .is_some()
        {
            return Vec::new();
        }
    }
    filter_alive(processes)
}

fn filter_alive(processes: &[Process]) -> Vec<Process> {
    processes
        .iter()
        .copied()
        .filter(Process::is_alive)
        .collect()
}

/// Reads every process of the machine once.
fn read_process_table() -> BTreeMap<i32, ProcessStat> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return BTreeMap::new();
    };
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter_map(|pid| Some((pid, read_stat(pid)?)))
        .collect()
}

fn read_stat(pid: i32) -> Option<ProcessStat> {
    parse_stat(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// Parses the fields after the program's name, which may contain spaces and brackets.
fn parse_stat(stat: &str) -> Option<ProcessStat> {
    let rest = &stat[stat.rfind(')')? + 1..];
    let fields: Vec<&str> = rest.split_whitespace().collect();
    Some(ProcessStat {
        dead: matches!(*fields.first()?, "Z" | "X" | "x"),
        parent: fields.get(1)?.parse().ok()?,
        started: fields.get(19)?.parse().ok()?,
    })
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use kit::sys::ChildCommand;

    use super::*;

    /// Starts a shell with a child that ignores the polite signal, in the token's environment.
    fn session(token: &str) -> Process {
        let log = tempfile::tempfile().unwrap();
        let script = "(trap '' TERM; sleep 600 & wait) & exec sleep 600";
        let pid = ChildCommand::new("sh")
            .args(["-c", script])
            .env(TOKEN, token)
            .spawn_detached(&log)
            .unwrap();
        let pid = i32::try_from(pid).unwrap();
        let whole = || Process::find(pid).filter(|root| process_tree(*root).len() == 3);
        clock::wait_for(Duration::from_secs(20), whole).unwrap()
    }

    #[test]
    fn the_start_time_is_read_after_the_last_parenthesis() {
        let line = "7 (a) b (c)) S 3 7 7 0 -1 0 0 0 0 0 1 2 3 4 20 0 1 0 4711 99";
        let stat = parse_stat(line).unwrap();
        assert_eq!((stat.parent, stat.started, stat.dead), (3, 4711, false));
    }

    #[test]
    fn a_process_tree_ends_even_if_it_ignores_the_first_signal() {
        let root = session("t-whole");
        let members = session_members(Some(root), "t-whole");
        assert_eq!(members.len(), 3);
        assert_eq!(end_processes(&members, Duration::from_millis(300)), []);
    }

    #[test]
    fn a_process_without_the_token_is_not_a_member() {
        let root = session("t-mine");
        assert!(session_members(Some(root), "t-other").is_empty());
        assert!(session_members(Some(root), "").is_empty());
        let ours = session_members(Some(root), "t-mine");
        end_processes(&ours, Duration::ZERO);
    }

    #[test]
    fn processes_of_a_town_are_found_with_their_age() {
        let log = tempfile::tempfile().unwrap();
        let start = |root: &str| {
            let exec = ChildCommand::new("sleep")
                .args(["600"])
                .env(TOKEN, "t-marked");
            let exec = exec.env("GT_TOWN_ROOT", root).env("GT_SESSION", "hq-x");
            i32::try_from(exec.spawn_detached(&log).unwrap()).unwrap()
        };
        let (own, _other) = (start("/town/a"), start("/town/b"));
        let found = || {
            let found = list_session_processes("/town/a");
            let began = found.iter().any(|one| one.program == "sleep");
            began.then_some(found)
        };
        let found = clock::wait_for(Duration::from_secs(20), found).unwrap();
        assert_eq!(found.len(), 1);
        let one = &found[0];
        assert_eq!((one.process.pid, one.session.as_str()), (own, "hq-x"));
        assert!(one.age < Duration::from_secs(600));
        end_processes(&processes_with_token("t-marked"), Duration::ZERO);
    }

    #[test]
    fn a_reused_process_id_is_not_signaled() {
        let mut own = Process::find(own_pid()).unwrap();
        own.started += 1;
        assert!(!own.is_alive());
        assert!(!own.signal(Signal::KILL).unwrap());
        assert!(process_tree(own).is_empty());
    }

    #[test]
    fn ancestry_begins_with_the_process_itself() {
        let line = list_ancestors(own_pid());
        assert_eq!(line[0], own_pid());
        assert!(line.len() > 1);
    }
}
