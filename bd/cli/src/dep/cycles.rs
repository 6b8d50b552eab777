use serde_json::{Value, json};

use crate::context::Context;
use crate::report::plain_json;
use bd::change;
use kit::cli::report::{Answer, Said};

/// Find a circle of edges
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(super) fn run(ctx: &Context, _args: &Args) -> Answer {
    let snapshot = ctx.store()?.snapshot()?;
    let Some(circle) = change::find_cycle(&snapshot) else {
        return Said::new(json!([]), "✓ No dependency cycles detected").answer();
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
    Said::new(json!([beads]), line).answer()
}
