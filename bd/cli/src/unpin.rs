use super::each;
use super::report::confirm_changes;
use crate::context::Context;
use bd::bead::Status;
use bd::change;
use kit::cli::report::CommandResult;

/// Unpin beads
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The beads
    #[arg(value_name = "ID", required = true)]
    ids: Vec<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    ctx.check_writable("unpin")?;
    let beads = each::change_each(ctx, "unpinning", &args.ids, |tx, id| {
        change::amend_bead(tx, id, |bead| {
            bead.pinned = false;
            // Older clients pin a bead by its status.
            if bead.status == Status::Pinned {
                bead.status = Status::Open;
            }
        })
    })?;
    confirm_changes(beads, |bead| format!("✓ Unpinned {}", bead.id))
}
