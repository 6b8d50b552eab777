//! Where the last session on this work stood.

use bd::ui::escape;

use super::foreign::quoted;
use super::{Part, Pointer, Room};
use crate::flow::checkpoint::Checkpoint;

/// How many changed files are named.
const FILES: usize = 10;

/// The checkpoint of the same work.
pub(in crate::flow::prime) fn checkpoint(found: &Checkpoint) -> Part {
    let mut text = format!(
        "# Where the last session stood ({})\n\n",
        escape::line(&found.timestamp)
    );
    let lines = [
        ("Branch", &found.branch),
        ("Last commit", &found.last_commit),
        ("Molecule", &found.molecule_id),
        ("Step", &found.current_step),
        ("Step title", &found.step_title),
    ];
    for (name, value) in lines.iter().filter(|(_, value)| !value.is_empty()) {
        text.push_str(&format!("{name}: {}\n", escape::line(value)));
    }
    if !found.modified_files.is_empty() {
        text.push_str("Not committed then:\n");
        let files = found.modified_files.iter().take(FILES);
        text.push_str(&quoted(files.map(String::as_str)));
        let more = found.modified_files.len().saturating_sub(FILES);
        if more > 0 {
            text.push_str(&format!("… and {more} more\n"));
        }
    }
    if !found.notes.trim().is_empty() {
        text.push_str("Its notes:\n");
        text.push_str(&quoted(found.notes.trim().lines()));
    }
    Part::fixed("checkpoint", crate::flow::checkpoint::FILE, text).within(Room {
        most: 1536,
        least: 300,
        rank: 2,
        pointer: Pointer::Command("gt checkpoint show"),
    })
}
