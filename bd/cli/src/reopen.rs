use crate::context::Context;
use bd::change;

use super::each;
use super::report::confirm_changes;
use kit::cli::report::{CommandResult, TextReport};
use kit::ui::escape;
use serde_json::Value;

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
    if let Some(reason) = args.reason.filter(|_| !ctx.ui.is_json()) {
        let line = |bead: &bd::bead::Bead| {
            format!("↻ Reopened {}: {}", bead.id, escape::escape_line(&reason))
        };
        let lines = beads.iter().map(line).collect();
        return TextReport::lines(Value::Null, lines).into_answer();
    }
    confirm_changes(beads, |bead| format!("↻ Reopened {}", bead.id))
}
