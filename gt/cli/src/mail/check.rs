//! `gt mail check`.

use super::super::agent_event::{AgentEvent, is_session_copy};
use super::super::{CommandResult, build_empty_report, build_report};
use crate::context::Context;
use gt::record::mail::{self, MailMessage, NAMED_MESSAGES};

/// Show whether there is unread mail
///
/// With `--inject` an agent CLI runs it at each prompt, with its JSON on standard input. It then
/// prints nothing without mail, else a reminder for the agent: each message once per session, later
/// only the number of unread messages. It then never fails.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Print a reminder for the agent, and nothing without mail
    #[arg(long)]
    inject: bool,
    /// With `--inject`: print the reminder as JSON, for agent CLIs that take no plain text
    #[arg(long, requires = "inject")]
    context_json: bool,
    /// The mailbox (default: yours)
    #[arg(long, visible_alias = "address")]
    identity: Option<String>,
}

#[derive(Default, serde::Serialize)]
struct MailCheckReport {
    address: String,
    unread: usize,
    has_new: bool,
    /// Messages that this session has not been notified of.
    #[serde(skip)]
    news: Vec<MailMessage>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    if args.inject && is_session_copy(ctx) {
        return build_empty_report();
    }
    let event = if args.inject {
        AgentEvent::read()
    } else {
        AgentEvent::default()
    };
    let found = check_mail(ctx, &args, &event);
    if args.inject {
        // A hook must not fail: the agent would not start its turn.
        let found = found.unwrap_or_else(|_| MailCheckReport::default());
        let text = build_reminder(&found);
        return build_report(found, move |_, page| match text.as_str() {
            "" => {}
            text if args.context_json => page.line(event.context_json(text)),
            text => page.line(text),
        });
    }
    build_report(found?, |found, page| match found.unread {
        0 => page.line("no unread mail"),
        1 => page.line("1 unread message"),
        n => page.line(format!("{n} unread messages")),
    })
}

fn check_mail(ctx: &Context, args: &Args, event: &AgentEvent) -> anyhow::Result<MailCheckReport> {
    let town = ctx.open_town()?;
    let address = super::resolve_mailbox(&town, args.identity.as_deref())?;
    let mut messages = mail::list_inbox(&town.open_town_store()?.snapshot()?, &address);
    messages.retain(|message| !message.read);
    let news = if args.inject {
        event.record_progress(ctx);
        let session = mail::notified_session(&town, event.text_field("session_id"));
        let news = mail::take_new_messages(&town.layout, &address, &session, &messages, |_| true);
        // Without a record, only the number of messages is reported.
        let news = news.unwrap_or_else(|_| Vec::new());
        news.into_iter().cloned().collect()
    } else {
        Vec::new()
    };
    Ok(MailCheckReport {
        address,
        unread: messages.len(),
        has_new: !messages.is_empty(),
        news,
    })
}

/// Returns the reminder for an agent. Empty without new mail.
fn build_reminder(found: &MailCheckReport) -> String {
    if found.unread == 0 {
        return String::new();
    }
    let count = format!(
        "You have {}",
        kit::ui::counted(found.unread, "unread message")
    );
    let mut lines = vec!["<system-reminder>".to_owned()];
    if found.news.is_empty() {
        lines.push(format!("{count}: gt mail inbox"));
    } else {
        lines.push(format!("{count} (gt mail read <id>); new ones:"));
    }
    for message in found.news.iter().take(NAMED_MESSAGES) {
        let line = format!("- {}", message.describe());
        lines.push(line.replace('<', "‹").replace('>', "›"));
    }
    if found.news.len() > NAMED_MESSAGES {
        lines.push(format!("- and {} more", found.news.len() - NAMED_MESSAGES));
    }
    lines.push("</system-reminder>".to_owned());
    lines.join("\n")
}
