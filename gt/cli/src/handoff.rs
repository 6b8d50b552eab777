//! `gt handoff`.

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::agent::handoff::{self, HandoffError, HandoffReport, HandoffRequest};
use gt::town::permission::check_session_of;

/// Replace a session by a fresh one of the same agent
///
/// For a session whose context is full. Hook, branch and files stay, uncommitted work is saved to a
/// snapshot, and the next session gets the handoff note in its context, once. Commands after this
/// one in the old session may not run any more.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The agent (default: you)
    agent: Option<String>,
    /// The subject of the note
    #[arg(short, long, default_value = "", hide_default_value = true)]
    subject: String,
    /// The text of the note
    #[arg(short, long, default_value = "", hide_default_value = true)]
    message: String,
    /// Add hook, branch, changed files, unread mail and work in progress to the note
    #[arg(short, long)]
    collect: bool,
    /// Only print the note
    #[arg(short = 'n', long)]
    dry_run: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let agent = match &args.agent {
        Some(text) => town.parse_agent(text)?,
        None => town.actor.clone(),
    };
    check_session_of(&town.actor, &agent)?;
    let mut request = HandoffRequest {
        subject: args.subject,
        message: args.message,
    };
    if args.collect {
        let state = handoff::collect_state(&town, &agent)?;
        let parts: Vec<&str> = [request.message.trim_end(), state.as_str()]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect();
        request.message = parts.join("\n\n---\n\n");
    }
    if args.dry_run {
        return build_report(request.message, |text, page| {
            for line in text.lines() {
                page.line(kit::ui::escape::escape_line(line));
            }
        });
    }
    let done = handoff::hand_off(&town, &agent, &request).map_err(|error| match error {
        HandoffError::Other(error) => error,
        error => error.into(),
    })?;
    build_report(done, write_report)
}

fn write_report(done: &HandoffReport, page: &mut kit::ui::Page) {
    page.line(format!(
        "✓ the session of {} ends, the next one starts",
        done.agent
    ));
    if let Some(message) = &done.message {
        page.line(format!("  message to it: {message}"));
    }
}
