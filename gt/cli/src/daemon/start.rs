//! `gt daemon start`.

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::host::daemon;

#[derive(serde::Serialize)]
struct Started {
    running: bool,
    pid: u32,
}

/// Start the daemon, detached from this terminal
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    let pid = daemon::start_daemon(&*ctx.town()?)?;
    build_report(Started { running: true, pid }, |started, page| {
        page.line(format!("✓ the daemon runs (pid {})", started.pid));
    })
}
