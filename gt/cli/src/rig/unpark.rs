//! `gt rig unpark`.

use super::super::CommandResult;
use super::hold;
use crate::context::Context;
use gt::town::hold::HoldState;

/// Let the agents of a parked rig start again
///
/// The daemon starts the agents with work on their hooks, and slings what was queued. With `--json`
/// an array of {rig, state, changed, held?}: `held` says why nothing is started all the same.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The rigs
    #[arg(required = true, value_name = "RIG")]
    rigs: Vec<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    hold::release_rigs(ctx, &args.rigs, HoldState::Parked)
}
