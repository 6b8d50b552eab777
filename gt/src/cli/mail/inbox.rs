//! `gt mail inbox`.

use bd::ui::escape;

use super::super::{Answer, answer};
use crate::cli::context::Context;
use crate::record::mail::{self, Message};

/// List the messages of a mailbox, newest first
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The mailbox (default: yours)
    address: Option<String>,
    /// Only unread messages
    #[arg(short, long)]
    unread: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> Answer {
    let town = ctx.town()?;
    let mailbox = super::mailbox(&town, args.address.as_deref())?;
    let mut messages = mail::inbox(&town.store()?.snapshot()?, &mailbox);
    if args.unread {
        messages.retain(|message| !message.read);
    }
    answer(messages, move |messages, page| {
        let unread = messages.iter().filter(|message| !message.read).count();
        page.line(format!(
            "{mailbox}: {}, {unread} unread",
            bd::ui::counted(messages.len(), "message")
        ));
        for (number, message) in messages.iter().enumerate() {
            line(number + 1, message, page);
        }
    })
}

fn line(number: usize, message: &Message, page: &mut bd::ui::Page) {
    let mark = if message.read { "○" } else { "●" };
    let urgent = if message.priority == "urgent" {
        " !"
    } else {
        ""
    };
    page.cut_line(format!(
        "{number:>3}. {mark}{urgent} {}",
        escape::line(&message.subject)
    ));
    page.line(format!(
        "       {} from {}, {}",
        message.id,
        escape::line(&message.from),
        page.when(&message.timestamp)
    ));
}
