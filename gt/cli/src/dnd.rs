//! `gt dnd`.

use super::CommandResult;
use super::notify::report_level;
use crate::context::Context;
use gt::record::notification_level::NotificationLevel;

/// Mute the nudges of an agent, or end that
///
/// A muted agent gets nudges as mail, which its next turn shows. Same as `gt notify muted` and `gt
/// notify normal`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// on, off or status; without it, the state is switched
    #[arg(value_parser = ["on", "off", "status"])]
    state: Option<String>,
    /// The agent (default: you)
    #[arg(long, value_name = "ADDRESS")]
    agent: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    report_level(&town, args.agent.as_deref(), |before| {
        match args.state.as_deref() {
            Some("on") => Some(NotificationLevel::Muted),
            Some("off") => Some(NotificationLevel::Normal),
            Some(_) => None,
            None if before == NotificationLevel::Muted => Some(NotificationLevel::Normal),
            None => Some(NotificationLevel::Muted),
        }
    })
}
