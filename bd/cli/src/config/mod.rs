//! `bd config`: one file per subcommand.

mod get;
mod list;
mod set;
mod set_many;
mod unset;
mod validate;

use crate::context::Context;
use kit::cli::report::CommandResult;

/// Show and change settings
///
/// The first source that has a value applies: a flag, an environment variable (`sync.mode` is
/// `BD_SYNC_MODE`), `config.local.yaml`, `config.yaml`, the built-in value. Settings that name a
/// program (gate.*-command, mail.delegate) count in your own ~/.config/bd/config.yaml instead of the
/// files of the project.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: ConfigCommand,
}

#[derive(Debug, clap::Subcommand)]
enum ConfigCommand {
    Get(get::Args),
    #[command(alias = "show")]
    List(list::Args),
    Set(set::Args),
    SetMany(set_many::Args),
    Unset(unset::Args),
    Validate(validate::Args),
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    match args.verb {
        ConfigCommand::Get(args) => get::run(ctx, &args),
        ConfigCommand::List(args) => list::run(ctx, &args),
        ConfigCommand::Set(args) => set::run(ctx, args),
        ConfigCommand::SetMany(args) => set_many::run(ctx, &args),
        ConfigCommand::Unset(args) => unset::run(ctx, &args),
        ConfigCommand::Validate(_) => validate::run(ctx),
    }
}
