use serde::Serialize;

use crate::context::Context;
use bd::formula::vars::VarValues;
use bd::formula::{FormulaError, FormulaProblem, check, cook_formula};
use kit::cli::report::{CommandResult, build_report_with_exit};
use kit::ui::{Page, counted};

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
                let mut warnings = check::check_own_file(&loaded).1;
                match cook_formula(&shelf, &loaded, &VarValues::new()) {
                    Ok(cooked) => {
                        found.steps = cooked.formula.every_step().len();
                        warnings.extend(
                            cooked
                                .warnings
                                .into_iter()
                                .filter(|warning| !loaded.warnings.contains(warning)),
                        );
                        warnings.dedup();
                    }
                    Err(error) => found.errors = list_error_texts(&error),
                }
                found.warnings = warnings.iter().map(FormulaProblem::to_string).collect();
            }
            Err(error @ FormulaError::NotFound { .. }) => return Err(error.into()),
            Err(error) => found.errors = list_error_texts(&error),
        }
        checked.push(found);
    }
    for found in &mut checked {
        found.valid = found.errors.is_empty();
    }
    let exit = u8::from(checked.iter().any(|found| !found.valid));
    build_report_with_exit(exit, checked, |checked, page| write_checks(checked, page))
}

fn list_error_texts(error: &FormulaError) -> Vec<String> {
    match error {
        FormulaError::Invalid(problems) => problems.iter().map(FormulaProblem::to_string).collect(),
        other => vec![other.to_string()],
    }
}

#[derive(Debug, Default, Serialize)]
struct CheckedFormula {
    name: String,
    valid: bool,
    steps: usize,
    errors: Vec<String>,
    warnings: Vec<String>,
}

fn write_checks(checked: &[CheckedFormula], page: &mut Page) {
    for found in checked {
        if found.valid {
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
