//! `gt nudge`.

use super::broadcast::report_broadcast;
use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::agent::broadcast;
use gt::flow::agent::nudge::{NudgeReport, nudge_agent, nudge_unless_muted, queue_nudge};
use gt::flow::agent::session::show;
use gt::town::identity::Address;

/// Type a message into an agent's session
///
/// A muted agent (`gt dnd`) gets it as mail for its next turn instead. A nudge channel of
/// config/messaging.json reaches each of its agents with a running session.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The agent: RIG/NAME, RIG/crew/NAME, mayor, ...; or channel:NAME, a nudge channel
    agent: String,
    /// The message
    #[arg(required_unless_present = "text")]
    message: Vec<String>,
    /// The message, as an option
    #[arg(
        short = 'm',
        long = "message",
        value_name = "MESSAGE",
        conflicts_with = "message"
    )]
    text: Option<String>,
    /// Also type it into the session of a muted agent
    #[arg(short, long)]
    force: bool,
    /// immediate types it now; queue keeps it as mail for the agent's next turn
    #[arg(long, value_enum, default_value_t = NudgeMode::Immediate)]
    mode: NudgeMode,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum NudgeMode {
    #[value(alias = "wait-idle")]
    Immediate,
    Queue,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let message = args.text.unwrap_or_else(|| args.message.join(" "));
    if let Some(channel) = args.agent.strip_prefix("channel:") {
        return report_broadcast(broadcast::nudge_channel(&town, channel, &message)?);
    }
    let agent = town.parse_agent(&args.agent)?;
    if args.mode == NudgeMode::Queue {
        let kept = queue_nudge(&town, &agent, &message, "reads it at its next turn")?;
        return build_report(kept, |kept, page| {
            page.line(format!("✓ {} {}", kept.agent, kept.how));
        });
    }
    // Agents of the original nudge the deacon at each start.
    if agent == Address::Deacon && show::find_session(&town, &agent)?.is_none() {
        let unread = NudgeReport {
            agent: agent.to_string(),
            session: Some(show::session_name_of(&agent)?.to_string()),
            delivered: false,
            how: "has no session: the daemon does its work",
            kept: None,
        };
        return build_report(unread, |unread, page| {
            page.line(format!("○ {} {}", unread.agent, unread.how));
        });
    }
    if matches!(agent, Address::Polecat(..)) {
        show::check_session(&town, &agent, &message)?;
    }
    let nudged = if args.force {
        nudge_agent(&town, &agent, &message)?
    } else {
        nudge_unless_muted(&town, &agent, &message)?
    };
    build_report(nudged, |nudged, page| {
        page.line(format!("✓ {} {}", nudged.agent, nudged.how));
    })
}
