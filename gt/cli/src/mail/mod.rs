//! `gt mail`: sends and reads durable messages.

mod archive;
mod check;
mod delete;
mod inbox;
mod mark_read;
mod mark_unread;
mod read;
mod reply;
mod send;

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::host::LiveTown;
use gt::record::mail;
use gt::town::Town;

kit::family! {
    /// Send and read mail
    Args:
    Send => send,
    Inbox => inbox,
    #[command(alias = "show")]
    Read => read,
    Reply => reply,
    Archive => archive,
    Delete => delete,
    #[command(alias = "ack")]
    MarkRead => mark_read,
    MarkUnread => mark_unread,
    Check => check,
}

#[derive(serde::Serialize)]
struct ChangedMessages {
    changed: Vec<String>,
}

/// Changes messages and reports their ids. Each is given by its id or by its number in the caller's
/// inbox.
fn change_messages(
    ctx: &Context,
    which: &[String],
    done: &'static str,
    act: impl Fn(&LiveTown, &[String]) -> anyhow::Result<()>,
) -> CommandResult {
    let town = ctx.open_town()?;
    let mailbox = town.actor.mailbox();
    let messages = mail::find_messages(&town.open_town_store()?.snapshot()?, &mailbox, which)?;
    let changed: Vec<String> = messages.into_iter().map(|message| message.id).collect();
    act(&town, &changed)?;
    build_report(ChangedMessages { changed }, move |report, page| {
        for id in &report.changed {
            page.line(format!("✓ {id} {done}"));
        }
    })
}

/// Returns the mailbox of an address, or the caller's own.
fn resolve_mailbox(town: &Town, text: Option<&str>) -> anyhow::Result<String> {
    Ok(match text {
        Some(text) => town.parse_address(text)?.mailbox(),
        None => town.actor.mailbox(),
    })
}
