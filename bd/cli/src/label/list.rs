use anyhow::Context as _;
use serde_json::json;

use crate::context::Context;
use kit::cli::report::{CommandResult, TextReport};
use kit::ui::escape;

/// List the labels of a bead
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The bead
    #[arg(value_name = "ID")]
    id: String,
}

pub(super) fn run(ctx: &Context, args: &Args) -> CommandResult {
    let snapshot = ctx.store_for_id(&args.id)?.snapshot()?;
    let bead = snapshot
        .resolve(&args.id)
        .with_context(|| format!("resolving {}", args.id))?;
    let mut lines = vec![format!("🏷 Labels for {}:", bead.id)];
    if bead.labels.is_empty() {
        lines = vec![format!("{} has no labels", bead.id)];
    }
    lines.extend(
        bead.labels
            .iter()
            .map(|label| format!("  - {}", escape::escape_line(label))),
    );
    TextReport::lines(json!(bead.labels), lines).into_answer()
}
