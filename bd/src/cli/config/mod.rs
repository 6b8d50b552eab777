//! `bd config`: one file a verb.

mod get;
mod list;
mod set;
mod unset;

use crate::context::Context;

use super::report::Answer;

/// Show and change settings
///
/// A value comes from a flag, an environment variable (`sync.mode` is `BD_SYNC_MODE`), `config.local.yaml`,
/// `config.yaml`, or is built in, in this order.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    Get(get::Args),
    List(list::Args),
    Set(set::Args),
    Unset(unset::Args),
}

pub(super) fn run(ctx: &Context, args: Args) -> Answer {
    match args.verb {
        Verb::Get(args) => get::run(ctx, &args),
        Verb::List(args) => list::run(ctx, &args),
        Verb::Set(args) => set::run(ctx, args),
        Verb::Unset(args) => unset::run(ctx, &args),
    }
}
