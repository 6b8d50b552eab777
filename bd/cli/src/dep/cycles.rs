use serde_json::{Value, json};

use crate::context::Context;
use crate::report::plain_json;
use bd::change;
use kit::cli::report::{CommandResult, TextReport};

/// Find a dependency cycle
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(super) fn run(ctx: &Context, _args: &Args) -> CommandResult {
    let snapshot = ctx.store()?.snapshot()?;
    let Some(circle) = change::find_cycle(&snapshot) else {
        return TextReport::new(json!([]), "✓ No dependency cycles detected").into_answer();
    };
    let beads: Vec<Value> = circle
        .iter()
        .filter_map(|id| snapshot.get(id))
        .map(plain_json)
        .collect();
    let line = format!(
        "⚠ Found a dependency cycle: {} → {}",
        circle.join(" → "),
        circle[0]
    );
    TextReport::new(json!([beads]), line).into_answer()
}
