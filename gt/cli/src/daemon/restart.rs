//! `gt daemon restart`.

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::host::daemon;

#[derive(serde::Serialize)]
struct RestartDaemonReport {
    running: bool,
    pid: u32,
    /// The process that has ended. Missing if no daemon ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    ended: Option<u32>,
}

/// Restart the daemon, and keep the sessions
///
/// After an update of the programs, this starts the new daemon. Without a daemon it starts one.
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let is_running = daemon::read_daemon_status(&town).running;
    let ended = is_running.then(|| daemon::stop_daemon(&town)).transpose()?;
    let pid = daemon::start_daemon(&town)?;
    let report = RestartDaemonReport {
        running: true,
        pid,
        ended,
    };
    build_report(report, |restarted, page| {
        if let Some(ended) = restarted.ended {
            page.line(format!("✓ the daemon has ended (pid was {ended})"));
        }
        page.line(format!("✓ the daemon runs (pid {})", restarted.pid));
    })
}
