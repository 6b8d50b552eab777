use serde_json::json;

use crate::context::Context;
use bd::bead::DepKind;
use bd::change;

use super::dep;
use kit::cli::report::{CommandResult, TextReport};

/// Close a bead as a duplicate of another
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The duplicate
    #[arg(value_name = "ID")]
    id: String,
    /// The bead that stays
    #[arg(long, value_name = "ID")]
    of: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    ctx.check_writable("duplicate")?;
    let store = ctx.store_for_id(&args.id)?;
    let (id, canonical) = store.transact(&ctx.author(), &ctx.clock, |tx| {
        let id = dep::resolve_dep_end(tx, &args.id, "bead")?;
        let canonical = dep::resolve_dep_end(tx, &args.of, "canonical")?;
        let reason = format!("Duplicate of {canonical}");
        change::replace_bead(tx, &id, &canonical, DepKind::Duplicates, &reason)?;
        Ok((id, canonical))
    })?;
    let value = json!({"duplicate": id, "canonical": canonical, "status": "closed"});
    TextReport::new(
        value,
        format!("✓ Marked {id} as duplicate of {canonical} (closed)"),
    )
    .into_answer()
}
