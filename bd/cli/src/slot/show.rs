use serde_json::json;

use crate::context::Context;
use bd::change::AgentSlot;
use kit::cli::report::{CommandResult, TextReport};

/// Show the slots of an agent
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The agent
    #[arg(value_name = "AGENT")]
    one: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let snapshot = ctx.store_for_id(&args.one)?.snapshot()?;
    let agent = snapshot.resolve(&args.one)?;
    let held = |slot: AgentSlot| Some(slot.bead_of(agent)).filter(|bead| !bead.is_empty());
    let (hook, role) = (held(AgentSlot::Hook), held(AgentSlot::Role));
    let lines = vec![
        format!("Agent: {}", agent.id),
        format!("  hook: {}", hook.unwrap_or("(empty)")),
        format!("  role: {}", role.unwrap_or("(empty)")),
    ];
    let value = json!({"agent": agent.id, "slots": {"hook": hook, "role": role}});
    TextReport::lines(value, lines).into_answer()
}
