//! `gt namepool`: manages the names of polecats.

mod set;
mod show;
mod themes;

use super::CommandResult;
use crate::context::Context;

/// Show and choose the names of a rig's polecats
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The rig (default: the one around the working directory)
    #[arg(long, global = true)]
    rig: Option<String>,
    #[command(subcommand)]
    verb: Option<NamepoolVerb>,
}

#[derive(Debug, clap::Subcommand)]
enum NamepoolVerb {
    Set(set::Args),
    Themes(themes::Args),
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    match args.verb {
        None => show::run(ctx, args.rig.as_deref()),
        Some(NamepoolVerb::Set(set)) => set::run(ctx, args.rig.as_deref(), &set),
        Some(NamepoolVerb::Themes(args)) => themes::run(ctx, args),
    }
}
