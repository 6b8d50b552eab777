//! `gt nudge`.

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::nudge::{NudgeReport, nudge_agent};
use gt::flow::session::show;
use gt::town::identity::Address;

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
    let agent = town.parse_agent(&args.agent)?;
    let message = args.text.unwrap_or_else(|| args.message.join(" "));
    // Agents of the original nudge the deacon at each start.
    if agent == Address::Deacon && show::find_session(&town, &agent)?.is_none() {
        let unread = NudgeReport {
            agent: agent.to_string(),
            session: show::session_name_of(&agent)?.to_string(),
            delivered: false,
            how: "has no session: the daemon does its work",
        };
        return build_report(unread, |unread, page| {
            page.line(format!("○ {} {}", unread.agent, unread.how));
        });
    }
    let nudged = nudge_agent(&town, &agent, &message)?;
    build_report(nudged, |nudged, page| {
        page.line(format!("✓ {} {}", nudged.agent, nudged.how));
    })
}
