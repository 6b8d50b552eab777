use super::add;
use crate::context::Context;
use bd::change;
use kit::cli::report::{CommandResult, build_confirmation};

/// Link two beads both ways
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The first bead
    #[arg(value_name = "ID")]
    one: String,
    /// The second bead
    #[arg(value_name = "OTHER")]
    other: String,
}

/// Remove the links between two beads
#[derive(Debug, clap::Args)]
pub(crate) struct UnArgs {
    /// The first bead
    #[arg(value_name = "ID")]
    one: String,
    /// The second bead
    #[arg(value_name = "OTHER")]
    other: String,
}

pub(crate) fn run(ctx: &Context, args: &Args) -> CommandResult {
    let (id1, id2) = change_both(ctx, &args.one, &args.other, true)?;
    build_confirmation(
        kit::report_value! { id1, id2, related: true },
        |pair, page| {
            page.line(format!("✓ Linked {} ↔ {}", pair.id1, pair.id2));
        },
    )
}

pub(crate) fn run_unrelate(ctx: &Context, args: &UnArgs) -> CommandResult {
    let (id1, id2) = change_both(ctx, &args.one, &args.other, false)?;
    build_confirmation(
        kit::report_value! { id1, id2, unrelated: true },
        |pair, page| {
            page.line(format!("✓ Unlinked {} ↔ {}", pair.id1, pair.id2));
        },
    )
}

fn change_both(
    ctx: &Context,
    first: &str,
    second: &str,
    add: bool,
) -> anyhow::Result<(String, String)> {
    ctx.check_writable("dep relate")?;
    let store = ctx.store()?;
    store.transact(&ctx.author(), &ctx.clock, |tx| {
        let a = add::resolve_dep_end(tx, first, "issue")?;
        let b = add::resolve_dep_end(tx, second, "issue")?;
        if add {
            change::relate_beads(tx, &a, &b)?;
        } else {
            change::unrelate_beads(tx, &a, &b)?;
        }
        Ok((a, b))
    })
}
