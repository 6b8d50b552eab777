//! `gt mail read`.

use kit::ui::escape;

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::record::mail;

/// Show a message and mark it as read
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The message's id, or its number in the inbox (1 is the newest)
    message: String,
    /// Leave it unread
    #[arg(long)]
    keep_unread: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let mailbox = super::resolve_mailbox(&town, None)?;
    let message = mail::find_message(
        &town.open_town_store()?.snapshot()?,
        &mailbox,
        &args.message,
    )?;
    if !args.keep_unread && !message.read {
        mail::mark_read(&town, std::slice::from_ref(&message.id))?;
    }
    build_report(message, |message, page| {
        page.line(format!(
            "Subject: {}",
            escape::escape_line(&message.subject)
        ));
        page.line(format!("From:    {}", escape::escape_line(&message.from)));
        page.line(format!("To:      {}", escape::escape_line(&message.to)));
        page.line(format!(
            "Date:    {}   Id: {}",
            page.relative_time(&message.timestamp),
            message.id
        ));
        if !message.body.is_empty() {
            page.blank();
            page.line(escape::escape_block(message.body.trim_end()));
        }
    })
}
