use serde_json::json;

use crate::context::Context;

use super::move_;
use kit::cli::report::CommandResult;

/// Move a bead to another rig, without its edges
///
/// Creates the bead in the other rig and closes it here. As JSON: `{source, target, closed}`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The bead
    #[arg(value_name = "ID")]
    id: String,
    /// The rig, by its name or its prefix
    #[arg(value_name = "RIG")]
    rig: String,
    /// Leave the bead here open
    #[arg(long)]
    keep_open: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    ctx.check_writable("refile")?;
    let moved = move_::relocate_bead(ctx, &args.id, &args.rig, args.keep_open, false)?;
    let json = json!({"source": moved.source, "target": moved.target, "closed": moved.closed});
    moved.into_answer(json)
}
