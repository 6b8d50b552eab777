use std::collections::BTreeSet;
use std::path::PathBuf;

use super::dep;
use crate::context::Context;
use bd::change::{self, NewIds};
use bd::store::Store;
use kit::cli::report::{CommandResult, build_report};
use kit::ui::counted;

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
        kit::bail_usage!("{} has that id already", args.id);
    }
    if args.new.contains(' ') {
        let new = &args.new;
        kit::bail_usage!(
            "invalid ID \"{new}\"; bd update {} --title \"{new}\" sets a new title",
            args.id
        );
    }
    let store = ctx.store_for_id(&args.id)?;
    let (old, count) = store.transact(&ctx.author(), &ctx.clock, |tx| {
        let old = dep::resolve_dep_end(tx, &args.id, "issue")?;
        let count = change::rename_beads(tx, &NewIds::from([(old.clone(), args.new.clone())]))?;
        tx.describe("rename", "");
        Ok((old, count))
    })?;
    let ids = NewIds::from([(old.clone(), args.new.clone())]);
    let count = count + rename_references_elsewhere(ctx, &store, &ids)?;
    let report = kit::report_value! { old_id: old, new_id: args.new, references_updated: count };
    build_report(report, |report, page| {
        let count = match report.references_updated {
            0 => String::new(),
            count => format!(" ({} updated)", counted(count, "reference")),
        };
        page.line(format!(
            "Renamed {} -> {}{count}",
            report.old_id, report.new_id
        ));
    })
}

/// Changes the references to renamed beads in the other stores of the town, such as those of
/// convoys. Returns the number of beads that refer to one.
pub(super) fn rename_references_elsewhere(
    ctx: &Context,
    store: &Store,
    ids: &NewIds,
) -> anyhow::Result<usize> {
    let routes = ctx.routes(store.dir());
    let dirs: BTreeSet<PathBuf> = routes
        .all()
        .iter()
        .filter_map(|route| routes.dir_of(route))
        .collect();
    let mut count = 0;
    for dir in dirs.iter().filter(|dir| dir.as_path() != store.dir()) {
        count += ctx.open(dir)?.transact(&ctx.author(), &ctx.clock, |tx| {
            tx.describe("rename", "");
            Ok(change::rename_references(tx, ids)?)
        })?;
    }
    Ok(count)
}
