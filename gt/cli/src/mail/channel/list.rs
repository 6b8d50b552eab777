//! `gt mail channel list`.

use super::super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::record::mail::channel;

/// List the channels
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    list_channels(ctx)
}

pub(super) fn list_channels(ctx: &Context) -> CommandResult {
    let town = ctx.open_town()?;
    let channels = channel::list_channels(&town.open_town_store()?.snapshot()?);
    build_report(channels, |channels, page| {
        if channels.is_empty() {
            page.line("no channels yet: gt mail channel create NAME makes one");
        }
        for channel in channels {
            super::write_channel(channel, page);
        }
    })
}
