//! Starts a town, `gt up`.

use serde::Serialize;

use crate::host::{LiveTown, daemon};
use crate::town::event::event;

/// The daemon of a running town.
#[derive(Debug, Serialize)]
pub struct UpReport {
    pub daemon_pid: u32,
    /// True if the daemon was started now.
    pub started: bool,
    /// True if systemd could start the daemon at each login.
    #[serde(skip)]
    pub may_install: bool,
    /// The reason why sessions cannot be started, if there is one.
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
