//! `gt rig start`.

use super::super::CommandResult;
use super::hold;
use crate::context::Context;
use gt::town::hold::HoldState;

/// Let the agents of a rig start again after `gt rig stop`
///
/// The same as `gt rig unpark`. A docked rig is started by `gt rig undock`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The rigs
    #[arg(required = true, value_name = "RIG")]
    rigs: Vec<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    hold::release_rigs(ctx, &args.rigs, HoldState::Parked)
}
