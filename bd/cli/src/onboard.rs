use crate::context::Context;
use kit::cli::report::{CommandResult, build_empty_report};

/// Print the section about beads for AGENTS.md
///
/// `bd setup codex` writes it there.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    ctx.ui
        .status("Add this to AGENTS.md, or run: bd setup codex\n");
    ctx.ui.raw(include_str!("../../templates/agents.md"));
    build_empty_report()
}
