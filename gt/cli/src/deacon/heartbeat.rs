//! `gt deacon heartbeat`.

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::role;

/// Record that the town was looked after
///
/// The deacon's session runs it in each round. With `--json` {timestamp, cycle, last_action,
/// healthy_agents, unhealthy_agents, actions}. Fails while the town is paused.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The last action
    #[arg(default_value = "")]
    action: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let beat = role::record_heartbeat(&town, &args.action)?;
    build_report(beat, |beat, page| {
        page.line(format!("✓ heartbeat {}", beat.cycle));
    })
}
