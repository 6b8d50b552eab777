use crate::context::Context;

use super::mol::wisp;
use super::report::Answer;

/// Make, list and remove wisps, as `bd mol wisp` does
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(flatten)]
    wisp: wisp::Args,
}

pub(super) fn run(ctx: &Context, args: Args) -> Answer {
    wisp::run(ctx, args.wisp)
}
