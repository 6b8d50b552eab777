//! `gt signal event`.

use serde_json::Value;

use super::super::agent_event::AgentEvent;
use super::super::{CommandResult, build_report};
use crate::context::Context;

/// Record what an agent program does, asks or is refused
///
/// Agent programs run it after a tool, for a dialog, and when their API refuses. It prints nothing
/// and never fails.
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    AgentEvent::read().record_progress(ctx);
    build_report(Value::Null, |_, _| {})
}
