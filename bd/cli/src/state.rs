use std::collections::BTreeMap;

use serde_json::json;

use crate::context::Context;
use kit::failure::UsageError;
use kit::ui::escape;

use kit::cli::report::{CommandResult, TextReport};

/// Show a state of a bead, which is a label DIMENSION:VALUE
///
/// `bd state ID DIMENSION` prints one value, `bd state list ID` all. `bd set-state` changes it.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The bead, or `list`
    #[arg(value_name = "ID")]
    id: String,
    /// The dimension; after `list` the bead
    #[arg(value_name = "DIMENSION")]
    dimension: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let is_list = args.id == "list";
    let given = if is_list { &args.dimension } else { &args.id };
    let snapshot = ctx.store_for_id(given)?.snapshot()?;
    let bead = snapshot.resolve(given)?;
    let labels = bead.labels.iter();
    let states: BTreeMap<&str, &str> = labels.filter_map(|label| label.split_once(':')).collect();
    if is_list {
        let shown = states
            .iter()
            .map(|(name, value)| format!("  {name}: {}", escape::escape_line(value)));
        let mut lines: Vec<String> = shown.collect();
        if lines.is_empty() {
            lines.push(format!("No states set on {}", bead.id));
        }
        return TextReport::lines(json!({"issue_id": bead.id, "states": states}), lines)
            .into_answer();
    }
    let dimension = args.dimension.as_str();
    if dimension.contains([':', '=']) {
        return Err(UsageError(format!(
            "invalid dimension {dimension:?}: it has no ':' or '='"
        ))
        .into());
    }
    let value = states.get(dimension);
    let line = match value {
        Some(value) => escape::escape_line(value),
        None => format!("(no {dimension} state set)"),
    };
    TextReport::new(
        json!({"issue_id": bead.id, "dimension": dimension, "value": value}),
        line,
    )
    .into_answer()
}
