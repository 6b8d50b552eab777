//! Troubles around a town.

use std::time::Duration;

use town_tests::Town;

use crate::Soak;
use crate::measure::Samples;

/// A kind of trouble.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Trouble {
    /// The session of one worker is killed.
    KillSession,
    /// The tmux server dies, with all sessions.
    KillTmux,
    /// The daemon is killed and started again.
    KillDaemon,
    /// All agents are killed at once.
    KillAgents,
    /// Everything stands still for a while, as while a machine sleeps.
    Sleep,
    /// A remote cannot be reached for a while.
    RemoteOutage,
    /// There is no room on the town's disk for a while.
    FullDisk,
    /// The daemon is started again with a clock that is hours off, and then with the right one.
    ClockJump,
}

impl Trouble {
    pub(crate) fn draw(rng: &mut fastrand::Rng) -> Self {
        match rng.u8(..16) {
            0 => Self::KillTmux,
            1 | 2 => Self::KillDaemon,
            3 => Self::KillAgents,
            4 | 5 => Self::Sleep,
            6..=8 => Self::RemoteOutage,
            9 => Self::FullDisk,
            10 => Self::ClockJump,
            _ => Self::KillSession,
        }
    }

    pub(crate) fn strike(self, soak: &Soak<'_>, rng: &mut fastrand::Rng) {
        let town = soak.town;
        let samples = Samples::begin(town);
        match self {
            Self::KillSession => {
                let sessions = town.sessions();
                if !sessions.is_empty() {
                    let session = &sessions[rng.usize(..sessions.len())];
                    town.gt(["peek", session]).run();
                    kill_session(town, session);
                }
            }
            Self::KillTmux => signal(town, "-9", &named(&samples, "tmux: server")),
            Self::KillDaemon => {
                kill_daemon(town);
                town.gt(["up"]).run();
            }
            Self::FullDisk => {
                if let Some(disk) = &soak.disk {
                    disk.fill();
                    std::thread::sleep(Duration::from_secs(4));
                    disk.free();
                }
            }
            Self::ClockJump => {
                let minutes = rng.i64(-180..=180);
                let wrong = jiff::Timestamp::now() + jiff::SignedDuration::from_mins(minutes);
                kill_daemon(town);
                town.gt(["up"]).env("BD_NOW", wrong.to_string()).run();
                std::thread::sleep(Duration::from_secs(5));
                kill_daemon(town);
                town.gt(["up"]).run();
            }
            Self::KillAgents => signal(town, "-9", &agents(&samples)),
            Self::Sleep => {
                let all = samples.pids();
                signal(town, "-STOP", &all);
                std::thread::sleep(Duration::from_secs(3));
                signal(town, "-CONT", &all);
            }
            Self::RemoteOutage => {
                let (_, origin) = &soak.origins[rng.usize(..soak.origins.len())];
                let away = origin.path().with_extension("away");
                std::fs::rename(origin.path(), &away).unwrap();
                std::thread::sleep(Duration::from_secs(5));
                std::fs::rename(&away, origin.path()).unwrap();
            }
        }
    }
}

fn kill_daemon(town: &Town) {
    let daemon: Vec<u32> = Samples::begin(town).daemon().into_iter().collect();
    signal(town, "-9", &daemon);
}

/// Kills the processes of one session.
fn kill_session(town: &Town, session: &str) {
    let wanted = format!("GT_SESSION={session}");
    let samples = Samples::begin(town);
    let is_its = |pid: &u32| {
        let environ = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environ
            .split(|byte| *byte == 0)
            .any(|one| one == wanted.as_bytes())
    };
    let pids: Vec<u32> = samples.pids().into_iter().filter(is_its).collect();
    signal(town, "-9", &pids);
}

/// The processes of all sessions.
fn agents(samples: &Samples) -> Vec<u32> {
    let has_session = |pid: &u32| {
        let environ = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environ
            .split(|byte| *byte == 0)
            .any(|one| one.starts_with(b"GT_SESSION="))
    };
    samples.pids().into_iter().filter(has_session).collect()
}

fn named(samples: &Samples, name: &str) -> Vec<u32> {
    let has_name = |pid: &u32| {
        let found = std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
        found.trim() == name
    };
    samples.pids().into_iter().filter(has_name).collect()
}

fn signal(town: &Town, signal: &str, pids: &[u32]) {
    if pids.is_empty() {
        return;
    }
    let pids: Vec<String> = pids.iter().map(ToString::to_string).collect();
    let args = std::iter::once(signal).chain(pids.iter().map(String::as_str));
    // Some may have ended by now.
    town.program_on_path("kill").args(args).run();
}
