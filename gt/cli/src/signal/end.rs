//! `gt signal end`.

use serde_json::json;

use super::super::agent_event::AgentEvent;
use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::checkpoint;
use gt::town::event::event;

/// Save the state of a session that ends
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

/// Saves what the next session needs; prints nothing.
pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let event = AgentEvent::read();
    let (session, reason) = (event.text_field("session_id"), event.text_field("reason"));
    let actor = town.actor.to_string();
    town.record_event(&event!(SessionEnd,
        session_id: session, reason: reason, role: town.actor.role(), actor: actor,
    ));
    checkpoint::save_session_state(&town, &town.actor, session)?;
    build_report(json!({ "session_id": session }), |_, _| {})
}
