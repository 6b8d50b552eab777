//! `gt deacon heartbeat`.

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::agent::role;

/// Record a heartbeat of the deacon's patrol
///
/// The deacon's session runs this command at the end of each round. The command fails while the
/// town is paused. With `--json` {timestamp, cycle, last_action, healthy_agents, unhealthy_agents,
/// actions}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The last action of the deacon
    action: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let heartbeat = role::record_heartbeat(&town, args.action.as_deref())?;
    build_report(heartbeat, |heartbeat, page| {
        page.line(format!("✓ heartbeat {}", heartbeat.cycle));
    })
}
