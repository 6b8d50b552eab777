//! `gt cycle`: switches between sessions.

mod next;
mod prev;

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::agent::session::cycle::{self, CycleDirection};

kit::family! {
    /// Switch to another session of the same group
    ///
    /// The groups are the town's agents, the crew of a rig, its witness and refinery, and its
    /// polecats. In a session, Ctrl-b n and Ctrl-b p do it.
    Args:
    Next => next,
    Prev => prev,
}

/// The session to leave.
#[derive(Debug, clap::Args)]
struct CycleArgs {
    /// The session (default: the one that runs this command)
    #[arg(short, long)]
    session: Option<String>,
    /// The terminal, as tmux names it (default: the one that was used last)
    #[arg(long)]
    client: Option<String>,
}

fn switch_session(ctx: &Context, args: CycleArgs, direction: CycleDirection) -> CommandResult {
    let town = ctx.open_town()?;
    let session = args.session.as_deref();
    let client = args.client.as_deref();
    let found = cycle::switch_to_neighbour(&town, session, client, direction)?;
    build_report(serde_json::json!({ "session": found }), move |_, page| {
        if found.is_none() {
            page.line("no other session of this group runs");
        }
    })
}
