//! `gt mayor`: the agent that a person talks to about the whole town.

mod attach;
mod start;
mod status;
mod stop;

use clap::Subcommand;

use super::Answer;
use crate::cli::context::Context;

/// Start, visit and stop the mayor: the agent that a person talks to about the whole town.
#[derive(Debug, clap::Args)]
pub(super) struct MayorArgs {
    #[command(subcommand)]
    command: MayorCommand,
}

#[derive(Debug, Subcommand)]
enum MayorCommand {
    #[command(alias = "at")]
    Attach(attach::AttachArgs),
    Start(start::StartArgs),
    /// Say whether the mayor's session runs.
    Status,
    /// End the mayor's session.
    Stop,
}

pub(super) fn run(ctx: &Context, args: &MayorArgs) -> Answer {
    match &args.command {
        MayorCommand::Attach(args) => attach::run(ctx, args),
        MayorCommand::Start(args) => start::run(ctx, args),
        MayorCommand::Status => status::run(ctx),
        MayorCommand::Stop => stop::run(ctx),
    }
}
