use super::SlotName;
use crate::context::Context;
use kit::cli::report::CommandResult;

/// Empty a slot
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
    super::put_into_slot(ctx, &args.one, args.slot, None)
}
