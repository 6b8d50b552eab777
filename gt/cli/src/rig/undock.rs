//! `gt rig undock`.

use super::super::CommandResult;
use super::hold;
use crate::context::Context;
use gt::town::hold::HoldState;

/// Let the agents of a docked rig start again
///
/// With `--json` an array as that of `gt rig unpark`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The rigs
    #[arg(required = true, value_name = "RIG")]
    rigs: Vec<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    hold::release_rigs(ctx, &args.rigs, HoldState::Docked)
}
