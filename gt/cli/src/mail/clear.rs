//! `gt mail clear`.

use super::super::{CommandResult, build_report};
use super::ChangedMessages;
use crate::context::Context;
use gt::record::mail::{self, MailRemoval};

/// Archive all messages of an inbox, except pinned ones
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The mailbox (default: yours)
    address: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let mailbox = super::resolve_mailbox(&town, args.address.as_deref())?;
    let mut messages = mail::list_inbox(&town.open_town_store()?.snapshot()?, &mailbox);
    messages.retain(|message| !message.pinned);
    let changed: Vec<String> = messages.into_iter().map(|message| message.id).collect();
    mail::remove_messages(&town, &changed, MailRemoval::Archived)?;
    build_report(ChangedMessages { changed }, move |report, page| {
        let count = kit::ui::counted(report.changed.len(), "message");
        page.line(format!("✓ {mailbox}: {count} archived"));
    })
}
