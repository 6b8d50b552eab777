use std::collections::{BTreeMap, BTreeSet};

use serde::{Serialize, Serializer};

use super::super::report::PlainBead;
use crate::context::Context;
use bd::bead::{Dep, RawJson};
use bd::molecule::draw::{self, DrawnStep};
use bd::molecule::parallel::{self, ParallelStep};
use bd::molecule::progress::{MoleculeProgress, StepState};
use bd::molecule::step_tree as steps;
use kit::cli::report::{CommandResult, build_report};
use kit::ui::{Page, escape};

/// Show a molecule and its steps
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// The molecule
    #[arg(value_name = "ID")]
    id: String,
    /// Also show which steps can run at the same time
    #[arg(short, long)]
    parallel: bool,
    /// Draw the dependency tree of the steps
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
        let graph = if args.mermaid {
            draw::format_mermaid(&steps)
        } else {
            draw::format_dot(&root, &steps)
        };
        return build_report(
            kit::report_value! { molecule_id: root, graph },
            |report, page| {
                page.line(report.graph.trim_end());
            },
        );
    }
    let mut beads = vec![PlainBead(snapshot.resolve(&root)?.clone())];
    beads.extend(
        molecule
            .steps
            .iter()
            .filter_map(|step| step.bead_ref.bead().cloned())
            .map(PlainBead),
    );
    let parallel_steps = parallel::analyze_parallel_steps(&molecule);
    let report = MolShowReport {
        beads,
        states: molecule.steps.iter().map(|step| step.state).collect(),
        graph: args.graph.then(|| draw::steps_of_molecule(&molecule)),
        is_parallel: args.parallel,
        parallel_steps,
    };
    build_report(report, write_molecule)
}

#[derive(Debug)]
struct MolShowReport {
    /// The root, then the steps.
    beads: Vec<PlainBead>,
    states: Vec<StepState>,
    parallel_steps: Vec<ParallelStep>,
    graph: Option<Vec<DrawnStep>>,
    is_parallel: bool,
}

/// The JSON of a molecule.
#[derive(Serialize)]
struct MolShowJson<'a> {
    root: Option<&'a PlainBead>,
    issues: &'a [PlainBead],
    dependencies: Vec<&'a Dep>,
    variables: BTreeSet<String>,
    is_compound: bool,
    bonded_from: Option<&'a RawJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parallel: Option<ParallelJson<'a>>,
}

#[derive(Serialize)]
struct ParallelJson<'a> {
    molecule_id: &'a str,
    total_steps: usize,
    ready_steps: usize,
    parallel_groups: BTreeMap<String, Vec<String>>,
    steps: BTreeMap<&'a str, &'a ParallelStep>,
}

impl Serialize for MolShowReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let root = self.beads.first();
        let bonded_from = root.and_then(|root| root.bonded_from.as_ref());
        let steps = &self.parallel_steps;
        let json = MolShowJson {
            root,
            issues: &self.beads,
            dependencies: self
                .beads
                .iter()
                .flat_map(|bead| &bead.dependencies)
                .collect(),
            variables: self
                .beads
                .iter()
                .flat_map(|bead| [&bead.title, &bead.description])
                .flat_map(|text| bd::formula::vars::names_in(text))
                .collect(),
            is_compound: bonded_from.is_some(),
            bonded_from,
            parallel: self.is_parallel.then(|| ParallelJson {
                molecule_id: root.map_or("", |root| &root.id),
                total_steps: steps.len(),
                ready_steps: steps.iter().filter(|step| step.is_ready).count(),
                parallel_groups: parallel::group_steps(steps),
                steps: steps.iter().map(|step| (step.id.as_str(), step)).collect(),
            }),
        };
        json.serialize(serializer)
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
        .filter(|state| **state == StepState::Done)
        .count();
    page.line(format!("  {done} of {} steps complete", rest.len()));
    page.blank();
    if let Some(graph) = &report.graph {
        steps::draw_step_tree(page, graph, |at| {
            let state = report.states.get(at).map_or("", |state| state.as_str());
            format!("[{state}] ")
        });
        return;
    }
    for ((bead, state), parallel_step) in
        rest.iter().zip(&report.states).zip(&report.parallel_steps)
    {
        let group = match &parallel_step.group {
            Some(group) if report.is_parallel => format!(" [{group}]"),
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
