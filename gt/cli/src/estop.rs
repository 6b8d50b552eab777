//! `gt estop`.

use super::{CommandResult, build_report, rig};
use crate::context::Context;
use gt::flow::agent::hold;
use gt::town::hold::HoldState;

/// Stop every agent of the town until `gt thaw`
///
/// Uncommitted work is saved, and the work stays on its hooks. The session that runs the command
/// goes on. The daemon goes on, too, and only sends messages. With `--json` {rig, state, changed,
/// sessions[], stopped[{worker, bead, title, snapshot?}], held{state, reason, next}}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The reason, which each refused command shows
    #[arg(short, long, default_value = "")]
    reason: String,
    /// Park this rig instead
    #[arg(long)]
    rig: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let report = match &args.rig {
        Some(name) => hold::hold_rig(&town, &town.find_rig(name)?, HoldState::Parked)?,
        None => hold::stop_town_agents(&town, &args.reason)?,
    };
    build_report(report, rig::write_hold)
}
