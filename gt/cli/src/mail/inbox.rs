//! `gt mail inbox`.

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::agent::recipient::find_recipient;
use gt::record::mail;

/// List the messages of a mailbox, newest first
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The mailbox (default: yours)
    address: Option<String>,
    /// Only unread messages
    #[arg(short, long)]
    unread: bool,
    /// Also list archived messages
    #[arg(short, long, conflicts_with = "unread")]
    all: bool,
    /// The mailbox, as an option
    #[arg(long, visible_alias = "address", conflicts_with = "address")]
    identity: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let address = args.identity.or(args.address);
    let mailbox = super::resolve_mailbox(&town, address.as_deref())?;
    let beads = town.open_town_store()?.snapshot()?;
    let mut messages = if args.all {
        mail::list_with_archived(&beads, &mailbox)
    } else {
        mail::list_inbox(&beads, &mailbox)
    };
    // Mail of a worker that is gone can still be read.
    if messages.is_empty() {
        find_recipient(&town, &mailbox)?;
    }
    // `gt mail read 2` counts in the inbox, independent of the filters here.
    let places: Vec<String> = messages
        .iter()
        .filter(|message| !message.archived)
        .map(|message| message.id.clone())
        .collect();
    if args.unread {
        messages.retain(|message| !message.read);
    }
    build_report(messages, move |messages, page| {
        let unread = messages.iter().filter(|message| !message.read).count();
        page.line(format!(
            "{mailbox}: {}, {unread} unread",
            kit::ui::counted(messages.len(), "message")
        ));
        for message in messages {
            let place = places.iter().position(|id| *id == message.id);
            let number = place.map_or(String::new(), |place| format!("{}.", place + 1));
            super::write_message_line(&number, message, page);
        }
    })
}
