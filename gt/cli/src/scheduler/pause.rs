//! `gt scheduler pause`.

use super::{CommandResult, Context, build_report};
use gt::host::daemon;
use gt::record::scheduler::SchedulerState;

/// Start no worker for queued beads until `gt scheduler resume`
///
/// Beads that are slung to a rig are queued. Sessions that run go on. With `--json` {paused,
/// paused_by, paused_at, paused_reason?}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The reason, which the commands show that start nothing
    #[arg(short, long, default_value = "", hide_default_value = true)]
    reason: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let changed = SchedulerState::pause(&town, &args.reason)?;
    daemon::wake_daemon(&town);
    let state = SchedulerState::load(&town.layout);
    build_report(state, move |_, page| {
        page.line(if changed {
            "✓ the scheduler is paused"
        } else {
            "the scheduler was paused already"
        });
        page.line("  → gt scheduler resume");
    })
}
