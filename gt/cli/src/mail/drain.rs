//! `gt mail drain`.

use jiff::SignedDuration;

use super::super::{CommandResult, build_report};
use super::ChangedMessages;
use crate::context::Context;
use gt::flow::agent::recipient::find_protocol_rule;
use gt::record::mail::{self, MailRemoval};

/// Archive old reports of the town's protocol
///
/// Archives messages such as POLECAT_DONE and MERGED, whose work the town does without them. Calls
/// for help, handoff notes and pinned messages stay.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only messages of at least this age: 30m, 2h
    #[arg(long, value_name = "AGE", default_value = "30m")]
    max_age: SignedDuration,
    /// Of any age
    #[arg(long)]
    all: bool,
    /// Only show the messages
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// The mailbox (default: yours)
    #[arg(long, visible_alias = "address")]
    identity: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let mailbox = super::resolve_mailbox(&town, args.identity.as_deref())?;
    let now = town.clock.now();
    let mut messages = mail::list_inbox(&town.open_town_store()?.snapshot()?, &mailbox);
    messages.retain(|message| {
        let sent: Option<jiff::Timestamp> = message.timestamp.parse().ok();
        let is_old = sent.is_none_or(|sent| now.duration_since(sent) >= args.max_age);
        let is_report = find_protocol_rule(&message.subject).is_some();
        is_report && !message.pinned && (args.all || is_old)
    });
    let changed: Vec<String> = messages.into_iter().map(|message| message.id).collect();
    if !args.dry_run {
        mail::remove_messages(&town, &changed, MailRemoval::Archived)?;
    }
    let done = if args.dry_run {
        "would be archived"
    } else {
        "archived"
    };
    build_report(ChangedMessages { changed }, move |report, page| {
        for id in &report.changed {
            page.line(format!("✓ {id} {done}"));
        }
        let count = kit::ui::counted(report.changed.len(), "message");
        page.line(format!("{mailbox}: {count} {done}"));
    })
}
