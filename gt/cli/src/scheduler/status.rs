//! `gt scheduler status`.

use super::{CommandResult, Context, build_report, list};
use gt::host::daemon::is_daemon_running;
use gt::view::scheduler::read_scheduler;
use kit::ui::{counted, escape};

/// Show the queue and why it does not move
///
/// With `--json` {paused, paused_by?, queued_total, queued_ready, active_polecats,
/// last_dispatch_at?, obstacle?{kind, …}, beads[]}, the beads as in `gt scheduler list --json`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let is_daemon_up = is_daemon_running(&town.layout);
    build_report(read_scheduler(&town, None)?, move |report, page| {
        page.line(format!(
            "{} queued, {} ready; {} at work",
            counted(report.queued_total, "bead"),
            report.queued_ready,
            counted(report.active_polecats, "worker"),
        ));
        if let Some(obstacle) = &report.obstacle {
            let text = format!("no worker is started: {obstacle}");
            page.line(page.style().yellow(&escape::escape_line(&text)));
            if let Some(next) = obstacle.next_step() {
                page.line(format!("  → {next}"));
            }
        }
        if !is_daemon_up && report.queued_total > 0 {
            page.line("no worker is started: the daemon does not run");
            page.line("  → gt up");
        }
        list::write_beads(&report.beads, page);
    })
}
