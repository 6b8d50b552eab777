//! `gt mail mark-read`.

use super::super::CommandResult;
use crate::context::Context;
use gt::record::mail;

/// Mark messages as read
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Their ids, or their numbers in the inbox (1 is the newest)
    #[arg(required_unless_present = "all", conflicts_with = "all")]
    messages: Vec<String>,
    /// All unread messages of the inbox
    #[arg(long, short)]
    all: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let messages = if args.all {
        let town = ctx.open_town()?;
        let beads = town.open_town_store()?.snapshot()?;
        mail::list_inbox(&beads, &town.actor.mailbox())
            .into_iter()
            .filter(|message| !message.read)
            .map(|message| message.id)
            .collect()
    } else {
        args.messages
    };
    super::change_messages(ctx, &messages, "is read", |town, ids| {
        mail::mark_read(town, ids)
    })
}
