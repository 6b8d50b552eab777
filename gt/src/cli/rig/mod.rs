//! `gt rig`: the repositories that the town works on.

mod add;
mod list;
mod remove;
mod status;

use clap::Subcommand;

pub(super) use status::{around, wanted};

use super::Answer;
use crate::cli::context::Context;

/// Add, look at and remove rigs: the repositories that the town works on.
#[derive(Debug, clap::Args)]
pub(super) struct RigArgs {
    #[command(subcommand)]
    command: RigCommand,
}

#[derive(Debug, Subcommand)]
enum RigCommand {
    Add(add::AddArgs),
    List(list::ListArgs),
    #[command(alias = "rm")]
    Remove(remove::RemoveArgs),
    Status(status::StatusArgs),
}

pub(super) fn run(ctx: &Context, args: &RigArgs) -> Answer {
    match &args.command {
        RigCommand::Add(args) => add::run(ctx, args),
        RigCommand::List(_) => list::run(ctx),
        RigCommand::Remove(args) => remove::run(ctx, args),
        RigCommand::Status(args) => status::run(ctx, args),
    }
}
