//! `gt daemon stop`.

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::host::daemon;

#[derive(serde::Serialize)]
struct StopDaemonReport {
    running: bool,
    pid: u32,
}

/// Stop the daemon, and keep the sessions
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    let pid = daemon::stop_daemon(&*ctx.open_town()?)?;
    build_report(
        StopDaemonReport {
            running: false,
            pid,
        },
        |stopped, page| {
            page.line(format!("✓ the daemon has ended (pid was {})", stopped.pid));
        },
    )
}
