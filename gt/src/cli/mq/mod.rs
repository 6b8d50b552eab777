//! `gt mq`: the merge queue.

mod list;
mod retry;
mod run;
mod waive;

use clap::{Args, Subcommand};

use super::Answer;
use crate::cli::context::Context;

/// Look at and run a rig's merge queue.
#[derive(Debug, Args)]
pub(super) struct MqArgs {
    #[command(subcommand)]
    command: MqCommand,
}

#[derive(Debug, Subcommand)]
enum MqCommand {
    List(list::ListArgs),
    Run(run::RunArgs),
    Retry(retry::RetryArgs),
    Waive(waive::WaiveArgs),
}

pub(super) fn run(ctx: &Context, args: &MqArgs) -> Answer {
    match &args.command {
        MqCommand::List(args) => list::run(ctx, args),
        MqCommand::Run(args) => run::run(ctx, args),
        MqCommand::Retry(args) => retry::run(ctx, args),
        MqCommand::Waive(args) => waive::run(ctx, args),
    }
}
