use serde_json::Value;

use super::SlotName;
use crate::context::Context;
use bd::change::AgentSlot;
use kit::cli::report::{CommandResult, build_report};

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
    let report = kit::report_value! {
        agent: agent.id.clone(), slot: args.slot.as_str(), bead: content
    };
    build_report(report, |slot, page| page.line(&slot.bead))
}
