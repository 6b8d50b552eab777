//! `gt mail peek`.

use kit::ui::escape;

use super::super::{CommandResult, build_report, build_report_with_exit};
use crate::context::Context;
use gt::record::mail;

/// Show the newest unread message and leave it unread
///
/// Without unread mail it prints nothing and exits with 1.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The mailbox (default: yours)
    #[arg(long, visible_alias = "address")]
    identity: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    /// The length at which the text is cut.
    const MAX_LENGTH: usize = 500;
    let town = ctx.open_town()?;
    let mailbox = super::resolve_mailbox(&town, args.identity.as_deref())?;
    let mut messages = mail::list_inbox(&town.open_town_store()?.snapshot()?, &mailbox);
    messages.retain(|message| !message.read);
    if messages.is_empty() {
        return build_report_with_exit(1, (), |(), _| {});
    }
    build_report(messages.swap_remove(0), |message, page| {
        let mut shown = message.clone();
        if let Some((end, _)) = shown.body.char_indices().nth(MAX_LENGTH) {
            shown.body.truncate(end);
            shown.body.push('…');
        }
        super::write_message(&shown, page);
        if shown.body != message.body {
            page.line(escape::escape_line(&format!("gt mail read {}", message.id)));
        }
    })
}
