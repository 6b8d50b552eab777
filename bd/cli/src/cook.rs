use serde_json::{Value, json};

use crate::context::Context;
use bd::formula::{Formula, cook_formula, vars};
use bd::molecule::proto;
use bd::molecule::template::MoleculeTemplate;
pub(crate) use kit::ui::{Page, Report, counted, escape, to_pretty_json};

use kit::cli::report::{CommandResult, EmptyReport};

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
        return Ok(Box::new(CookPreview { formula }));
    }
    if !args.persist {
        ctx.ui.raw(&to_pretty_json(&formula));
        return Ok(Box::new(EmptyReport));
    }
    ctx.check_writable("cook")?;
    let variables = formula.vars.keys().cloned().collect();
    let points = formula.compose.bond_points.iter();
    let bond_points = points.map(|point| point.id.clone()).collect();
    let name = formula.name.clone();
    let template = MoleculeTemplate::from_formula(formula, &given);
    let store = ctx.store()?;
    let (id, created) = store.transact(&ctx.author(), &ctx.clock, |tx| {
        let id = proto::proto_id(tx, &name, args.prefix.as_deref())?;
        let created = proto::persist_proto(tx, &template, &id, args.force)?;
        Ok((id, created))
    })?;
    Ok(Box::new(CookReport {
        id,
        created,
        variables,
        bond_points,
        formula: name,
    }))
}

fn substitute_variables(steps: &mut [bd::formula::FormulaStep], values: &vars::VarValues) {
    for step in steps {
        step.map_texts(&|text: &str| vars::substitute_values(text, values));
        substitute_variables(&mut step.children, values);
    }
}

/// The formula that would be cooked.
#[derive(Debug)]
struct CookPreview {
    formula: Formula,
}

impl Report for CookPreview {
    fn json(&self) -> Value {
        json!({
            "dry_run": true,
            "formula": self.formula.name,
            "steps": self.formula.every_step().iter().map(|step| &step.id).collect::<Vec<_>>(),
            "variables": self.formula.vars.keys().collect::<Vec<_>>(),
        })
    }

    fn human(&self, page: &mut Page) {
        let steps = self.formula.every_step();
        page.line(format!(
            "{} cooks to {}:",
            self.formula.name,
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
}

/// The proto that was stored.
#[derive(Debug)]
struct CookReport {
    id: String,
    formula: String,
    created: usize,
    variables: Vec<String>,
    bond_points: Vec<String>,
}

impl Report for CookReport {
    fn json(&self) -> Value {
        let mut value = json!({
            "proto_id": self.id,
            "formula": self.formula,
            "created": self.created,
            "variables": self.variables,
        });
        if !self.bond_points.is_empty() {
            value["bond_points"] = json!(self.bond_points);
        }
        value
    }

    fn human(&self, page: &mut Page) {
        let mark = page.style().green("✓");
        let count = counted(self.created, "issue");
        page.line(format!(
            "{mark} Cooked {}: created proto {} ({count})",
            self.formula, self.id
        ));
        page.line(format!("Next: bd mol pour {}", self.id));
    }
}
