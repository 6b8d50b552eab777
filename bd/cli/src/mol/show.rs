use serde_json::{Value, json};

use crate::context::Context;
use bd::bead::Bead;
use bd::molecule::draw::{self, DrawnStep};
use bd::molecule::parallel;
use bd::molecule::progress::{MoleculeProgress, StepState};
use bd::molecule::step_tree as steps;
use kit::ui::{Page, escape};

use super::super::report::plain_json;
use kit::cli::report::{CommandResult, TextReport, build_report};

/// Show a molecule and its steps
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// The molecule
    #[arg(value_name = "ID")]
    id: String,
    /// Also show which steps can run at the same time
    #[arg(short, long)]
    parallel: bool,
    /// Draw the steps as a tree of what waits for what
    #[arg(long)]
    graph: bool,
    /// Print the graph as Mermaid
    #[arg(long, conflicts_with = "graph")]
    mermaid: bool,
    /// Print the graph as dot
    #[arg(long, conflicts_with_all = ["graph", "mermaid"])]
    dot: bool,
}

impl Args {
    /// The arguments to show a molecule without its graph.
    pub(crate) fn for_molecule(id: String) -> Self {
        Self {
            id,
            ..Self::default()
        }
    }
}

pub(crate) fn run(ctx: &Context, args: Args) -> CommandResult {
    let snapshot = ctx.store_for_id(&args.id)?.snapshot()?;
    let root = super::current::molecule_of(&snapshot, &args.id)?;
    let Some(molecule) = MoleculeProgress::for_root(&snapshot, &root) else {
        return Err(bd::change::ChangeError::NotFound(args.id).into());
    };
    if args.mermaid || args.dot {
        let steps = draw::steps_of_molecule(&molecule);
        let text = if args.mermaid {
            draw::format_mermaid(&steps)
        } else {
            draw::format_dot(&root, &steps)
        };
        let lines = text.lines().map(str::to_owned).collect();
        return TextReport::lines(json!({"molecule_id": root, "graph": text}), lines).into_answer();
    }
    let mut beads = vec![molecule.root.bead().cloned().unwrap_or_default()];
    beads.extend(
        molecule
            .steps
            .iter()
            .filter_map(|step| step.bead_ref.bead().cloned()),
    );
    let steps = parallel::analyze_parallel_steps(&molecule);
    let report = MolShowReport {
        beads,
        states: molecule.steps.iter().map(|step| step.state).collect(),
        graph: args.graph.then(|| draw::steps_of_molecule(&molecule)),
        parallel: args
            .parallel
            .then(|| parallel::steps_to_json(&root, &steps)),
        groups: steps.into_iter().map(|step| step.group).collect(),
    };
    build_report(report.to_json(), move |_, page| {
        write_molecule(&report, page);
    })
}

#[derive(Debug)]
struct MolShowReport {
    beads: Vec<Bead>,
    states: Vec<StepState>,
    groups: Vec<Option<String>>,
    graph: Option<Vec<DrawnStep>>,
    parallel: Option<Value>,
}

impl MolShowReport {
    fn to_json(&self) -> Value {
        let root = self.beads.first();
        let edges = self.beads.iter().flat_map(|bead| &bead.dependencies);
        let mut value = json!({
            "root": root.map(plain_json),
            "issues": self.beads.iter().map(plain_json).collect::<Vec<_>>(),
            "dependencies": edges.collect::<Vec<_>>(),
            "variables": [],
            "is_compound": root.is_some_and(|root| root.bonded_from.is_some()),
            "bonded_from": root.and_then(|root| root.bonded_from.as_ref()),
        });
        let named = self.beads.iter().flat_map(|bead| {
            let texts = [&bead.title, &bead.description];
            texts.map(|text| bd::formula::vars::names_in(text))
        });
        let mut names: Vec<String> = named.flatten().collect();
        names.sort();
        names.dedup();
        value["variables"] = json!(names);
        if let Some(parallel) = &self.parallel {
            value["parallel"] = parallel.clone();
        }
        value
    }
}

fn write_molecule(report: &MolShowReport, page: &mut Page) {
    let Some((root, rest)) = report.beads.split_first() else {
        return;
    };
    page.line(format!("{}: {}", root.id, escape::escape_line(&root.title)));
    let done = report
        .states
        .iter()
        .filter(|state| **state == StepState::Done);
    page.line(format!(
        "  {} of {} steps complete",
        done.count(),
        rest.len()
    ));
    page.blank();
    if let Some(graph) = &report.graph {
        let state = |at: usize| report.states.get(at).map_or("", |state| state.as_str());
        steps::draw_step_tree(page, graph, |at| format!("[{}] ", state(at)));
        return;
    }
    for ((bead, state), group) in rest.iter().zip(&report.states).zip(&report.groups) {
        let group = match group {
            Some(group) if report.parallel.is_some() => format!(" [{group}]"),
            _ => String::new(),
        };
        let title = escape::escape_line(&bead.title);
        page.cut_line(format!(
            "  [{}] {}: {title}{group}",
            state.as_str(),
            bead.id
        ));
    }
}
