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
    #[arg(required_unless_present = "text")]
    message: Vec<String>,
    /// The message, as a flag
    #[arg(
        short,
        long = "message",
        hide = true,
        value_name = "TEXT",
        conflicts_with = "message"
    )]
    text: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let agent = town.parse_address(&args.agent)?;
    let message = args.text.unwrap_or_else(|| args.message.join(" "));
    let nudged = nudge_agent(&town, &agent, &message)?;
    build_report(nudged, |nudged, page| {
        page.line(format!("✓ {} {}", nudged.agent, nudged.how));
    })
}
