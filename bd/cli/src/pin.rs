use super::each;
use super::report::confirm_changes;
use crate::context::Context;
use bd::change;
use kit::cli::report::CommandResult;

/// Pin beads as context, so that they are never ready work
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The beads
    #[arg(value_name = "ID", required = true)]
    ids: Vec<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    ctx.check_writable("pin")?;
    let beads = each::change_each(ctx, "pinning", &args.ids, |tx, id| {
        change::amend_bead(tx, id, |bead| {
            bead.pinned = true;
        })
    })?;
    confirm_changes(beads, |bead| format!("📌 Pinned {}", bead.id))
}
