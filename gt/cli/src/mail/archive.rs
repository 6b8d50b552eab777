//! `gt mail archive`.

use super::super::CommandResult;
use crate::context::Context;
use gt::record::mail::{self, MailRemoval};

/// Take messages out of the inbox
///
/// `gt mail inbox --all` still lists them.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Their ids, or their numbers in the inbox (1 is the newest)
    #[arg(required = true)]
    messages: Vec<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    super::change_messages(ctx, &args.messages, "archived", |town, ids| {
        mail::remove_messages(town, ids, MailRemoval::Archived)
    })
}
