use super::each;
use super::report::confirm_changes;
use crate::context::Context;
use bd::bead::Status;
use bd::change::{self, BeadEdit};
use kit::cli::report::CommandResult;

/// Reopen deferred beads
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The beads
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    ctx.check_writable("undefer")?;
    each::resolve_all(ctx, &args.ids)?;
    let edit = BeadEdit {
        status: Some(Status::Open),
        defer_until: Some(None),
        ..BeadEdit::default()
    };
    let beads = each::change_each(ctx, "undeferring", &args.ids, |tx, id| {
        change::update_bead(tx, id, edit.clone())
    })?;
    confirm_changes(beads, |bead| format!("* Undeferred {}", bead.id))
}
