//! `gt mail channel`: manages channels and shows their messages.

mod create;
mod delete;
mod list;
mod show;
mod subscribe;
mod subscribers;
mod unsubscribe;

use kit::ui::{Page, escape};

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::record::mail::channel::{self, MailChannel};
use gt::town::Town;

/// Manage channels, or show the messages of one
///
/// A message to channel:NAME stays in the channel for the retention of the channel, and each
/// subscriber gets a copy. `gt mail channel NAME` shows the messages and marks them as read by you.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct Args {
    /// The channel whose messages are shown
    name: Option<String>,
    /// Only unread messages
    #[arg(short, long, requires = "name")]
    unread: bool,
    /// Leave the messages unread
    #[arg(long, requires = "name")]
    keep_unread: bool,
    #[command(subcommand)]
    verb: Option<Verb>,
}

kit::verbs! {
    Verb:
    Create => create,
    #[command(alias = "ls")]
    List => list,
    Show => show,
    Subscribe => subscribe,
    Unsubscribe => unsubscribe,
    Subscribers => subscribers,
    #[command(alias = "rm")]
    Delete => delete,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    if let Some(verb) = args.verb {
        return verb.run(ctx);
    }
    let Some(name) = args.name else {
        return list::list_channels(ctx);
    };
    let town = ctx.open_town()?;
    let beads = town.open_town_store()?.snapshot()?;
    let channel = channel::get_channel(&beads, name.trim_start_matches("channel:"))?;
    let now = town.clock.now();
    let mut messages = channel::list_channel_messages(&beads, &channel, &town.actor, now);
    let unread: Vec<String> = messages
        .iter()
        .filter(|message| !message.read)
        .map(|message| message.id.clone())
        .collect();
    if args.unread {
        messages.retain(|message| !message.read);
    }
    if !args.keep_unread {
        channel::mark_channel_read(&town, &unread, &town.actor)?;
    }
    build_report(messages, move |messages, page| {
        page.line(format!(
            "{}: {}, {} unread",
            channel.name,
            kit::ui::counted(messages.len(), "message"),
            unread.len()
        ));
        for message in messages {
            super::write_message_line("", message, page);
        }
    })
}

fn write_channel(channel: &MailChannel, page: &mut Page) {
    let subscribers = kit::ui::counted(channel.subscribers.len(), "subscriber");
    let kept = match (channel.retention_count, channel.retention_hours) {
        (0, 0) => "keeps all messages".to_owned(),
        (count, 0) => format!("keeps the newest {count}"),
        (0, hours) => format!("keeps {hours} hours"),
        (count, hours) => format!("keeps the newest {count} for {hours} hours"),
    };
    page.line(format!(
        "{}  {}, {subscribers}, {kept}",
        escape::escape_line(&channel.name),
        escape::escape_line(&channel.status)
    ));
}

#[derive(serde::Serialize)]
struct SubscriptionReport {
    channel: String,
    agent: String,
    subscribed: bool,
    /// True if the agent was not subscribed before, or was until now.
    changed: bool,
}

/// Adds the caller to the subscribers of a channel, or removes it.
fn change_subscription(town: &Town, name: &str, is_subscribed: bool) -> CommandResult {
    let changed = channel::set_subscribed(town, name, &town.actor, is_subscribed)?;
    let report = SubscriptionReport {
        channel: name.to_owned(),
        agent: town.actor.mailbox(),
        subscribed: is_subscribed,
        changed,
    };
    build_report(report, |report, page| {
        let agent = &report.agent;
        let channel = &report.channel;
        let state = match (report.subscribed, report.changed) {
            (true, true) => "gets the messages of",
            (true, false) => "already gets the messages of",
            (false, true) => "no longer gets the messages of",
            (false, false) => "does not get the messages of",
        };
        page.line(format!("✓ {agent} {state} {channel}"));
    })
}
