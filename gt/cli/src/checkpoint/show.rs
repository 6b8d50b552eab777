//! `gt checkpoint show`.

use kit::ui::escape;

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::agent::checkpoint;

/// Show the checkpoint of this work tree
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

/// Prints it.
pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let found = checkpoint::read_checkpoint(&town, &town.actor)?;
    build_report(found, |found, page| {
        let Some(found) = found else {
            page.line("no checkpoint is written here");
            return;
        };
        page.line(format!("written {}", page.relative_time(&found.timestamp)));
        let lines = [
            ("bead", &found.hooked_bead),
            ("branch", &found.branch),
            ("commit", &found.last_commit),
            ("molecule", &found.molecule_id),
            ("step", &found.current_step),
            ("title", &found.step_title),
            ("session", &found.session_id),
        ];
        for (name, value) in lines.iter().filter(|(_, value)| !value.is_empty()) {
            page.line(format!("  {name}: {}", escape::escape_line(value)));
        }
        for file in &found.modified_files {
            page.line(format!("  not committed: {}", escape::escape_line(file)));
        }
        for line in found.notes.lines() {
            page.line(format!("  > {}", escape::escape_line(line)));
        }
    })
}
