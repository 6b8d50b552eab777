//! `gt mail thread`.

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::record::mail;

/// Show a conversation, oldest message first
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The id of the thread or of a message in it, or a number in the inbox
    thread: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let beads = town.open_town_store()?.snapshot()?;
    let id = match args.thread.parse::<usize>() {
        Ok(_) => mail::find_message(&beads, &town.actor.mailbox(), &args.thread)?.id,
        Err(_) => args.thread,
    };
    let messages = mail::list_thread(&beads, &id)?;
    build_report(messages, |messages, page| {
        for (place, message) in messages.iter().enumerate() {
            if place > 0 {
                page.blank();
            }
            super::write_message(message, page);
        }
    })
}
