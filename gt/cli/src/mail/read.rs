//! `gt mail read`.

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::record::mail;
use kit::failure::UsageError;

/// Show a message and mark it as read
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The message's id, or its number in the inbox (1 is the newest); without it, the oldest unread
    /// message
    message: Option<String>,
    /// Leave it unread
    #[arg(long)]
    keep_unread: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let mailbox = super::resolve_mailbox(&town, None)?;
    let beads = town.open_town_store()?.snapshot()?;
    let unread = || {
        let inbox = mail::list_inbox(&beads, &mailbox);
        inbox.into_iter().rfind(|message| !message.read)
    };
    let message = match &args.message {
        Some(message) => mail::find_message(&beads, &mailbox, message)?,
        None => unread().ok_or_else(|| {
            UsageError("no message is unread; name one:\n  gt mail inbox".to_owned())
        })?,
    };
    // The mail of another agent stays unread for its recipient.
    let is_own = beads
        .get(&message.id)
        .is_some_and(|bead| mail::may_change(bead, &town.actor));
    if is_own && !args.keep_unread && !message.read {
        mail::mark_read(&town, std::slice::from_ref(&message.id))?;
    }
    build_report(message, super::write_message)
}
