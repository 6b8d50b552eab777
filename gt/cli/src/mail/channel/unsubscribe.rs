//! `gt mail channel unsubscribe`.

use super::super::super::CommandResult;
use crate::context::Context;

/// Get no more copies of the messages of a channel
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The channel
    name: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    super::change_subscription(&town, &args.name, false)
}
