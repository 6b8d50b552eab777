use super::each;
use super::report::{confirm_changes, report_changes};
use crate::context::Context;
use bd::change;
use kit::cli::report::CommandResult;

/// Reopen closed beads
///
/// `bd history` shows the reason. An open bead stays unchanged.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The beads
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
    /// The reason
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true)]
    reason: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    ctx.check_writable("reopen")?;
    each::resolve_all(ctx, &args.ids)?;
    let beads = each::change_each(ctx, "reopening", &args.ids, |tx, id| {
        change::reopen_bead(tx, id, args.reason.as_deref())
    })?;
    // `--quiet` leaves out only the line without a reason.
    match args.reason {
        Some(reason) => report_changes(beads, move |bead| {
            format!("↻ Reopened {}: {reason}", bead.id)
        }),
        None => confirm_changes(beads, |bead| format!("↻ Reopened {}", bead.id)),
    }
}
