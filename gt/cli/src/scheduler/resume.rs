//! `gt scheduler resume`.

use super::{CommandResult, Context, build_report};
use gt::host::daemon;
use gt::record::scheduler::SchedulerState;

/// Start workers for queued beads again
///
/// With `--json` {paused}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let changed = SchedulerState::resume(&town)?;
    daemon::wake_daemon(&town);
    let state = SchedulerState::load(&town.layout);
    build_report(state, move |_, page| {
        page.line(if changed {
            "✓ the scheduler starts workers again"
        } else {
            "the scheduler was not paused"
        });
    })
}
