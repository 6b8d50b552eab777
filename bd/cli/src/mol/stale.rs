use serde::Serialize;

use crate::context::Context;
use bd::molecule::stale;
use kit::cli::report::{CommandResult, build_report};
use kit::ui::{Page, counted, escape};

/// List molecules that are done but still open
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Filter on molecules that block other beads
    #[arg(long)]
    blocking: bool,
    /// Filter on missing assignee
    #[arg(long)]
    unassigned: bool,
    #[arg(long, hide = true)]
    all: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let snapshot = ctx.store()?.snapshot()?;
    let found = stale::find_finished_molecules(&snapshot)
        .into_iter()
        .filter(|stale| {
            (!args.blocking || !stale.blocking.is_empty())
                && (!args.unassigned || stale.root.assignee().is_empty())
        });
    let rows: Vec<StaleMolecule> = found
        .filter_map(|stale| {
            let bead = stale.root.bead()?;
            Some(StaleMolecule {
                id: bead.id.clone(),
                title: bead.title.clone(),
                total_children: stale.steps,
                closed_children: stale.steps,
                blocking_count: stale.blocking.len(),
                assignee: bead.assignee.clone(),
                blocking_issues: stale.blocking,
            })
        })
        .collect();
    let report = MolStaleReport {
        total_count: rows.len(),
        blocking_count: rows.iter().filter(|row| row.blocking_count > 0).count(),
        stale_molecules: rows,
    };
    build_report(report, write_stale_molecules)
}

#[derive(Serialize)]
struct StaleMolecule {
    id: String,
    title: String,
    total_children: usize,
    closed_children: usize,
    blocking_count: usize,
    #[serde(skip_serializing_if = "String::is_empty")]
    assignee: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    blocking_issues: Vec<String>,
}

#[derive(Serialize)]
struct MolStaleReport {
    stale_molecules: Vec<StaleMolecule>,
    total_count: usize,
    blocking_count: usize,
}

fn write_stale_molecules(report: &MolStaleReport, page: &mut Page) {
    if report.stale_molecules.is_empty() {
        page.line("No stale molecules");
        return;
    }
    page.line(format!(
        "{} done but open:",
        counted(report.total_count, "molecule")
    ));
    for row in &report.stale_molecules {
        page.cut_line(format!("  {}: {}", row.id, escape::escape_line(&row.title)));
        if !row.blocking_issues.is_empty() {
            page.line(format!("    blocks {}", row.blocking_issues.join(" ")));
        }
    }
    if let Some(row) = report.stale_molecules.first() {
        page.line(format!("Next: bd close {}", row.id));
    }
}
