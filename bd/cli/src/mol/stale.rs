use serde::Serialize;

use crate::context::Context;
use bd::molecule::stale;
use kit::cli::report::{CommandResult, build_report};
use kit::ui::{counted, escape};

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
    let rows: Vec<StaleMolecule> = stale::find_finished_molecules(&snapshot)
        .into_iter()
        .filter(|stale| {
            (!args.blocking || !stale.blocking.is_empty())
                && (!args.unassigned || stale.root.assignee().is_empty())
        })
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
    let total_count = rows.len();
    let blocking_count = rows.iter().filter(|row| row.blocking_count > 0).count();
    let report = kit::report_value! {
        stale_molecules: rows, total_count, blocking_count
    };
    build_report(report, |report, page| {
        let rows = &report.stale_molecules;
        let Some(first) = rows.first() else {
            page.line("No stale molecules");
            return;
        };
        page.line(format!(
            "{} done but open:",
            counted(rows.len(), "molecule")
        ));
        for row in rows {
            page.cut_line(format!("  {}: {}", row.id, escape::escape_line(&row.title)));
            if !row.blocking_issues.is_empty() {
                page.line(format!("    blocks {}", row.blocking_issues.join(" ")));
            }
        }
        page.line(format!("Next: bd close {}", first.id));
    })
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
