//! `gt convoy remove`.

use kit::ui::counted;

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::work::convoy;

/// Take beads out of a convoy
///
/// The beads stay. A convoy with branches of its own keeps the beads that a worker has begun.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The convoy
    convoy: String,
    /// The beads
    #[arg(required = true)]
    beads: Vec<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let id = super::resolve_convoy(&town, &args.convoy)?;
    let removed = convoy::remove_beads(&town, &id, &args.beads)?;
    build_report(removed, |removed, page| {
        page.line(format!(
            "✓ {} no longer tracks {}; it still tracks {}",
            removed.id,
            removed.removed.join(", "),
            counted(removed.left, "bead")
        ));
        if removed.left == 0 {
            page.line("  An empty convoy does not land:");
            page.line(format!("  gt convoy close {}", removed.id));
        }
    })
}
