use super::SlotName;
use crate::context::Context;
use kit::cli::report::CommandResult;

/// Put a bead into a slot
///
/// A hook that holds another bead is not taken: clear it first.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The agent
    #[arg(value_name = "AGENT")]
    one: String,
    /// The slot
    #[arg(value_name = "SLOT")]
    slot: SlotName,
    /// The bead
    #[arg(value_name = "ID")]
    other: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    super::put_into_slot(ctx, &args.one, args.slot, Some(&args.other))
}
