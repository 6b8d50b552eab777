//! `gt mail channel subscribers`.

use kit::ui::escape;

use super::super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::record::mail::channel;

/// List the agents that get a copy of each message
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The channel
    name: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let channel = channel::get_channel(&town.open_town_store()?.snapshot()?, &args.name)?;
    build_report(channel.subscribers, |subscribers, page| {
        if subscribers.is_empty() {
            page.line("no subscribers yet: gt mail channel subscribe NAME adds you");
        }
        for subscriber in subscribers {
            page.line(escape::escape_line(subscriber));
        }
    })
}
