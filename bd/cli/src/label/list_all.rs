use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::context::Context;
use kit::cli::report::{CommandResult, TextReport};
use kit::ui::escape;

/// List all labels with their number of beads
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(super) fn run(ctx: &Context, _args: &Args) -> CommandResult {
    let snapshot = ctx.store()?.snapshot()?;
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let live = snapshot.bead_refs().filter(|bead| !bead.is_tombstone());
    for label in live.flat_map(|bead| bead.labels()) {
        *counts.entry(label).or_default() += 1;
    }
    let value: Value = counts
        .iter()
        .map(|(label, count)| json!({"label": label, "count": count}))
        .collect();
    let lines = counts
        .iter()
        .map(|(label, count)| format!("  {} ({count})", escape::escape_line(label)));
    TextReport::lines(value, lines.collect()).into_answer()
}
