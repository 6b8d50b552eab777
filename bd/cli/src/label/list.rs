use anyhow::Context as _;

use crate::context::Context;
use kit::cli::report::{CommandResult, build_report};
use kit::ui::escape;

/// List the labels of a bead
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The bead
    #[arg(value_name = "ID")]
    id: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let snapshot = ctx.store_for_id(&args.id)?.snapshot()?;
    let bead = snapshot
        .resolve(&args.id)
        .with_context(|| format!("resolving {}", args.id))?;
    let id = bead.id.clone();
    build_report(bead.labels.clone(), move |labels, page| {
        page.line(if labels.is_empty() {
            format!("{id} has no labels")
        } else {
            format!("🏷 Labels for {id}:")
        });
        for label in labels {
            page.line(format!("  - {}", escape::escape_line(label)));
        }
    })
}
