//! `gt handoff`.

use super::{Answer, answer};
use crate::cli::context::Context;
use crate::flow::handoff::{self, HandedOff, Request};

/// End a session and start a fresh one of the same agent, with a letter to it.
///
/// For a session whose context is full: hook, branch and files stay as they are, what is not committed is saved, and
/// the next session finds the letter in its context, once. What runs after this command in the old session may not
/// happen any more.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Whose session; yours when left out.
    agent: Option<String>,
    /// What the letter is about.
    #[arg(short, long, default_value = "", hide_default_value = true)]
    subject: String,
    /// What the next session should know.
    #[arg(short, long, default_value = "", hide_default_value = true)]
    message: String,
    /// Add to the letter: hook, branch, changed files, unread mail, work in progress.
    #[arg(short, long)]
    collect: bool,
    /// Show the letter, and do nothing.
    #[arg(short = 'n', long)]
    dry_run: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> Answer {
    let town = ctx.town()?;
    let agent = match &args.agent {
        Some(text) => town.address(text)?,
        None => town.actor.clone(),
    };
    let mut request = Request {
        subject: args.subject,
        message: args.message,
    };
    if args.collect {
        let state = handoff::collect(&town, &agent)?;
        let parts = [request.message.trim_end(), state.as_str()];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        request.message = parts.join("\n\n---\n\n");
    }
    if args.dry_run {
        return answer(request.message, |text, page| {
            for line in text.lines() {
                page.line(bd::ui::escape::line(line));
            }
        });
    }
    let done = handoff::hand_off(&town, &agent, &request)?;
    answer(done, told)
}

fn told(done: &HandedOff, page: &mut bd::ui::Page) {
    page.line(format!(
        "✓ the session of {} ends, the next one starts",
        done.agent
    ));
    if let Some(letter) = &done.letter {
        page.line(format!("  letter to it: {letter}"));
    }
}
