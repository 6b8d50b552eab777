//! `gt rig park`.

use super::super::CommandResult;
use super::hold;
use crate::context::Context;
use gt::town::hold::HoldState;

/// Stop the agents of a rig on this machine
///
/// Lasts until `gt rig unpark`. Uncommitted work is saved, and the work stays on its hooks. No
/// session is started, no queued bead is slung and nothing is merged there. With `--json` an array
/// of {rig, state, changed, sessions[], stopped[{worker, bead, title, snapshot?}], held{state,
/// reason, next}}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The rigs
    #[arg(required = true, value_name = "RIG")]
    rigs: Vec<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    hold::hold_rigs(ctx, &args.rigs, HoldState::Parked)
}
