//! Checks that the daemon runs and is not degraded.

use super::CheckFindings;
use crate::host::LiveTown;
use crate::host::daemon;
use crate::record::answer_link::explain_missing_links;
use crate::record::pause::TownPause;
use crate::town::hold::EmergencyStop;

pub(super) fn check_daemon(town: &LiveTown, page: &mut CheckFindings) {
    if let Some(pause) = TownPause::load(&town.layout) {
        page.warn(pause.describe(), "gt deacon resume ends the pause");
    }
    if let Some(stop) = EmergencyStop::load(&town.layout) {
        page.warn(stop.hold().reason, "gt thaw ends the stop");
    }
    let status = daemon::read_daemon_status(town);
    if let Some(earlier) = &status.moved_from {
        let earlier = earlier.display();
        page.error(
            format!("the town was moved, and the daemon runs for its earlier place {earlier}"),
            "gt up ends it there and starts it here",
        );
        return;
    }
    if !status.running {
        let hint = "gt up starts it; without it nothing happens unattended, and gtd run --once does one pass";
        return page.note("the daemon does not run", hint);
    }
    if let Some(reason) = &status.degraded {
        page.warn(
            format!("the daemon is degraded: {reason}"),
            "see the check of tools",
        );
    }
    if let Some(reason) = explain_missing_links(town) {
        page.warn(reason, "gt daemon stop, then gt daemon start");
    }
    page.ok(format!(
        "the daemon runs (pid {}), {} passes",
        status.pid, status.heartbeat_count
    ));
}
