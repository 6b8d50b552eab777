use super::super::each;
use super::super::report::confirm_changes;
use crate::context::Context;
use bd::change;
use kit::cli::report::CommandResult;

/// Open gates
///
/// Unblocks the steps behind the gates. The list of waiters stays in the bead.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The gates
    #[arg(value_name = "ID", required = true)]
    ids: Vec<String>,
    /// The reason
    #[arg(short, long, value_name = "TEXT", default_value = "Resolved")]
    reason: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    ctx.check_writable("gate resolve")?;
    for id in &args.ids {
        super::find_gate(&ctx.store_for_id(id)?.snapshot()?, id)?;
    }
    let session = ctx.author().session;
    let beads = each::change_each(ctx, "resolving", &args.ids, |tx, id| {
        change::close_bead(tx, id, &args.reason, &session, true)
    })?;
    confirm_changes(beads, |bead| {
        format!("✓ Gate resolved: {} ({})", bead.id, bead.close_reason)
    })
}
