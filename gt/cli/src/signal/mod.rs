//! `gt signal`: the commands that agent programs run at the turns of a session.

mod end;
mod event;
mod status_line;
mod stop;

use super::agent_event::is_session_copy;
use super::{CommandResult, build_empty_report};
use crate::context::Context;

/// Answer an agent program's hooks
///
/// Agent programs run these commands at the turns of a session, with their JSON on standard input
/// (docs/RUNTIMES.md).
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
    StatusLine => status_line,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    if is_session_copy(ctx) {
        return build_empty_report();
    }
    args.verb.run(ctx)
}
