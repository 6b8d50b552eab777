use super::report::confirm_changes;
use super::{args, each};
use crate::context::Context;
use bd::change::{self, BeadEdit};
use kit::cli::report::CommandResult;

/// Change the priority of a bead
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The bead
    #[arg(value_name = "ID")]
    id: String,
    /// The priority (0-4 or P0-P4)
    #[arg(value_name = "N")]
    priority: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    ctx.check_writable("priority")?;
    let priority = Some(args::parse_priority_arg(&args.priority)?);
    let beads = each::change_each(ctx, "updating", &[args.id], |tx, id| {
        change::update_bead(
            tx,
            id,
            BeadEdit {
                priority,
                ..BeadEdit::default()
            },
        )
    })?;
    confirm_changes(beads, |bead| {
        format!("✓ Set priority of {} to P{}", bead.id, bead.priority)
    })
}
