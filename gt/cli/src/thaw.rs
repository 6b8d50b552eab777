//! `gt thaw`.

use super::{CommandResult, build_report_with_exit, rig};
use crate::context::Context;
use gt::flow::agent::hold;
use gt::town::hold::HoldState;

/// Let agents start again after `gt estop`
///
/// The daemon starts the agents with work on their hooks. With `--json` {rig, state, changed,
/// held?}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Unpark this rig instead
    #[arg(long)]
    rig: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let report = match &args.rig {
        Some(name) => hold::release_rig(&town, &town.find_rig(name)?, HoldState::Parked)?,
        None => hold::thaw_town(&town)?,
    };
    let exit = u8::from(report.held.is_some());
    build_report_with_exit(exit, report, rig::write_release)
}
