//! `gt mail channel create`.

use super::super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::record::mail::channel;

/// Create a channel
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The name
    name: String,
    /// The number of messages to keep; 0 for all
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    retain_count: u64,
    /// The hours to keep a message; 0 for ever
    #[arg(long, value_name = "HOURS", default_value_t = 0)]
    retain_hours: u64,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let created = channel::create_channel(&town, &args.name, args.retain_count, args.retain_hours)?;
    build_report(created, super::write_channel)
}
