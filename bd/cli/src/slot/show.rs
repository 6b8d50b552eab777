use crate::context::Context;
use bd::change::AgentSlot;
use kit::cli::report::{CommandResult, build_report};

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
    let read_slot = |slot: AgentSlot| {
        let bead = slot.bead_of(agent);
        (!bead.is_empty()).then(|| bead.to_owned())
    };
    let slots = kit::report_value! {
        hook: read_slot(AgentSlot::Hook), role: read_slot(AgentSlot::Role)
    };
    build_report(
        kit::report_value! { agent: agent.id.clone(), slots },
        |report, page| {
            page.line(format!("Agent: {}", report.agent));
            for (name, bead) in [("hook", &report.slots.hook), ("role", &report.slots.role)] {
                page.line(format!(
                    "  {name}: {}",
                    bead.as_deref().unwrap_or("(empty)")
                ));
            }
        },
    )
}
