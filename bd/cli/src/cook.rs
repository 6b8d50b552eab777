use crate::context::Context;
use bd::formula::{Formula, cook_formula, vars};
use bd::molecule::proto;
use bd::molecule::template::MoleculeTemplate;
use kit::cli::report::{CommandResult, build_empty_report, build_report};
use kit::ui::{Page, counted, escape, to_pretty_json};

/// Cook a formula into a proto
///
/// Prints the cooked formula as JSON: loops unrolled, expansions and aspects put in. With --var or
/// --mode runtime values are put in too. --persist keeps it as beads, the proto, to be poured from
/// later.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The formula or its file
    #[arg(value_name = "FORMULA")]
    formula: String,
    /// Set a variable; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    var: Vec<String>,
    /// Keep variables (compile) or put values in (runtime)
    #[arg(long, value_name = "MODE", value_parser = ["compile", "runtime"])]
    mode: Option<String>,
    /// Keep the result as a proto
    #[arg(long)]
    persist: bool,
    /// Replace a proto of the same name
    #[arg(long)]
    force: bool,
    /// Put this before the id of the proto
    #[arg(long, value_name = "PREFIX")]
    prefix: Option<String>,
    /// Look for formulas here first; may be repeated
    #[arg(long, value_name = "DIR")]
    search_path: Vec<String>,
    /// Only show what would be cooked
    #[arg(long)]
    dry_run: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let shelf = super::mol::build_search_path(ctx, &args.search_path);
    let given = super::mol::parse_vars(&args.var)?;
    let loaded = shelf.load(&args.formula)?;
    let cooked = cook_formula(&shelf, &loaded, &given)?;
    for warning in &cooked.warnings {
        ctx.ui.warn(&warning.to_string());
    }
    let mut formula = cooked.formula;
    let is_runtime = args.mode.as_deref() == Some("runtime") || !given.is_empty();
    if is_runtime {
        let values = vars::complete_values(&formula, &given)?;
        substitute_variables(&mut formula.steps, &values);
    }
    if args.dry_run {
        let preview = kit::report_value! {
            dry_run: true,
            formula: formula.name.clone(),
            steps: formula.every_step().iter().map(|step| step.id.clone()).collect::<Vec<_>>(),
            variables: formula.vars.keys().cloned().collect::<Vec<_>>()
        };
        return build_report(preview, move |_, page| write_preview(&formula, page));
    }
    if !args.persist {
        ctx.ui.raw(&to_pretty_json(&formula));
        return build_empty_report();
    }
    ctx.check_writable("cook")?;
    let variables: Vec<String> = formula.vars.keys().cloned().collect();
    let bond_points: Vec<String> = formula
        .compose
        .bond_points
        .iter()
        .map(|point| point.id.clone())
        .collect();
    let name = formula.name.clone();
    let template = MoleculeTemplate::from_formula(formula, &given);
    let store = ctx.store()?;
    let (id, created) = store.transact(&ctx.author(), &ctx.clock, |tx| {
        let id = proto::proto_id(tx, &name, args.prefix.as_deref())?;
        let created = proto::persist_proto(tx, &template, &id, args.force)?;
        Ok((id, created))
    })?;
    let report = kit::report_value! {
        proto_id: id, formula: name, created, variables;
        bond_points: (!bond_points.is_empty()).then_some(bond_points)
    };
    build_report(report, |report, page| {
        let mark = page.style().green("✓");
        let count = counted(report.created, "bead");
        page.line(format!(
            "{mark} Cooked {}: created proto {} ({count})",
            report.formula, report.proto_id
        ));
        page.line(format!("Next: bd mol pour {}", report.proto_id));
    })
}

fn substitute_variables(steps: &mut [bd::formula::FormulaStep], values: &vars::VarValues) {
    for step in steps {
        step.map_texts(&|text: &str| vars::substitute_values(text, values));
        substitute_variables(&mut step.children, values);
    }
}

fn write_preview(formula: &Formula, page: &mut Page) {
    let steps = formula.every_step();
    page.line(format!(
        "{} cooks to {}:",
        formula.name,
        counted(steps.len(), "step")
    ));
    for step in steps {
        page.cut_line(format!(
            "  {}: {}",
            escape::escape_line(&step.id),
            escape::escape_line(&step.title)
        ));
    }
}
