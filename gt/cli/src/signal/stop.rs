//! `gt signal stop`.

use serde_json::json;

use super::super::agent_event::AgentEvent;
use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::agent::stop_hook;

/// Remind a stopping agent of new mail and unfinished work
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

/// Prints a decision for the agent program, or nothing: then the session may stop. It never fails.
pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    let event = AgentEvent::read();
    event.record_progress(ctx);
    let reason = find_stop_reason(ctx, &event).ok().flatten();
    let decision = reason.map(|reason| json!({ "decision": "block", "reason": reason }));
    build_report(decision, |decision, page| {
        if let Some(decision) = decision {
            page.line(decision.to_string());
        }
    })
}

fn find_stop_reason(ctx: &Context, event: &AgentEvent) -> anyhow::Result<Option<String>> {
    let town = ctx.open_town()?;
    let is_continuing = event.is_true("stop_hook_active");
    stop_hook::find_continue_reason(&town, event.text_field("session_id"), is_continuing)
}
