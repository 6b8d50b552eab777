use crate::context::Context;
use bd::formula::{Formula, FormulaStep, cook_formula};
use bd::molecule::draw::{self, DrawnStep};
use bd::molecule::step_tree as steps;
use kit::cli::report::{CommandResult, build_report};
use kit::ui::{Page, escape};

/// Show a formula: its variables and steps
///
/// With --json the formula as its file has it. With --graph the steps that it cooks to, as a tree
/// of what waits for what; --mermaid and --dot print the same for other programs.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The formula or its file
    #[arg(value_name = "FORMULA")]
    formula: String,
    /// Draw the dependency tree of the steps
    #[arg(long)]
    graph: bool,
    /// Print the graph as Mermaid
    #[arg(long, conflicts_with = "graph")]
    mermaid: bool,
    /// Print the graph as dot
    #[arg(long, conflicts_with_all = ["graph", "mermaid"])]
    dot: bool,
    /// Set a variable; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    var: Vec<String>,
    /// Look for formulas here first; may be repeated
    #[arg(long, value_name = "DIR")]
    search_path: Vec<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let shelf = super::super::mol::build_search_path(ctx, &args.search_path);
    let loaded = shelf.load(&args.formula)?;
    if !(args.graph || args.mermaid || args.dot) {
        return build_report(loaded.formula, write_formula);
    }
    let values = super::super::mol::parse_vars(&args.var)?;
    let formula = cook_formula(&shelf, &loaded, &values)?.formula;
    let steps = draw_formula(&formula);
    if args.graph {
        return build_report(formula, move |formula, page| {
            write_heading(formula, page);
            page.blank();
            steps::draw_step_tree(page, &steps, |_| String::new());
        });
    }
    let graph = if args.mermaid {
        draw::format_mermaid(&steps)
    } else {
        draw::format_dot(&formula.name, &steps)
    };
    build_report(
        kit::report_value! { formula: formula.name, graph },
        |report, page| {
            page.line(report.graph.trim_end());
        },
    )
}

/// Returns the steps of a formula with their dependencies. A convoy formula has its legs before its
/// synthesis.
fn draw_formula(formula: &Formula) -> Vec<DrawnStep> {
    if !formula.legs.is_empty() {
        return draw_legs(formula);
    }
    let steps = formula.every_step();
    steps
        .iter()
        .map(|step| DrawnStep {
            id: step.id.clone(),
            title: step.title.clone(),
            needs: step
                .before()
                .filter_map(|id| steps.iter().position(|step| step.id == id))
                .collect(),
            parent: steps
                .iter()
                .position(|parent| parent.children.iter().any(|child| child.id == step.id)),
            ..DrawnStep::default()
        })
        .collect()
}

fn draw_legs(formula: &Formula) -> Vec<DrawnStep> {
    let legs = &formula.legs;
    let find_leg = |id: &String| legs.iter().position(|leg| leg.id == *id);
    let mut drawn: Vec<DrawnStep> = legs
        .iter()
        .map(|leg| DrawnStep {
            id: leg.id.clone(),
            title: leg.title.clone(),
            needs: leg.needs.iter().filter_map(find_leg).collect(),
            ..DrawnStep::default()
        })
        .collect();
    if let Some(synthesis) = &formula.synthesis {
        let named: Vec<usize> = synthesis.depends_on.iter().filter_map(find_leg).collect();
        drawn.push(DrawnStep {
            id: "synthesis".to_owned(),
            title: synthesis.title.clone(),
            needs: if named.is_empty() {
                (0..legs.len()).collect()
            } else {
                named
            },
            ..DrawnStep::default()
        });
    }
    drawn
}

fn write_heading(formula: &Formula, page: &mut Page) {
    page.line(format!(
        "{} {} ({})",
        page.style().bold(&formula.name),
        formula.version_text(),
        formula.kind.as_str()
    ));
}

fn write_formula(formula: &Formula, page: &mut Page) {
    write_heading(formula, page);
    if !formula.description.trim().is_empty() {
        page.blank();
        page.line(escape::escape_block(formula.description.trim()));
    }
    write_variables(page, formula);
    let listed = if formula.template.is_empty() {
        &formula.steps
    } else {
        &formula.template
    };
    if !listed.is_empty() {
        page.blank();
        page.line("Steps:");
        list_steps(page, listed, 1);
    }
    if !formula.legs.is_empty() {
        page.blank();
        page.line("Legs, in parallel:");
    }
    for leg in &formula.legs {
        page.cut_line(format!(
            "  {}: {}",
            escape::escape_line(&leg.id),
            escape::escape_line(&leg.title)
        ));
    }
    if let Some(synthesis) = &formula.synthesis {
        page.cut_line(format!("Then: {}", escape::escape_line(&synthesis.title)));
    }
    page.blank();
    page.line(format!("Source: {}", escape::escape_line(&formula.source)));
}

fn write_variables(page: &mut Page, formula: &Formula) {
    if !formula.vars.is_empty() || !formula.inputs.is_empty() {
        page.blank();
        page.line("Variables:");
    }
    for (name, var) in &formula.vars {
        let note = match &var.default {
            Some(default) => format!("default \"{}\"", escape::escape_line(default)),
            None if var.required => "required".to_owned(),
            None => String::new(),
        };
        let text = [escape::escape_line(&var.description), note].join("  ");
        page.cut_line(format!("  {name}: {}", text.trim()));
    }
    for (name, input) in &formula.inputs {
        page.cut_line(format!(
            "  {name}: {}",
            escape::escape_line(&input.description)
        ));
    }
}

fn list_steps(page: &mut Page, steps: &[FormulaStep], depth: usize) {
    for step in steps {
        let before: Vec<&str> = step.before().collect();
        let needs = match before.as_slice() {
            [] => String::new(),
            ids => format!(" (after {})", escape::escape_line(&ids.join(", "))),
        };
        let indent = "  ".repeat(depth);
        page.cut_line(format!(
            "{indent}{}: {}{needs}",
            escape::escape_line(&step.id),
            escape::escape_line(&step.title)
        ));
        list_steps(page, &step.children, depth + 1);
        if let Some(repeat) = &step.repeat {
            list_steps(page, &repeat.body, depth + 1);
        }
    }
}
