//! `gt nudge`.

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::nudge::nudge_agent;

/// Type a message into an agent's session
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The agent: RIG/NAME, RIG/crew/NAME, mayor, ...
    agent: String,
    /// The message
    #[arg(required = true)]
    message: Vec<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let agent = town.parse_address(&args.agent)?;
    let nudged = nudge_agent(&town, &agent, &args.message.join(" "))?;
    build_report(nudged, |nudged, page| {
        page.line(format!("✓ {} {}", nudged.agent, nudged.how));
    })
}
