//! `gt status-line`: the text at the right of a session's status line in tmux.

use kit::ui::escape::escape_line;
use kit::ui::time::format_ago;

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::record::{hook, mail};
use gt::town::Town;
use gt::town::identity::{Address, SessionName};

/// The maximum number of characters of a title.
const TITLE: usize = 40;

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
    let town = ctx.open_town()?;
    let rigs = town.list_rigs()?;
    let rigs = rigs.iter().map(|rig| rig.name());
    let agent = SessionName::parse_address(&args.session, rigs);
    let text = match agent {
        Some(agent) => describe_agent(&town, &agent)?,
        None => String::new(),
    };
    build_report(StatusLineReport { text }, |report, page| {
        page.line(&report.text);
    })
}

fn describe_agent(town: &Town, agent: &Address) -> anyhow::Result<String> {
    let mut parts = Vec::new();
    let hooked = hook::find_hooked_bead(town, agent).ok();
    if let Some(found) = hooked.and_then(|id| town.find_bead(&id).ok()) {
        let bead = found.bead;
        let title = escape_line(&bead.title);
        let short: String = title.chars().take(TITLE).collect();
        let cut = if short.len() < title.len() { "…" } else { "" };
        let since = format_ago(town.clock.now(), bead.updated_at.instant());
        let since = since.trim_end_matches(" ago");
        parts.push(format!("🪝 {} {short}{cut} {since}", bead.id));
    }
    let beads = town.open_town_store()?.snapshot()?;
    let unread = mail::count_unread(&beads, &agent.mailbox());
    if unread > 0 {
        parts.push(format!("📬 {unread}"));
    }
    // tmux expands `#` in the text.
    Ok(parts.join(" | ").replace('#', "##"))
}
