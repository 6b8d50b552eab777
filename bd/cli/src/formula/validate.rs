use serde_json::{Value, json};

use crate::context::Context;
use bd::formula::vars::VarValues;
use bd::formula::{FormulaError, FormulaProblem, check, cook_formula};
use kit::ui::{Page, Report, counted};

use kit::cli::report::CommandResult;

/// Check that formulas can be cooked
///
/// Reports every problem with file, line and step, and what to change. Without a name it checks all
/// formulas. Exits 1 if one is refused.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The formulas or their files
    #[arg(value_name = "FORMULA")]
    formulas: Vec<String>,
    /// Look for formulas here first; may be repeated
    #[arg(long, value_name = "DIR")]
    search_path: Vec<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let shelf = super::super::mol::build_search_path(ctx, &args.search_path);
    let names = if args.formulas.is_empty() {
        shelf.names().into_iter().collect()
    } else {
        args.formulas
    };
    let mut checked = Vec::new();
    for name in names {
        let mut found = CheckedFormula {
            name: name.clone(),
            ..CheckedFormula::default()
        };
        match shelf.load(&name) {
            Ok(loaded) => {
                found.warnings = check::check_own_file(&loaded).1;
                match cook_formula(&shelf, &loaded, &VarValues::new()) {
                    Ok(cooked) => {
                        found.steps = cooked.formula.every_step().len();
                        let fresh = cooked.warnings.into_iter();
                        found
                            .warnings
                            .extend(fresh.filter(|warning| !loaded.warnings.contains(warning)));
                        found.warnings.dedup();
                    }
                    Err(error) => found.errors = list_error_texts(&error),
                }
            }
            Err(error @ FormulaError::NotFound { .. }) => return Err(error.into()),
            Err(error) => found.errors = list_error_texts(&error),
        }
        checked.push(found);
    }
    Ok(Box::new(FormulaValidateReport { checked }))
}

fn list_error_texts(error: &FormulaError) -> Vec<String> {
    match error {
        FormulaError::Invalid(problems) => problems.iter().map(FormulaProblem::to_string).collect(),
        other => vec![other.to_string()],
    }
}

#[derive(Debug, Default)]
struct CheckedFormula {
    name: String,
    steps: usize,
    errors: Vec<String>,
    warnings: Vec<FormulaProblem>,
}

#[derive(Debug)]
struct FormulaValidateReport {
    checked: Vec<CheckedFormula>,
}

impl Report for FormulaValidateReport {
    fn json(&self) -> Value {
        let checked_json = |found: &CheckedFormula| {
            json!({
                "name": found.name,
                "valid": found.errors.is_empty(),
                "steps": found.steps,
                "errors": found.errors,
                "warnings": found.warnings.iter().map(FormulaProblem::to_string).collect::<Vec<_>>(),
            })
        };
        self.checked.iter().map(checked_json).collect()
    }

    fn human(&self, page: &mut Page) {
        for found in &self.checked {
            if found.errors.is_empty() {
                let mark = page.style().green("✓");
                page.line(format!(
                    "{mark} {}: {}",
                    found.name,
                    counted(found.steps, "step")
                ));
            } else {
                let mark = page.style().red("✗");
                page.line(format!("{mark} {}", found.name));
            }
            for problem in &found.errors {
                page.line(format!("  {problem}"));
            }
            for warning in &found.warnings {
                page.line(format!("  Warning: {warning}"));
            }
        }
    }

    fn exit(&self) -> u8 {
        u8::from(self.checked.iter().any(|found| !found.errors.is_empty()))
    }
}
