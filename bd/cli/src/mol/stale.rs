use serde_json::{Value, json};

use crate::context::Context;
use bd::molecule::stale;
use kit::ui::{Page, Report, counted, escape};

use kit::cli::report::CommandResult;

/// List molecules that are done but still open
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only molecules that block other beads
    #[arg(long)]
    blocking: bool,
    /// Only molecules that nobody has
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
    let rows = found.filter_map(|stale| {
        let bead = stale.root.bead()?;
        Some(StaleMolecule {
            id: bead.id.clone(),
            title: bead.title.clone(),
            assignee: bead.assignee.clone(),
            steps: stale.steps,
            blocking: stale.blocking,
        })
    });
    Ok(Box::new(MolStaleReport {
        rows: rows.collect(),
    }))
}

#[derive(Debug)]
struct StaleMolecule {
    id: String,
    title: String,
    assignee: String,
    steps: usize,
    blocking: Vec<String>,
}

#[derive(Debug)]
struct MolStaleReport {
    rows: Vec<StaleMolecule>,
}

impl Report for MolStaleReport {
    fn json(&self) -> Value {
        let row_json = |row: &StaleMolecule| {
            let mut value = json!({
                "id": row.id,
                "title": row.title,
                "total_children": row.steps,
                "closed_children": row.steps,
                "blocking_count": row.blocking.len(),
            });
            if !row.assignee.is_empty() {
                value["assignee"] = json!(row.assignee);
            }
            if !row.blocking.is_empty() {
                value["blocking_issues"] = json!(row.blocking);
            }
            value
        };
        let blocking = self.rows.iter().filter(|row| !row.blocking.is_empty());
        json!({
            "stale_molecules": self.rows.iter().map(row_json).collect::<Vec<_>>(),
            "total_count": self.rows.len(),
            "blocking_count": blocking.count(),
        })
    }

    fn human(&self, page: &mut Page) {
        if self.rows.is_empty() {
            page.line("No stale molecules");
            return;
        }
        page.line(format!(
            "{} done but open:",
            counted(self.rows.len(), "molecule")
        ));
        for row in &self.rows {
            page.cut_line(format!("  {}: {}", row.id, escape::escape_line(&row.title)));
            if !row.blocking.is_empty() {
                page.line(format!("    blocks {}", row.blocking.join(" ")));
            }
        }
        if let Some(row) = self.rows.first() {
            page.line(format!("Next: bd close {}", row.id));
        }
    }
}
