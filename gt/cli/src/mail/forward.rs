//! `gt mail forward`.

use super::super::CommandResult;
use crate::context::Context;
use gt::flow::agent::post;
use gt::record::mail;

/// Send a message on to someone else
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The message's id, or its number in the inbox (1 is the newest)
    message: String,
    /// The recipients, as for `gt mail send`
    to: String,
    /// A text above the forwarded one
    #[arg(
        short = 'm',
        long = "message",
        alias = "body",
        default_value = "",
        hide_default_value = true
    )]
    text: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let beads = town.open_town_store()?.snapshot()?;
    let message = mail::find_message(&beads, &town.actor.mailbox(), &args.message)?;
    super::report_posted(post::forward_mail(&town, &message, &args.to, &args.text)?)
}
