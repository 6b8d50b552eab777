use std::collections::BTreeMap;

use crate::context::Context;
use kit::cli::report::{CommandResult, build_report};
use kit::ui::escape;

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
    let states: BTreeMap<String, String> = bead
        .labels
        .iter()
        .filter_map(|label| label.split_once(':'))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let issue_id = bead.id.clone();
    if is_list {
        return build_report(kit::report_value! { issue_id, states }, |report, page| {
            if report.states.is_empty() {
                page.line(format!("No states set on {}", report.issue_id));
            }
            for (name, value) in &report.states {
                page.line(format!("  {name}: {}", escape::escape_line(value)));
            }
        });
    }
    let dimension = args.dimension.as_str();
    if dimension.contains([':', '=']) {
        kit::bail_usage!("invalid dimension {dimension:?}: it has no ':' or '='");
    }
    let value = states.get(dimension).cloned();
    let report = kit::report_value! { issue_id, dimension: args.dimension, value };
    build_report(report, |report, page| {
        page.line(match &report.value {
            Some(value) => escape::escape_line(value),
            None => format!("(no {} state set)", report.dimension),
        });
    })
}
