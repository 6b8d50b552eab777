//! `gt checkpoint write`.

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::agent::checkpoint::{self, CheckpointNotes};

/// Write a checkpoint of branch, files and your notes
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Add notes for the next session
    #[arg(short, long, default_value = "", hide_default_value = true)]
    notes: String,
    /// The molecule that you work through
    #[arg(long, default_value = "", hide_default_value = true)]
    molecule: String,
    /// The current step of the molecule
    #[arg(long, default_value = "", hide_default_value = true)]
    step: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let session = ctx.env.get("CLAUDE_SESSION_ID").unwrap_or("");
    let words = CheckpointNotes {
        notes: args.notes,
        molecule: args.molecule,
        step: args.step,
    };
    let written = checkpoint::record_checkpoint(&town, &town.actor, session, Some(words))?;
    build_report(written, |written, page| {
        page.line(format!(
            "✓ checkpoint {}: {} not committed",
            page.relative_time(&written.timestamp),
            kit::ui::counted(written.modified_files.len(), "file")
        ));
    })
}
