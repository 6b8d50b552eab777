use serde_json::{Value, json};

use crate::context::Context;
use bd::change::AgentSlot;

use super::SlotName;
use kit::cli::report::{CommandResult, TextReport};

/// Print the content of a slot; nothing if it is empty
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The agent
    #[arg(value_name = "AGENT")]
    one: String,
    /// The slot
    #[arg(value_name = "SLOT")]
    slot: SlotName,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let snapshot = ctx.store_for_id(&args.one)?.snapshot()?;
    let agent = snapshot.resolve(&args.one)?;
    let content = match args.slot {
        SlotName::Hook => AgentSlot::Hook.bead_of(agent).to_owned(),
        SlotName::Role => AgentSlot::Role.bead_of(agent).to_owned(),
        SlotName::DelegatedFrom => match agent.metadata_object().get(args.slot.as_str()) {
            Some(Value::String(text)) => text.clone(),
            Some(value) => value.to_string(),
            None => String::new(),
        },
    };
    let value = json!({"agent": agent.id, "slot": args.slot.as_str(), "bead": content});
    TextReport::new(value, content).into_answer()
}
