use crate::context::Context;
use bd::formula::cook_named;
use kit::cli::report::{CommandResult, build_confirmation};
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
        kit::bail_usage!("name a formula, or use --patrol");
    }
    let shelf = super::build_search_path(ctx, &[]);
    let values = super::parse_vars(&args.var)?;
    let mut steps = Vec::new();
    for name in &names {
        steps.push(
            cook_named(&shelf, name, &values)?
                .formula
                .every_step()
                .len(),
        );
    }
    build_confirmation(
        kit::report_value! { formulas: names, ok: true },
        move |report, page| {
            for (name, steps) in report.formulas.iter().zip(&steps) {
                page.line(format!("✓ {name}: {}", counted(*steps, "step")));
            }
        },
    )
}
