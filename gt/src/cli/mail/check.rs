//! `gt mail check`.

use bd::ui::escape;
use clap::Args;

use super::super::{Answer, answer};
use crate::context::Context;
use crate::mail::{self, Message};

/// Say whether there is unread mail.
///
/// With `--inject` it is what an agent CLI runs at each prompt: silent without mail, else a reminder for the agent.
/// Then it never fails.
#[derive(Debug, Args)]
pub(super) struct CheckArgs {
    /// Print a reminder for the agent, and nothing without mail.
    #[arg(long)]
    inject: bool,
    /// Whose mailbox; yours when left out.
    #[arg(long)]
    identity: Option<String>,
}

#[derive(serde::Serialize)]
struct Check {
    address: String,
    unread: usize,
    has_new: bool,
    #[serde(skip)]
    messages: Vec<Message>,
}

pub(super) fn run(ctx: &Context, args: &CheckArgs) -> Answer {
    let found = check(ctx, args);
    if args.inject {
        let found = found.unwrap_or_else(|_| Check {
            address: String::new(),
            unread: 0,
            has_new: false,
            messages: Vec::new(),
        });
        return answer(found, inject);
    }
    answer(found?, |found, page| match found.unread {
        0 => page.line("no unread mail"),
        1 => page.line("1 unread message"),
        n => page.line(format!("{n} unread messages")),
    })
}

fn check(ctx: &Context, args: &CheckArgs) -> anyhow::Result<Check> {
    let town = ctx.town()?;
    let address = super::mailbox(&town, args.identity.as_deref())?;
    let mut messages = mail::inbox(&town.store()?.snapshot()?, &address);
    messages.retain(|message| !message.read);
    Ok(Check {
        address,
        unread: messages.len(),
        has_new: !messages.is_empty(),
        messages,
    })
}

fn inject(found: &Check, page: &mut bd::ui::Page) {
    if found.messages.is_empty() {
        return;
    }
    page.line("<system-reminder>");
    page.line(format!(
        "You have {} unread messages (gt mail read <id>):",
        found.unread
    ));
    for message in found.messages.iter().take(10) {
        let (from, subject) = (escape::line(&message.from), escape::line(&message.subject));
        let safe = subject.replace('<', "‹").replace('>', "›");
        page.line(format!("- {} from {from}: {safe}", message.id));
    }
    page.line("</system-reminder>");
}
