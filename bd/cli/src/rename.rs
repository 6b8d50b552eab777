use serde_json::json;

use crate::context::Context;
use bd::change::{self, NewIds};
use kit::failure::UsageError;
use kit::ui::counted;

use super::dep;
use kit::cli::report::{CommandResult, TextReport};

/// Change the id of a bead
///
/// Updates the edges and texts that name the bead. The old id becomes free.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The bead
    #[arg(value_name = "ID")]
    id: String,
    /// The new id
    #[arg(value_name = "NEW")]
    new: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    ctx.check_writable("rename")?;
    if args.id == args.new {
        return Err(UsageError(format!("{} has that id already", args.id)).into());
    }
    if args.new.contains(' ') {
        let new = &args.new;
        let text = format!(
            "invalid ID \"{new}\"; bd update {} --title \"{new}\" sets a new title",
            args.id
        );
        return Err(UsageError(text).into());
    }
    let store = ctx.store_for_id(&args.id)?;
    let (old, count) = store.transact(&ctx.author(), &ctx.clock, |tx| {
        let old = dep::resolve_dep_end(tx, &args.id, "bead")?;
        let count = change::rename_beads(tx, &NewIds::from([(old.clone(), args.new.clone())]))?;
        tx.describe("rename", "");
        Ok((old, count))
    })?;
    let value = json!({"old_id": old, "new_id": args.new, "references_updated": count});
    let mut line = format!("Renamed {old} -> {}", args.new);
    if count > 0 {
        line.push_str(&format!(" ({} updated)", counted(count, "reference")));
    }
    TextReport::new(value, line).into_answer()
}
