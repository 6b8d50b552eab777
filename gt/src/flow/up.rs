//! `gt up`: the town begins.

use serde::Serialize;

use crate::host::{LiveTown, daemon};
use crate::town::event::event;

/// The daemon of a town that is up.
#[derive(Debug, Serialize)]
pub struct UpReport {
    /// Its process.
    pub daemon_pid: u32,
    /// Whether it was started now.
    pub started: bool,
    /// Whether systemd could start it at each login.
    #[serde(skip)]
    pub may_install: bool,
    /// Why sessions cannot be started, if so.
    #[serde(skip)]
    pub degraded: Option<String>,
}

/// Starts the town's daemon, unless it runs.
pub fn start_town(town: &LiveTown) -> anyhow::Result<UpReport> {
    let degraded = town.host.check().err().map(|error| error.to_string());
    let may_install = daemon::can_install_unit(town);
    let now = daemon::read_daemon_status(town);
    if now.running {
        return Ok(UpReport {
            daemon_pid: now.pid,
            started: false,
            may_install,
            degraded,
        });
    }
    let daemon_pid = daemon::start_daemon(town)?;
    town.record_event(&event!(Boot, rig: "town", agents: vec!["daemon".to_owned()]));
    Ok(UpReport {
        daemon_pid,
        started: true,
        may_install,
        degraded,
    })
}
