use super::each;
use super::report::confirm_changes;
use crate::context::Context;
use bd::bead::{Stamp, Status};
use bd::change::{self, BeadEdit};
use kit::cli::report::CommandResult;

/// Defer beads
///
/// Deferred beads are not ready until `bd undefer`. --until sets the time from which they are ready
/// again.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The beads
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
    /// Defer until this time
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    until: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    ctx.check_writable("defer")?;
    each::resolve_all(ctx, &args.ids)?;
    let until = args
        .until
        .as_deref()
        .map(|text| ctx.parse_time("--until", text))
        .transpose()?;
    let edit = BeadEdit {
        status: Some(Status::Deferred),
        defer_until: until.map(|until| Some(Stamp::from(until))),
        ..BeadEdit::default()
    };
    let beads = each::change_each(ctx, "deferring", &args.ids, |tx, id| {
        change::update_bead(tx, id, edit.clone())
    })?;
    confirm_changes(beads, |bead| format!("* Deferred {}", bead.id))
}
