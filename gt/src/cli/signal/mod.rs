//! `gt signal`: what agent programs run at the turns of a session.

mod end;
mod stop;

use clap::{Args, Subcommand};

use super::Answer;
use super::agent_event::{is_of_copy, nothing};
use crate::cli::context::Context;

/// Answer an agent program's hooks: the end of a turn, the end of a session.
///
/// Not for people: agent programs run these, with their JSON on standard input (docs/RUNTIMES.md).
#[derive(Debug, Args)]
pub(super) struct SignalArgs {
    #[command(subcommand)]
    command: SignalCommand,
}

#[derive(Debug, Subcommand)]
enum SignalCommand {
    /// A turn ended: say what is left to do, once.
    Stop,
    /// A session ends: save what the next one needs.
    End,
}

pub(super) fn run(ctx: &Context, args: &SignalArgs) -> Answer {
    if is_of_copy(ctx) {
        return nothing();
    }
    match args.command {
        SignalCommand::Stop => stop::run(ctx),
        SignalCommand::End => end::run(ctx),
    }
}
