//! `gt signal end`.

use serde_json::json;

use super::super::agent_event::AgentEvent;
use super::super::{Answer, answer};
use crate::context::Context;
use gt::flow::checkpoint;
use gt::town::event::Event;

/// Save the state of a session that ends
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

/// Saves what the next session needs; prints nothing.
pub(super) fn run(ctx: &Context, _args: Args) -> Answer {
    let town = ctx.town()?;
    let event = AgentEvent::read();
    let (session, reason) = (event.field("session_id"), event.field("reason"));
    town.tell(&Event::SessionEnd {
        session_id: session.to_owned(),
        reason: reason.to_owned(),
        role: town.actor.role().to_owned(),
        actor: town.actor.to_string(),
    });
    checkpoint::save(&town, &town.actor, session)?;
    answer(json!({ "session_id": session }), |_, _| {})
}
