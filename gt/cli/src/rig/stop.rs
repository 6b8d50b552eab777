//! `gt rig stop`.

use super::super::CommandResult;
use super::hold;
use crate::context::Context;
use gt::town::hold::HoldState;

/// Stop the agents of a rig until `gt rig start`
///
/// The same as `gt rig park`: uncommitted work is saved, and nothing is started in between.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The rigs
    #[arg(required = true, value_name = "RIG")]
    rigs: Vec<String>,
    /// Accepted for scripts: sessions end at once, with their work saved
    #[arg(short, long, hide = true)]
    force: bool,
    /// Accepted for scripts: uncommitted work is always saved first
    #[arg(long, hide = true)]
    nuclear: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    hold::hold_rigs(ctx, &args.rigs, HoldState::Parked)
}
