//! `gt daemon`: the town's daemon, gtd.

mod install;
mod logs;
mod start;
mod status;
mod stop;

use clap::{Args, Subcommand};

use super::Answer;
use crate::cli::context::Context;

/// Start, stop and look at the town's daemon.
#[derive(Debug, Args)]
pub(super) struct DaemonArgs {
    #[command(subcommand)]
    command: DaemonCommand,
}

#[derive(Debug, Subcommand)]
enum DaemonCommand {
    /// Start the daemon, detached from this terminal.
    Start,
    /// Stop the daemon. Sessions go on: they do not need it.
    Stop,
    /// Say whether the daemon runs and how it is.
    Status,
    Logs(logs::LogsArgs),
    /// Write the systemd user unit of this town's daemon, and say how to enable it.
    Install,
}

pub(super) fn run(ctx: &Context, args: &DaemonArgs) -> Answer {
    match &args.command {
        DaemonCommand::Start => start::run(ctx),
        DaemonCommand::Stop => stop::run(ctx),
        DaemonCommand::Status => status::run(ctx),
        DaemonCommand::Logs(args) => logs::run(ctx, args),
        DaemonCommand::Install => install::run(ctx),
    }
}
