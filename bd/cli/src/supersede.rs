use super::dep;
use crate::context::Context;
use bd::bead::DepKind;
use bd::change;
use kit::cli::report::{CommandResult, build_confirmation};

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
    let report = store.transact(&ctx.author(), &ctx.clock, |tx| {
        let superseded = dep::resolve_dep_end(tx, &args.id, "issue")?;
        let replacement = dep::resolve_dep_end(tx, &args.with, "replacement")?;
        let reason = format!("Superseded by {replacement}");
        change::replace_bead(tx, &superseded, &replacement, DepKind::Supersedes, &reason)?;
        Ok(kit::report_value! { superseded, replacement, status: "closed" })
    })?;
    build_confirmation(report, |report, page| {
        let id = &report.superseded;
        let new = &report.replacement;
        page.line(format!("✓ Marked {id} as superseded by {new} (closed)"));
    })
}
