//! `gt mail queue create`.

use jiff::SignedDuration;

use super::super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::record::mail::queue;

/// Create a queue
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The name
    name: String,
    /// The agents that may claim its messages, as patterns: *, RIG/*, RIG/crew/*; repeat for each
    #[arg(long, value_name = "PATTERN", required = true, value_delimiter = ',')]
    claimers: Vec<String>,
    /// The time after which a claim lapses: 30m, 4h; 0s for never (default: 4h)
    #[arg(long, value_name = "TIME")]
    timeout: Option<SignedDuration>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let created = queue::create_queue(&town, &args.name, &args.claimers, args.timeout)?;
    let beads = town.open_town_store()?.snapshot()?;
    let counts = queue::count_messages(&beads, created, town.clock.now());
    build_report(counts, super::write_queue)
}
