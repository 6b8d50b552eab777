//! Starts a town, `gt up`.

use std::path::PathBuf;

use serde::Serialize;

use crate::flow::agent::session::start;
use crate::host::{LiveTown, daemon};
use crate::record::hook;
use crate::record::town_view::TownView;
use crate::town::event::event;
use crate::town::hold::{EmergencyStop, Hold};
use crate::town::identity::Address;

/// The daemon of a running town.
#[derive(Debug, Serialize)]
pub struct UpReport {
    pub daemon_pid: u32,
    /// True if the daemon was started now.
    pub started: bool,
    /// The earlier place of the town, if the daemon of that place was stopped now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved_from: Option<PathBuf>,
    /// True if systemd could start the daemon at each login.
    #[serde(skip)]
    pub may_install: bool,
    /// The reason why sessions cannot be started, if there is one.
    #[serde(skip)]
    pub degraded: Option<String>,
    /// The mayor's session, if it was started for the bead on the mayor's hook.
    #[serde(skip)]
    pub mayor: Option<String>,
    /// The emergency stop, under which nothing is started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Hold>,
}

/// Starts the town's daemon, unless it runs. Stops one that was started before the town was moved.
pub fn start_town(town: &LiveTown) -> anyhow::Result<UpReport> {
    let degraded = town.host.check().err().map(|error| error.to_string());
    let may_install = daemon::can_install_unit(town);
    let stopped = EmergencyStop::load(&town.layout).map(|stop| stop.hold());
    let mut report = UpReport {
        daemon_pid: 0,
        started: false,
        moved_from: None,
        may_install,
        degraded,
        mayor: None,
        stopped,
    };
    let now = daemon::read_daemon_status(town);
    if now.moved_from.is_some() {
        daemon::stop_daemon(town)?;
        report.moved_from = now.moved_from;
    }
    if now.running && report.moved_from.is_none() {
        report.daemon_pid = now.pid;
    } else {
        report.daemon_pid = daemon::start_daemon(town)?;
        report.started = true;
        town.record_event(&event!(Boot, rig: "town", agents: vec!["daemon".to_owned()]));
    }
    if report.degraded.is_none() {
        report.degraded = TownView::read(town)?.blind;
    }
    if report.degraded.is_none() && report.stopped.is_none() {
        match start_mayor_with_work(town) {
            Ok(mayor) => report.mayor = mayor,
            Err(error) => report.degraded = Some(format!("the mayor was not started: {error:#}")),
        }
    }
    Ok(report)
}

/// Starts the mayor's session if work is on its hook and it has none.
fn start_mayor_with_work(town: &LiveTown) -> anyhow::Result<Option<String>> {
    let mayor = Address::Mayor;
    if hook::find_hooked_bead(town, &mayor).is_err() {
        return Ok(None);
    }
    let name = start::start_session_name(&mayor)?;
    let live = town.host.find_session(name.as_str())?;
    if live.is_some_and(|live| live.dead.is_none()) {
        return Ok(None);
    }
    start::start_agent_session(town, &mayor, start::SessionChoice::default())
        .map(|live| Some(live.name))
}
