//! `gt daemon status`.

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::host::daemon;

/// Show whether the daemon runs, and its state
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    let status = daemon::read_daemon_status(&*ctx.open_town()?);
    build_report(status, |status, page| {
        if !status.running {
            page.line("○ no daemon runs (`gt daemon start` starts one)");
            return;
        }
        page.line(format!("● the daemon runs (pid {})", status.pid));
        if let Some(earlier) = &status.moved_from {
            let earlier = earlier.display().to_string();
            page.line(format!(
                "  for {}, where this town was before: nothing is started or merged here",
                kit::ui::escape::escape_line(&earlier)
            ));
            page.line("  → gt up");
        }
        page.line(format!(
            "  started:   {}",
            page.relative_time(&status.started_at)
        ));
        page.line(format!(
            "  last pass: {} ({} in all)",
            page.relative_time(&status.last_heartbeat),
            status.heartbeat_count
        ));
        if let Some(reason) = &status.degraded {
            page.line(format!(
                "  degraded:  {}",
                kit::ui::escape::escape_line(reason)
            ));
        }
    })
}
