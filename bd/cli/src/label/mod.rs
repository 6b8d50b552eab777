//! `bd label`: one file a verb.

mod add;
mod list;
mod list_all;
mod remove;

pub(super) use add::{added, refuse_reserved};

use crate::context::Context;

use kit::cli::report::CommandResult;

/// Add, remove and list labels
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    Add(add::Args),
    #[command(visible_alias = "rm")]
    Remove(remove::Args),
    List(list::Args),
    ListAll(list_all::Args),
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    match args.verb {
        Verb::Add(args) => add::run(ctx, args),
        Verb::Remove(args) => remove::run(ctx, args),
        Verb::List(args) => list::run(ctx, &args),
        Verb::ListAll(args) => list_all::run(ctx, &args),
    }
}
