use bd::formula::Formula;
use kit::ui::{Page, escape};

use super::{CommandResult, Context, build_report};
use gt::flow::work::molecule;

/// Show a formula
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The formula
    #[arg(value_name = "FORMULA")]
    formula: String,
    /// As this rig sees it
    #[arg(long, value_name = "RIG")]
    rig: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let rig_name = args.rig.as_deref().or(town.actor.rig());
    let rig = rig_name.map(|rig| town.find_rig(rig)).transpose()?;
    let shelf = molecule::formula_shelf(&town, rig.as_ref());
    let name = molecule::full_formula_name(&shelf, &args.formula).unwrap_or(args.formula);
    let formula = shelf.load(&name)?.formula;
    build_report(formula, write_formula)
}

fn write_formula(formula: &Formula, page: &mut Page) {
    page.line(format!(
        "{} {} ({})",
        formula.name,
        formula.version_text(),
        formula.kind.as_str()
    ));
    page.blank();
    page.line(escape::escape_block(formula.description.trim()));
    page.blank();
    for step in formula.every_step() {
        page.cut_line(format!(
            "  {}: {}",
            escape::escape_line(&step.id),
            escape::escape_line(&step.title)
        ));
    }
    for leg in &formula.legs {
        page.cut_line(format!(
            "  {}: {}",
            escape::escape_line(&leg.id),
            escape::escape_line(&leg.title)
        ));
    }
    if let Some(synthesis) = &formula.synthesis {
        page.cut_line(format!("  then: {}", escape::escape_line(&synthesis.title)));
    }
    page.line(format!("Source: {}", escape::escape_line(&formula.source)));
}
