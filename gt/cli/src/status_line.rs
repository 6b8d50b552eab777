//! `gt status-line`: the text at the right of a session's status line in tmux.

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::view::status_line;

/// Print the work and the unread mail of a session's agent
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The session
    session: String,
}

#[derive(serde::Serialize)]
struct StatusLineReport {
    text: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let text = status_line::describe_session(&*ctx.open_town()?, &args.session)?;
    build_report(StatusLineReport { text }, |report, page| {
        page.line(&report.text);
    })
}
