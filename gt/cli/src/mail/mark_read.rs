//! `gt mail mark-read`.

use super::super::CommandResult;
use crate::context::Context;
use gt::record::mail;

/// Mark messages as read
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Their ids, or their numbers in the inbox (1 is the newest)
    #[arg(required = true)]
    messages: Vec<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    super::change_messages(ctx, &args.messages, "is read", |town, ids| {
        mail::mark_read(town, ids)
    })
}
