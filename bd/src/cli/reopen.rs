use crate::change;
use crate::context::Context;

use super::each;
use super::report::{Answer, Changed};

/// Reopen closed beads
///
/// A reason becomes a comment. An open bead stays unchanged.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The beads
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
    /// The reason
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true)]
    reason: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> Answer {
    ctx.may_change("reopen")?;
    each::resolve_all(ctx, &args.ids)?;
    let beads = each::change(ctx, "reopening", &args.ids, |tx, id| {
        change::reopen(tx, id, args.reason.as_deref())
    })?;
    Ok(Box::new(Changed {
        beads,
        line: |bead| format!("↻ Reopened {}", bead.id),
    }))
}
