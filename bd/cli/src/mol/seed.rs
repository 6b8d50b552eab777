use serde_json::json;

use crate::context::Context;
use bd::formula::cook_named;
use kit::failure::UsageError;

use kit::cli::report::{CommandResult, TextReport};
use kit::ui::counted;

const PATROLS: [&str; 3] = [
    "mol-deacon-patrol",
    "mol-witness-patrol",
    "mol-refinery-patrol",
];

/// Check that formulas can be found and cooked
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The formula
    #[arg(value_name = "FORMULA")]
    formula: Option<String>,
    /// The formulas of the patrols
    #[arg(long)]
    patrol: bool,
    /// Set a variable; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    var: Vec<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let mut names: Vec<String> = args.formula.into_iter().collect();
    if args.patrol {
        names.extend(PATROLS.map(str::to_owned));
    }
    if names.is_empty() {
        return Err(UsageError("name a formula, or use --patrol".into()).into());
    }
    let shelf = super::build_search_path(ctx, &[]);
    let values = super::parse_vars(&args.var)?;
    let mut lines = Vec::new();
    for name in &names {
        let cooked = cook_named(&shelf, name, &values)?;
        let steps = counted(cooked.formula.every_step().len(), "step");
        lines.push(format!("✓ {name}: {steps}"));
    }
    TextReport::lines(json!({"formulas": names, "ok": true}), lines).into_answer()
}
