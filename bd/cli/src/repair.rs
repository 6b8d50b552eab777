use super::doctor;
use crate::context::Context;
use kit::cli::report::CommandResult;

/// Repair the beads of a project, as `bd doctor --fix`
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Report the problems without repairing them
    #[arg(long)]
    dry_run: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    doctor::run(ctx, doctor::Args::for_current_project(!args.dry_run))
}
