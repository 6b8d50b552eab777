//! Collects the state of a session for its successor: hook, branch, files, mail, work.

use bd::bead::Status;
use bd::git::Git;
use kit::ui::escape;

use super::describe_bead;
use crate::record::hook;
use crate::record::mail;
use crate::town;
use crate::town::Town;
use crate::town::identity::Address;

/// The maximum number of lines per section.
const MAX_LINES: usize = 10;

/// Formats the state of an agent. A part that cannot be read is left out.
pub fn collect_state(town: &Town, agent: &Address) -> anyhow::Result<String> {
    let stores = town.read_stores()?;
    let mut text = String::new();
    let mut section = |heading: &str, lines: Vec<String>| {
        if lines.is_empty() {
            return;
        }
        text.push_str(&format!("## {heading}\n"));
        let more = lines.len().saturating_sub(MAX_LINES);
        for line in lines.into_iter().take(MAX_LINES) {
            text.push_str(&format!("- {line}\n"));
        }
        if more > 0 {
            text.push_str(&format!("- and {more} more\n"));
        }
        text.push('\n');
    };
    let hook = hook::find_hooked_bead(town, agent)
        .ok()
        .and_then(|id| stores.get(&id).map(describe_bead));
    section("On the hook", hook.into_iter().collect());
    section(
        "Where it stands",
        collect_git_state(&town::agent_home(town, agent)),
    );
    let messages = mail::list_inbox(&stores.town, &agent.mailbox());
    let unread = messages.iter().filter(|message| !message.read);
    let unread =
        unread.map(|message| format!("{} {}", message.id, escape::escape_line(&message.subject)));
    section("Unread mail", unread.collect());
    let all = std::iter::once(&stores.town).chain(stores.rigs.values());
    let going_on = all.flat_map(|beads| beads.select(|bead| bead.status() == Status::InProgress));
    section(
        "In progress",
        going_on
            .filter(|bead| bead.assignee == agent.to_string() || bead.assignee == agent.mailbox())
            .map(describe_bead)
            .collect(),
    );
    Ok(text.trim_end().to_owned())
}

/// Returns the branch and the changed files of a worktree.
fn collect_git_state(home: &std::path::Path) -> Vec<String> {
    if !home.join(".git").exists() {
        return Vec::new();
    }
    let git = Git::at(home);
    let mut lines = Vec::new();
    if let Ok(Some(branch)) = git.head_branch() {
        lines.push(format!("branch {}", escape::escape_line(&branch)));
    }
    if let Ok(changes) = git.status() {
        let changed = changes.iter().map(|change| {
            format!(
                "not committed: {}",
                escape::escape_line(&change.display_path())
            )
        });
        lines.extend(changed);
    }
    lines
}
