//! `gt checkpoint`: where a session stands, for the next one on the same work.

mod clear;
mod show;
mod write;

use clap::{Args, Subcommand};

use super::Answer;
use crate::cli::context::Context;

/// Write down where you stand, for the next session on the same work.
///
/// It is written by itself before a compaction and at the end of a session; write it yourself to add what only you know.
/// The next session's context tells of it while it is younger than a day.
#[derive(Debug, Args)]
pub(super) struct CheckpointArgs {
    #[command(subcommand)]
    command: CheckpointCommand,
}

#[derive(Debug, Subcommand)]
enum CheckpointCommand {
    Write(write::WriteArgs),
    /// Show the checkpoint of this work tree.
    #[command(alias = "read")]
    Show,
    /// Forget the checkpoint of this work tree.
    Clear,
}

pub(super) fn run(ctx: &Context, args: CheckpointArgs) -> Answer {
    match args.command {
        CheckpointCommand::Write(args) => write::run(ctx, args),
        CheckpointCommand::Show => show::run(ctx),
        CheckpointCommand::Clear => clear::run(ctx),
    }
}
