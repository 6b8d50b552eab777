//! `gt session-restart`: what `gt handoff` starts beside the session that it ends.

use super::{Answer, answer};
use crate::context::Context;
use gt::flow::handoff;
use gt::town::event::Event;

/// End the session of an agent and start the next one
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The agent
    agent: String,
}

pub(crate) fn run(ctx: &Context, args: Args) -> Answer {
    let town = ctx.town()?;
    let agent = town.address(&args.agent)?;
    let session = handoff::renew(&town, &agent).inspect_err(|error| {
        town.tell(&Event::HandoffFailed {
            agent: agent.to_string(),
            why: format!("{error:#}"),
        });
    })?;
    answer(session, |session, page| {
        page.line(format!("session {session} started"));
    })
}
