use super::super::line;
use crate::context::Context;
use bd::formula::{Formula, FormulaKind};
use kit::cli::report::{CommandResult, build_report};
use kit::ui::{Page, counted, escape};

/// List formulas
///
/// A file that cannot be read is reported on standard error and left out.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Filter by type: workflow, expansion, aspect, convoy
    #[arg(long = "type", value_name = "TYPE")]
    kind: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let mut formulas = Vec::new();
    for found in super::super::mol::build_search_path(ctx, &[]).load_all() {
        match found.loaded {
            Ok(loaded) => formulas.push(loaded.formula),
            Err(problem) => ctx
                .ui
                .warn(&format!("{} is left out: {problem}", found.name)),
        }
    }
    if let Some(kind) = &args.kind {
        formulas.retain(|formula| formula.kind.as_str() == kind);
    }
    formulas.sort_by(|a, b| a.name.cmp(&b.name));
    formulas.dedup_by(|a, b| a.name == b.name);
    let rows: Vec<_> = formulas
        .iter()
        .map(|formula| {
            kit::report_value! {
                name: formula.name.clone(),
                r#type: formula.kind.as_str(),
                description: formula.first_line().chars().take(60).collect::<String>(),
                source: formula.source.clone(),
                steps: count_steps(formula),
                vars: formula.vars.len()
            }
        })
        .collect();
    build_report(rows, move |_, page| write_formulas(&formulas, page))
}

/// Returns the number of steps that a list shows for a formula.
fn count_steps(formula: &Formula) -> usize {
    match formula.kind {
        FormulaKind::Expansion => formula.template.len(),
        FormulaKind::Convoy => formula.legs.len(),
        _ => formula.every_step().len(),
    }
}

fn write_formulas(formulas: &[Formula], page: &mut Page) {
    if formulas.is_empty() {
        page.line("No formulas");
        return;
    }
    let width = formulas
        .iter()
        .map(|formula| formula.name.len())
        .max()
        .unwrap_or(0);
    for formula in formulas {
        let name = format!("{:width$}", formula.name);
        let prefix = format!(
            "{}  {:9}  ",
            page.style().cyan(&name),
            formula.kind.as_str()
        );
        line::write_fitted(
            page,
            &prefix,
            &escape::escape_line(formula.first_line()),
            "",
        );
    }
    page.blank();
    page.line(format!(
        "{}; `bd formula show NAME` shows one",
        counted(formulas.len(), "formula")
    ));
}
