use super::move_::{self, MoveReport};
use crate::context::Context;
use kit::cli::report::{CommandResult, build_confirmation};

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
    let refiled = MoveReport {
        deps_remapped: None,
        ..moved
    };
    build_confirmation(refiled, MoveReport::write)
}
