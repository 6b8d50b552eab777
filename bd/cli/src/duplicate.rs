use super::dep;
use crate::context::Context;
use bd::bead::DepKind;
use bd::change;
use kit::cli::report::{CommandResult, build_confirmation};

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
    let report = store.transact(&ctx.author(), &ctx.clock, |tx| {
        let duplicate = dep::resolve_dep_end(tx, &args.id, "issue")?;
        let canonical = dep::resolve_dep_end(tx, &args.of, "canonical")?;
        let reason = format!("Duplicate of {canonical}");
        change::replace_bead(tx, &duplicate, &canonical, DepKind::Duplicates, &reason)?;
        Ok(kit::report_value! { duplicate, canonical, status: "closed" })
    })?;
    build_confirmation(report, |report, page| {
        let id = &report.duplicate;
        let canonical = &report.canonical;
        page.line(format!(
            "✓ Marked {id} as duplicate of {canonical} (closed)"
        ));
    })
}
