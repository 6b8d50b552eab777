//! `gt daemon start`.

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::host::daemon;

#[derive(serde::Serialize)]
struct StartDaemonReport {
    running: bool,
    pid: u32,
}

/// Start the daemon, detached from this terminal
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    let pid = daemon::start_daemon(&*ctx.open_town()?)?;
    build_report(StartDaemonReport { running: true, pid }, |started, page| {
        page.line(format!("✓ the daemon runs (pid {})", started.pid));
    })
}
