//! Collects the state of a session for its successor: hook, branch, files, mail, work.

use bd::bead::Status;
use kit::ui::escape;

use super::describe_bead;
use crate::record::hook;
use crate::record::mail;
use crate::town;
use crate::town::Town;
use crate::town::identity::Address;
use crate::town::sandbox_git::open_tree;

/// The maximum number of lines per section.
const MAX_LINES: usize = 10;

/// Formats the state of an agent. A part that cannot be read is left out.
pub fn collect_state(town: &Town, agent: &Address) -> anyhow::Result<String> {
    let stores = town.read_stores()?;
    let hook = hook::find_hooked_bead(town, agent)
        .ok()
        .and_then(|id| stores.get(&id).map(describe_bead));
    let unread = mail::list_inbox(&stores.town, &agent.mailbox())
        .iter()
        .filter(|message| !message.read)
        .map(|message| format!("{} {}", message.id, escape::escape_line(&message.subject)))
        .collect();
    let in_progress = std::iter::once(&stores.town)
        .chain(stores.rigs.values())
        .flat_map(|beads| beads.select(|bead| bead.status() == Status::InProgress))
        .filter(|bead| bead.assignee == agent.to_string() || bead.assignee == agent.mailbox())
        .map(describe_bead)
        .collect();
    let sections: [(&str, Vec<String>); 4] = [
        ("On the hook", hook.into_iter().collect()),
        (
            "Where it stands",
            collect_git_state(&town::agent_home(town, agent)),
        ),
        ("Unread mail", unread),
        ("In progress", in_progress),
    ];
    let mut text = String::new();
    for (heading, lines) in sections.iter().filter(|(_, lines)| !lines.is_empty()) {
        text.push_str(&format!("## {heading}\n"));
        for line in lines.iter().take(MAX_LINES) {
            text.push_str(&format!("- {line}\n"));
        }
        if lines.len() > MAX_LINES {
            text.push_str(&format!("- and {} more\n", lines.len() - MAX_LINES));
        }
        text.push('\n');
    }
    Ok(text.trim_end().to_owned())
}

/// Returns the branch and the changed files of a worktree.
fn collect_git_state(home: &std::path::Path) -> Vec<String> {
    if !home.join(".git").exists() {
        return Vec::new();
    }
    let Ok(git) = open_tree(home) else {
        return Vec::new();
    };
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
