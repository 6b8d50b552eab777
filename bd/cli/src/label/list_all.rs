use std::collections::BTreeMap;

use crate::context::Context;
use kit::cli::report::{CommandResult, build_report};
use kit::ui::escape;

/// List all labels with their number of beads
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    let snapshot = ctx.store()?.snapshot()?;
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for label in snapshot
        .bead_refs()
        .filter(|bead| !bead.is_tombstone())
        .flat_map(|bead| bead.labels())
    {
        *counts.entry(label).or_default() += 1;
    }
    let labels: Vec<_> = counts
        .into_iter()
        .map(|(label, count)| kit::report_value! { label: label.to_owned(), count })
        .collect();
    build_report(labels, |labels, page| {
        for row in labels {
            page.line(format!(
                "  {} ({})",
                escape::escape_line(&row.label),
                row.count
            ));
        }
    })
}
