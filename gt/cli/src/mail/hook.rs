//! `gt mail hook`.

use kit::ui::escape;

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::agent::post;
use gt::record::mail;

/// Put a message on your hook, as your next work
///
/// `gt prime` shows it as your assignment. `gt mail archive` ends the work on it.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The message's id, or its number in the inbox (1 is the newest)
    message: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let beads = town.open_town_store()?.snapshot()?;
    let message = mail::find_message(&beads, &town.actor.mailbox(), &args.message)?;
    let hooked = post::hook_mail(&town, &message.id)?;
    build_report(hooked, |message, page| {
        page.line(format!(
            "✓ {} is on your hook: {}",
            message.id,
            escape::escape_line(&message.subject)
        ));
    })
}
