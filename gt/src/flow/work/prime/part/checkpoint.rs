//! Formats the state of the last session on this work.

use kit::ui::escape;

use super::foreign::quote_lines;
use super::{ContextPart, PartPointer, PartRoom};
use crate::flow::agent::checkpoint::{Checkpoint, SessionRemains};

/// The number of changed files that are listed.
const MAX_FILES: usize = 10;

/// Formats the checkpoint of the same work.
pub(in crate::flow::work::prime) fn checkpoint_part(found: &Checkpoint) -> ContextPart {
    let mut text = format!(
        "# Where the last session stood ({})\n\n",
        escape::escape_line(&found.timestamp)
    );
    let lines = [
        ("Branch", &found.branch),
        ("Last commit", &found.last_commit),
        ("Molecule", &found.molecule_id),
        ("Step", &found.current_step),
        ("Step title", &found.step_title),
    ];
    for (name, value) in lines.iter().filter(|(_, value)| !value.is_empty()) {
        text.push_str(&format!("{name}: {}\n", escape::escape_line(value)));
    }
    if !found.modified_files.is_empty() {
        text.push_str("Not committed then:\n");
        text.push_str(&quote_lines(
            found
                .modified_files
                .iter()
                .take(MAX_FILES)
                .map(String::as_str),
        ));
        let more = found.modified_files.len().saturating_sub(MAX_FILES);
        if more > 0 {
            text.push_str(&format!("… and {more} more\n"));
        }
    }
    if !found.notes.trim().is_empty() {
        text.push_str("Its notes:\n");
        text.push_str(&quote_lines(found.notes.trim().lines()));
    }
    ContextPart::fixed("checkpoint", crate::flow::agent::checkpoint::FILE, text).with_room(
        PartRoom {
            most: 1536,
            least: 300,
            rank: 2,
            pointer: PartPointer::Command("gt checkpoint show"),
        },
    )
}

/// Formats the traces of a killed session.
pub(in crate::flow::work::prime) fn session_remains_part(found: &SessionRemains) -> ContextPart {
    let mut text = "# What the last session left\n\n".to_owned();
    let how = match &found.how {
        None => String::new(),
        Some(how) => format!(" ({})", escape::escape_line(how)),
    };
    text.push_str(&format!("It ended in the middle of the work{how}.\n"));
    let lists = [
        ("Its commits, oldest first", &found.commits),
        ("Not committed", &found.files),
        ("The last tools that it used", &found.tools),
    ];
    for (name, list) in lists.iter().filter(|(_, list)| !list.is_empty()) {
        text.push_str(&format!("{name}:\n"));
        text.push_str(&quote_lines(
            list.iter().take(MAX_FILES).map(String::as_str),
        ));
        if list.len() > MAX_FILES {
            text.push_str(&format!("… and {} more\n", list.len() - MAX_FILES));
        }
    }
    ContextPart::fixed("left", "sandbox and hooks of the last session", text).with_room(PartRoom {
        most: 1536,
        least: 300,
        rank: 2,
        pointer: PartPointer::Command("gt why {}"),
    })
}
