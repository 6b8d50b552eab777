//! `gt mail`: sends and reads durable messages.

mod announces;
mod archive;
mod channel;
mod check;
mod claim;
mod clear;
mod delete;
mod directory;
mod drain;
mod forward;
mod group;
mod hook;
mod inbox;
mod mark_read;
mod mark_unread;
mod peek;
mod queue;
mod read;
mod release;
mod reply;
mod search;
mod send;
mod thread;

use kit::ui::{Page, escape};

use super::{CommandResult, build_report, build_report_with_exit};
use crate::context::Context;
use gt::flow::agent::post::PostedMail;
use gt::host::LiveTown;
use gt::record::mail::{self, MailMessage};
use gt::town::Town;

kit::family! {
    /// Send and read mail
    Args:
    Send => send,
    Inbox => inbox,
    #[command(alias = "show")]
    Read => read,
    Peek => peek,
    Reply => reply,
    Forward => forward,
    Thread => thread,
    Search => search,
    Archive => archive,
    Delete => delete,
    Clear => clear,
    Drain => drain,
    #[command(alias = "ack")]
    MarkRead => mark_read,
    MarkUnread => mark_unread,
    Check => check,
    Hook => hook,
    Claim => claim,
    Release => release,
    #[command(alias = "groups")]
    Group => group,
    #[command(alias = "queues")]
    Queue => queue,
    #[command(alias = "channels")]
    Channel => channel,
    Announces => announces,
    #[command(visible_alias = "dir", alias = "addresses")]
    Directory => directory,
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
        if report.changed.is_empty() {
            page.line("no messages");
        }
        for id in &report.changed {
            page.line(format!("✓ {id} {done}"));
        }
    })
}

/// Returns the mailbox of an address, or the caller's own.
fn resolve_mailbox(town: &Town, text: Option<&str>) -> anyhow::Result<String> {
    Ok(match text {
        Some(text) => town.parse_agent(text)?.mailbox(),
        None => town.actor.mailbox(),
    })
}

/// Reports a sent message: its recipients, and each difference to what the sender wrote.
fn report_posted(posted: PostedMail) -> CommandResult {
    let exit = u8::from(posted.acknowledged == Some(false));
    build_report_with_exit(exit, posted, |posted, page| {
        page.line(format!(
            "✓ {} to {}: {}",
            posted.id,
            escape::escape_line(&posted.to),
            escape::escape_line(&posted.subject)
        ));
        if !posted.recipients.is_empty() {
            page.line(format!("  recipients: {}", posted.recipients.join(", ")));
        }
        if let Some(address) = &posted.addressed_to {
            page.line(format!(
                "  {} reads it, because no agent plays {address}",
                posted.to
            ));
        }
        if let Some(rule) = posted.handled_by {
            page.line(format!(
                "  archived: the rule {rule} of the patrol does what it asks for"
            ));
        }
        if !posted.skipped.is_empty() {
            let skipped = escape::escape_line(&posted.skipped.join(", "));
            page.line(format!("  left out, because not found: {skipped}"));
        }
        if !posted.nudged.is_empty() {
            page.line(format!("  nudged: {}", posted.nudged.join(", ")));
        }
        match posted.acknowledged {
            Some(true) => page.line("  read by each recipient"),
            Some(false) => page.line("  not read by each recipient in time"),
            None => {}
        }
    })
}

/// Writes a message with its header.
fn write_message(message: &MailMessage, page: &mut Page) {
    let line = escape::escape_line;
    page.line(format!("Subject: {}", line(&message.subject)));
    page.line(format!("From:    {}", line(&message.from)));
    page.line(format!("To:      {}", line(&message.to)));
    if let Some(address) = &message.addressed_to {
        page.line(format!("For:     {}", line(address)));
    }
    if !message.cc.is_empty() {
        page.line(format!("Cc:      {}", line(&message.cc.join(", "))));
    }
    if let Some(claimant) = &message.claimed_by {
        page.line(format!("Claimed: by {}", line(claimant)));
    }
    page.line(format!(
        "Date:    {}   Id: {}",
        page.relative_time(&message.timestamp),
        message.id
    ));
    if !message.body.is_empty() {
        page.blank();
        page.line(escape::escape_block(message.body.trim_end()));
    }
}

/// Writes a message of a list: its subject, then id, sender and age.
pub(super) fn write_message_line(number: &str, message: &MailMessage, page: &mut Page) {
    let mark = match (message.archived, message.read) {
        (true, _) => "–",
        (false, true) => "○",
        (false, false) => "●",
    };
    let urgent = if message.priority == "urgent" {
        " !"
    } else {
        ""
    };
    page.cut_line(format!(
        "{number:>4} {mark}{urgent} {}",
        escape::escape_line(&message.subject)
    ));
    let addressed = message.addressed_to.as_ref();
    let addressed = addressed.map_or(String::new(), |address| {
        format!(" for {}", escape::escape_line(address))
    });
    page.line(format!(
        "       {} from {}{addressed}, {}",
        message.id,
        escape::escape_line(&message.from),
        page.relative_time(&message.timestamp)
    ));
}
