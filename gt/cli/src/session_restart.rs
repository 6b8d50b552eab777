//! `gt session-restart`: the helper process that `gt handoff` starts, because the session that it
//! restarts ends with all its processes.

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::agent::handoff;
use gt::town::event::Event;
use gt::town::permission::check_session_of;

/// End the session of an agent and start the next one
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The agent
    agent: String,
}

pub(crate) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let agent = town.parse_address(&args.agent)?;
    check_session_of(&town.actor, &agent)?;
    let session = handoff::renew_session(&town, &agent).inspect_err(|error| {
        town.record_event(&Event::HandoffFailed {
            agent: agent.to_string(),
            why: format!("{error:#}"),
        });
    })?;
    build_report(session, |session, page| {
        page.line(format!("session {session} started"));
    })
}
