//! `gt signal`: what agent programs run at the turns of a session.

mod end;
mod event;
mod stop;

use super::CommandResult;
use super::agent_event::{is_of_copy, nothing};
use crate::context::Context;

/// Answer an agent program's hooks
///
/// Agent programs run these commands at the turns of a session, with their JSON on standard input (docs/RUNTIMES.md).
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

kit::verbs! {
    Verb:
    Event => event,
    Stop => stop,
    End => end,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    if is_of_copy(ctx) {
        return nothing();
    }
    args.verb.run(ctx)
}
