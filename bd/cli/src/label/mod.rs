//! `bd label`: one file per subcommand.

mod add;
mod list;
mod list_all;
mod remove;

pub(super) use add::{refuse_reserved, report_added};

use crate::context::Context;
use kit::cli::report::CommandResult;

/// Add, remove and list labels
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: LabelCommand,
}

#[derive(Debug, clap::Subcommand)]
enum LabelCommand {
    Add(add::Args),
    #[command(visible_alias = "rm")]
    Remove(remove::Args),
    List(list::Args),
    ListAll(list_all::Args),
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    match args.verb {
        LabelCommand::Add(args) => add::run(ctx, args),
        LabelCommand::Remove(args) => remove::run(ctx, args),
        LabelCommand::List(args) => list::run(ctx, &args),
        LabelCommand::ListAll(args) => list_all::run(ctx, &args),
    }
}
