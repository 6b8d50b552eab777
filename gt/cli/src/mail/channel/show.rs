//! `gt mail channel show`.

use super::super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::record::mail::channel;

/// Show a channel with its retention and subscribers
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The name
    name: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let channel = channel::get_channel(&town.open_town_store()?.snapshot()?, &args.name)?;
    build_report(channel, super::write_channel)
}
