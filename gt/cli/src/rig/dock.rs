//! `gt rig dock`.

use super::super::CommandResult;
use super::hold;
use crate::context::Context;
use gt::town::hold::HoldState;

/// Stop the agents of a rig on all machines
///
/// Lasts until `gt rig undock`. As `gt rig park`, but recorded on the rig's bead, which is synced:
/// each town that shares the rig's beads stops its agents there. With `--json` an array as that of
/// `gt rig park`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The rigs
    #[arg(required = true, value_name = "RIG")]
    rigs: Vec<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    hold::hold_rigs(ctx, &args.rigs, HoldState::Docked)
}
