//! `gt namepool`: where polecats get their names.

mod set;
mod show;
mod themes;

use clap::Subcommand;

use super::Answer;
use crate::cli::context::Context;

/// Show and choose where a rig's polecats get their names.
#[derive(Debug, clap::Args)]
pub(super) struct NamepoolArgs {
    /// The rig; the one you are in where none is given.
    #[arg(long, global = true)]
    rig: Option<String>,
    #[command(subcommand)]
    command: Option<NamepoolCommand>,
}

#[derive(Debug, Subcommand)]
enum NamepoolCommand {
    Set(set::SetArgs),
    /// List the themes.
    Themes,
}

pub(super) fn run(ctx: &Context, args: &NamepoolArgs) -> Answer {
    match &args.command {
        None => show::run(ctx, args.rig.as_deref()),
        Some(NamepoolCommand::Set(set)) => set::run(ctx, args.rig.as_deref(), set),
        Some(NamepoolCommand::Themes) => themes::run(),
    }
}
