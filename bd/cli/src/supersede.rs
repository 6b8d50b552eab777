use serde_json::json;

use crate::context::Context;
use bd::bead::DepKind;
use bd::change;

use super::dep;
use kit::cli::report::{CommandResult, TextReport};

/// Close a bead that another one replaces
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The old bead
    #[arg(value_name = "ID")]
    id: String,
    /// The new bead
    #[arg(long, value_name = "ID")]
    with: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    ctx.check_writable("supersede")?;
    let store = ctx.store_for_id(&args.id)?;
    let (id, new) = store.transact(&ctx.author(), &ctx.clock, |tx| {
        let id = dep::resolve_dep_end(tx, &args.id, "bead")?;
        let new = dep::resolve_dep_end(tx, &args.with, "replacement")?;
        let reason = format!("Superseded by {new}");
        change::replace_bead(tx, &id, &new, DepKind::Supersedes, &reason)?;
        Ok((id, new))
    })?;
    let value = json!({"superseded": id, "replacement": new, "status": "closed"});
    TextReport::new(
        value,
        format!("✓ Marked {id} as superseded by {new} (closed)"),
    )
    .into_answer()
}
