//! Describes the work and the unread mail of a session's agent, for the status line of tmux.

use kit::ui::cut::first_characters;
use kit::ui::escape::escape_line;
use kit::ui::time::format_ago;

use crate::record::{hook, mail};
use crate::town::Town;
use crate::town::identity::SessionName;

/// The maximum number of characters of a title.
const MAX_TITLE: usize = 40;

/// Returns the text for a session. Empty for a session of no agent.
pub fn describe_session(town: &Town, session: &str) -> anyhow::Result<String> {
    let rigs = town.list_rigs()?;
    let rigs = rigs.iter().map(|rig| rig.name());
    let Some(agent) = SessionName::parse_address(session, rigs) else {
        return Ok(String::new());
    };
    let mut parts = Vec::new();
    let hooked = hook::find_hooked_bead(town, &agent).ok();
    if let Some(found) = hooked.and_then(|id| town.find_bead(&id).ok()) {
        let bead = found.bead;
        let title = escape_line(&bead.title);
        let short = first_characters(&title, MAX_TITLE);
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
