//! `gt mail reply`.

use super::super::CommandResult;
use crate::context::Context;
use gt::flow::agent::post;
use gt::record::escalation::Escalation;
use gt::record::mail;
use kit::cli::offer;

/// Answer a message
///
/// The reply goes to its sender, in the same thread, and the message counts as read.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The message's id, or its number in the inbox (1 is the newest)
    message: String,
    /// The text
    text: Option<String>,
    /// The subject (default: that of the message)
    #[arg(short, long)]
    subject: Option<String>,
    /// The text, as an option
    #[arg(short = 'm', long = "message", alias = "body", conflicts_with = "text")]
    body: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let mailbox = town.actor.mailbox();
    let beads = town.open_town_store()?.snapshot()?;
    let text = args.text.or(args.body);
    let text = text.as_deref().unwrap_or("");
    if let Some(escalation) = beads.get(&args.message).and_then(Escalation::from_bead) {
        let text = if text.is_empty() { "TEXT" } else { text };
        let line = ["gt", "escalate", "resolve", &escalation.id, text].map(str::to_owned);
        kit::bail_usage!(
            "{} is an escalation, and its answer resolves it:\n  {}",
            escalation.id,
            offer::write_line(&line)
        );
    }
    let message = mail::find_message(&beads, &mailbox, &args.message)?;
    let subject = args.subject.as_deref();
    super::report_posted(post::post_reply(&town, &message, subject, text)?)
}
