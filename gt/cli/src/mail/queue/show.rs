//! `gt mail queue show`.

use super::super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::record::mail::queue;
use gt::town::config::MessagingSettings;

/// Show a queue with the number of its messages
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The name
    name: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let settings = MessagingSettings::load(&town.layout)?;
    let beads = town.open_town_store()?.snapshot()?;
    let queue = queue::get_queue(&beads, &settings, &args.name)?;
    let counts = queue::count_messages(&beads, queue, town.clock.now());
    build_report(counts, super::write_queue)
}
