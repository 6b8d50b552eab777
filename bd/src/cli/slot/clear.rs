use crate::change::AgentSlot;
use crate::cli::report::Answer;
use crate::context::Context;

/// Empty a slot
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The agent
    #[arg(value_name = "AGENT")]
    one: String,
    /// The slot
    #[arg(value_name = "SLOT")]
    slot: AgentSlot,
}

pub(super) fn run(ctx: &Context, args: Args) -> Answer {
    super::put(ctx, &args.one, args.slot, None)
}
