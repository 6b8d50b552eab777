use super::reassign::confirm_loss_of_work;
use super::report::confirm_changes;
use super::{args, each};
use crate::context::Context;
use bd::change::{self, BeadEdit};
use kit::cli::report::CommandResult;
use kit::ui::escape;

/// Assign a bead
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The bead
    #[arg(value_name = "ID")]
    id: String,
    /// The assignee; `me` is you, `none` removes it
    #[arg(value_name = "NAME")]
    name: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    ctx.check_writable("assign")?;
    let name = args::resolve_assignee(ctx, Some(&args.name));
    let ids = [args.id];
    confirm_loss_of_work(ctx, &ids, name.as_deref())?;
    let beads = each::change_each(ctx, "assigning", &ids, |tx, id| {
        let assignee = name.clone();
        change::update_bead(
            tx,
            id,
            BeadEdit {
                assignee,
                ..BeadEdit::default()
            },
        )
    })?;
    confirm_changes(beads, |bead| match bead.assignee.as_str() {
        "" => format!("✓ Unassigned {}", bead.id),
        name => format!("✓ Assigned {} to {}", bead.id, escape::escape_line(name)),
    })
}
