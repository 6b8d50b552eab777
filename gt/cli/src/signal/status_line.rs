//! `gt signal status-line`.

use kit::ui::escape::escape_line;

use super::super::agent_event::AgentEvent;
use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::agent::seance::window::{UsageWindow, record_claude_windows};

/// Record how much of its usage windows an account has used
///
/// Claude Code runs it as its status line, which shows what it prints. It never fails.
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    let input = AgentEvent::read();
    let town = ctx.open_town();
    // The next call of a session reports the windows again.
    let windows = town.and_then(|town| record_claude_windows(&town, input.value()));
    build_report(windows.unwrap_or_else(|_| Vec::new()), |windows, page| {
        let shown: Vec<String> = windows.iter().map(describe_use).collect();
        page.line(escape_line(&shown.join(" · ")));
    })
}

fn describe_use(window: &UsageWindow) -> String {
    let length = window.describe_length();
    format!("{length} window: {:.0} % used", window.used_percent)
}
