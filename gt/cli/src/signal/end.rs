//! `gt signal end`.

use serde_json::json;

use super::super::agent_event::AgentEvent;
use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::agent::checkpoint;
use gt::town::event::Event;

/// Save the state of a session that ends
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

/// Saves what the next session needs; prints nothing.
pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let event = AgentEvent::read();
    let session = event.text_field("session_id");
    let reason = event.text_field("reason");
    town.record_event(&Event::SessionEnd {
        session_id: session.to_owned(),
        reason: reason.to_owned(),
        role: town.actor.role().to_owned(),
        actor: town.actor.to_string(),
    });
    checkpoint::save_session_state(&town, &town.actor, session)?;
    build_report(json!({ "session_id": session }), |_, _| {})
}
