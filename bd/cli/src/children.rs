use super::list;
use crate::context::Context;
use kit::cli::report::CommandResult;

/// List the open children of a bead
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The parent
    #[arg(value_name = "ID")]
    id: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    list::run(ctx, list::Args::children_of(args.id.clone()))
}
