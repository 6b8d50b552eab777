//! `gt mail search`.

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::record::mail::{self, MailSearch};

/// Find messages by their text
///
/// The text is searched literally and in any case, in subject and text.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The text to find
    text: String,
    /// Only messages whose sender has this text in its address
    #[arg(long, default_value = "", hide_default_value = true)]
    from: String,
    /// Search only the subjects
    #[arg(long, conflicts_with = "body")]
    subject: bool,
    /// Search only the texts
    #[arg(long)]
    body: bool,
    /// Also search archived messages
    #[arg(long)]
    archive: bool,
    /// The mailbox (default: yours)
    #[arg(long, visible_alias = "address")]
    identity: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let mailbox = super::resolve_mailbox(&town, args.identity.as_deref())?;
    let search = MailSearch {
        text: args.text,
        from: args.from,
        in_subject: !args.body,
        in_body: !args.subject,
        archived: args.archive,
    };
    let beads = town.open_town_store()?.snapshot()?;
    let found = mail::search_mailbox(&beads, &mailbox, &search);
    build_report(found, |found, page| {
        if found.is_empty() {
            page.line("no message has this text");
        }
        for message in found {
            super::write_message_line("", message, page);
        }
    })
}
