//! Finds processes that ended sessions of this town left behind. They carry the token of such a
//! session.
//!
//! Only such processes are listed, and they are ended only on request. Processes that a user
//! started, session hosts, the daemon and the caller are never listed.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::Serialize;

use crate::host::{LiveTown, daemon};
use crate::record::town_view::TownView;
use crate::town::Town;
use crate::town::event::event;
use crate::town::process::{self, Process, SessionProcess};

/// The time that a process gets to end itself.
const END_GRACE: Duration = Duration::from_secs(5);
/// The name prefix of processes that host sessions.
const HOST_PREFIX: &str = "tmux";

/// A process whose session has ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ZombieProcess {
    pub pid: i32,
    pub program: String,
    /// The process's former session.
    pub session: String,
    /// The run time in seconds.
    pub age_secs: u64,
    pub ended: bool,
}

/// Finds the processes that sessions left behind, and ends them on request. A process younger than
/// `youngest` may belong to a session that is starting or handing over, so it is skipped.
pub fn find_zombies(
    town: &LiveTown,
    youngest: Duration,
    end: bool,
) -> anyhow::Result<Vec<ZombieProcess>> {
    let root = town.layout.root().display().to_string();
    // Read before the sessions: if a process in this list has a session, that session exists by the
    // second read.
    let marked = process::list_session_processes(&root);
    let view = TownView::read(town)?;
    let sessions = view.sessions.as_deref().ok_or_else(|| {
        let reason = view.blind.as_deref().unwrap_or("");
        anyhow::anyhow!("sessions cannot be listed, so no process is judged: {reason}")
    })?;
    let live: BTreeSet<&str> = sessions.iter().map(|live| live.token.as_str()).collect();
    let ancestors = process::list_ancestors(process::own_pid());
    let daemon = daemon::read_daemon_status(town).pid.cast_signed();
    let found: Vec<&SessionProcess> = marked
        .iter()
        .filter(|candidate| is_zombie_process(candidate, &live, youngest))
        .filter(|candidate| {
            !ancestors.contains(&candidate.process.pid) && candidate.process.pid != daemon
        })
        .collect();
    let survivors = if end {
        end_all(town, &found)
    } else {
        found.iter().map(|zombie| zombie.process).collect()
    };
    Ok(found
        .iter()
        .map(|zombie| ZombieProcess {
            pid: zombie.process.pid,
            program: zombie.program.clone(),
            session: zombie.session.clone(),
            age_secs: zombie.age.as_secs(),
            ended: !survivors.contains(&zombie.process),
        })
        .collect())
}

fn is_zombie_process(process: &SessionProcess, live: &BTreeSet<&str>, youngest: Duration) -> bool {
    let is_host = process.program.starts_with(HOST_PREFIX);
    !live.contains(process.token.as_str()) && process.age >= youngest && !is_host
}

/// Ends the processes and returns those that still run.
fn end_all(town: &Town, found: &[&SessionProcess]) -> BTreeSet<Process> {
    let all: Vec<Process> = found.iter().map(|zombie| zombie.process).collect();
    if all.is_empty() {
        return BTreeSet::new();
    }
    let survivors = process::end_processes(&all, END_GRACE);
    let mut by_session: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for zombie in found {
        let pids = by_session.entry(&zombie.session).or_default();
        pids.push(zombie.process.pid.to_string());
    }
    for (session, pids) in by_session {
        let reason = format!("its session is gone: processes {}", pids.join(", "));
        town.record_event(&event!(Kill, rig: "", target: session, reason: reason));
    }
    survivors.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_with_sessions_session_hosts_and_new_processes_are_not_zombies() {
        let live = BTreeSet::from(["alive"]);
        let process = Process { pid: 7, started: 7 };
        let one = |token: &str, program: &str, secs| SessionProcess {
            process,
            token: token.to_owned(),
            session: "gt-web-nux".to_owned(),
            program: program.to_owned(),
            age: Duration::from_secs(secs),
        };
        assert!(is_zombie_process(
            &one("gone", "node", 60),
            &live,
            Duration::from_secs(60)
        ));
        for spared in [
            one("alive", "node", 600),
            one("gone", "node", 59),
            one("gone", "tmux: server", 600),
        ] {
            assert!(
                !is_zombie_process(&spared, &live, Duration::from_secs(60)),
                "{spared:?}"
            );
        }
    }
}
