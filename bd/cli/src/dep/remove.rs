use super::add;
use crate::context::Context;
use bd::change;
use kit::cli::report::{CommandResult, build_confirmation};

/// Remove the edge between two beads, of any type
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The dependent bead
    #[arg(value_name = "ID")]
    from: String,
    /// The bead it depends on
    #[arg(value_name = "ON")]
    to: String,
}

pub(super) fn run(ctx: &Context, args: &Args) -> CommandResult {
    ctx.check_writable("dep remove")?;
    let store = ctx.store_for_id(&args.from)?;
    let edge = store.transact(&ctx.author(), &ctx.clock, |tx| {
        let from = add::resolve_dep_end(tx, &args.from, "issue")?;
        // An edge to a bead that is not in this store is removed by the id in the edge.
        let is_known = tx.get(&from).is_some_and(|bead| {
            bead.dependencies
                .iter()
                .any(|edge| edge.depends_on_id == args.to)
        });
        let to = if is_known {
            args.to.clone()
        } else {
            add::resolve_dep_end(tx, &args.to, "dependency")?
        };
        change::remove_dep(tx, &from, &to)?;
        Ok(kit::report_value! { status: "removed", issue_id: from, depends_on_id: to })
    })?;
    build_confirmation(edge, |edge, page| {
        let from = &edge.issue_id;
        let to = &edge.depends_on_id;
        page.line(format!(
            "✓ Removed dependency: {from} no longer depends on {to}"
        ));
    })
}
