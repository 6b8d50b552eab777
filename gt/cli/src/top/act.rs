//! Runs an action, and describes the result in one line.

use gt::flow::townwide::town_change::TownChange;
use gt::host::LiveTown;
use kit::ui::escape::escape_line;

use super::source::describe_error;
use super::state::ResultLine;

/// Runs a change of the town.
pub(super) fn run_change(town: &LiveTown, change: &TownChange) -> ResultLine {
    match change.apply(town) {
        Ok(text) => ResultLine {
            text: escape_line(&text),
            is_error: false,
        },
        Err(error) => ResultLine {
            text: describe_error(&error),
            is_error: true,
        },
    }
}
