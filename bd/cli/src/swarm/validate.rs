use serde::Serialize;

use crate::context::Context;
use crate::report::Entries;
use bd::bead::{Bead, Status};
use bd::graph::layers;
use bd::graph::swarm::SwarmAnalysis;
use kit::cli::report::{CommandResult, build_report_with_exit};
use kit::ui::{Page, counted, escape};

/// Plan an epic's children in waves of parallel work
///
/// Exits with 1 if the epic cannot be done by a swarm, as when children wait for each other in a
/// circle.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The epic
    #[arg(value_name = "ID")]
    id: String,
    /// Also list the beads of each wave
    #[arg(long)]
    verbose: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let snapshot = ctx.store_for_id(&args.id)?.snapshot()?;
    let epic = super::find_epic(&snapshot, &args.id)?;
    let analysis = SwarmAnalysis::for_epic(&snapshot, epic);
    let report = SwarmValidateReport::from_analysis(&analysis, args.verbose);
    let exit = u8::from(!report.errors.is_empty());
    build_report_with_exit(exit, report, write_analysis)
}

/// The analysis of an epic.
#[derive(Debug, Serialize)]
pub(super) struct SwarmValidateReport {
    epic_id: String,
    epic_title: String,
    total_issues: usize,
    closed_issues: usize,
    ready_fronts: Vec<SwarmWave>,
    max_parallelism: usize,
    estimated_sessions: usize,
    warnings: Vec<String>,
    pub(super) errors: Vec<String>,
    swarmable: bool,
    /// The children by their id, if they are requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    issues: Option<Entries<String, SwarmChild>>,
}

#[derive(Debug, Serialize)]
struct SwarmWave {
    wave: usize,
    issues: Vec<String>,
    titles: Vec<String>,
}

#[derive(Debug, Serialize)]
struct SwarmChild {
    id: String,
    title: String,
    status: Status,
    priority: i64,
    depends_on: Vec<String>,
    wave: Option<usize>,
}

impl SwarmValidateReport {
    pub(super) fn from_analysis(analysis: &SwarmAnalysis<'_>, verbose: bool) -> Self {
        Self {
            epic_id: analysis.epic.id.clone(),
            epic_title: analysis.epic.title.clone(),
            total_issues: analysis.children.len(),
            closed_issues: analysis.closed(),
            ready_fronts: analysis
                .waves
                .iter()
                .enumerate()
                .map(|(wave, beads)| SwarmWave {
                    wave,
                    issues: beads.iter().map(|bead| bead.id.clone()).collect(),
                    titles: beads.iter().map(|bead| bead.title.clone()).collect(),
                })
                .collect(),
            max_parallelism: analysis.max_parallelism(),
            estimated_sessions: analysis.children.len() - analysis.closed(),
            warnings: analysis.warnings.clone(),
            errors: analysis.errors.clone(),
            swarmable: analysis.errors.is_empty(),
            issues: verbose.then(|| {
                Entries(
                    analysis
                        .children
                        .iter()
                        .map(|bead| (bead.id.clone(), SwarmChild::new(bead, analysis)))
                        .collect(),
                )
            }),
        }
    }
}

impl SwarmChild {
    fn new(bead: &Bead, analysis: &SwarmAnalysis<'_>) -> Self {
        let needs = layers::find_needs(bead, |id| {
            analysis.children.iter().any(|child| child.id == id)
        });
        Self {
            id: bead.id.clone(),
            title: bead.title.clone(),
            status: bead.status.clone(),
            priority: bead.priority,
            depends_on: needs.into_iter().map(str::to_owned).collect(),
            wave: analysis.wave_of(&bead.id),
        }
    }
}

fn write_analysis(report: &SwarmValidateReport, page: &mut Page) {
    let title = escape::escape_line(&report.epic_title);
    let open = report
        .ready_fronts
        .iter()
        .map(|wave| wave.issues.len())
        .sum();
    let open = counted(open, "child bead");
    page.cut_line(format!("{}: {title}", report.epic_id));
    page.cut_line(format!("  {open} open, {} closed", report.closed_issues));
    for SwarmWave {
        wave,
        issues,
        titles,
    } in &report.ready_fronts
    {
        page.cut_line(format!("  Wave {wave}: {}", issues.join(", ")));
        for (id, title) in issues
            .iter()
            .zip(titles)
            .filter(|_| report.issues.is_some())
        {
            page.cut_line(format!("    {id}: {}", escape::escape_line(title)));
        }
    }
    for warning in &report.warnings {
        page.cut_line(format!("⚠ {warning}"));
    }
    for error in &report.errors {
        page.cut_line(format!("✗ {error}"));
    }
    page.cut_line(if report.swarmable {
        "✓ A swarm can do it"
    } else {
        "✗ A swarm cannot do it"
    });
}
