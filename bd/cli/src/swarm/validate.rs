use serde_json::{Map, Value, json};

use crate::context::Context;
use bd::bead::Bead;
use bd::graph::layers;
use bd::graph::swarm::SwarmAnalysis;
use kit::ui::{counted, escape};

use kit::cli::report::{CommandResult, build_report_with_exit};

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
    let (exit, lines) = (u8::from(!report.errors.is_empty()), report.lines());
    build_report_with_exit(exit, report.value, move |_, page| {
        for line in &lines {
            page.cut_line(line);
        }
    })
}

/// The analysis of an epic.
#[derive(Debug)]
pub(super) struct SwarmValidateReport {
    pub(super) value: Value,
    pub(super) errors: Vec<String>,
    epic: Bead,
    waves: Vec<Vec<Bead>>,
    warnings: Vec<String>,
    closed: usize,
    verbose: bool,
}

impl SwarmValidateReport {
    pub(super) fn from_analysis(analysis: &SwarmAnalysis<'_>, verbose: bool) -> Self {
        let clone_bead = |bead: &&Bead| (*bead).clone();
        let waves = analysis.waves.iter();
        Self {
            value: analysis_to_json(analysis, verbose),
            errors: analysis.errors.clone(),
            epic: analysis.epic.clone(),
            waves: waves
                .map(|wave| wave.iter().map(clone_bead).collect())
                .collect(),
            warnings: analysis.warnings.clone(),
            closed: analysis.closed(),
            verbose,
        }
    }

    fn lines(&self) -> Vec<String> {
        let epic = &self.epic;
        let open: usize = self.waves.iter().map(Vec::len).sum();
        let mut lines = vec![
            format!("{}: {}", epic.id, escape::escape_line(&epic.title)),
            format!(
                "  {} open, {} closed",
                counted(open, "child bead"),
                self.closed
            ),
        ];
        for (number, wave) in self.waves.iter().enumerate() {
            let ids: Vec<&str> = wave.iter().map(|bead| bead.id.as_str()).collect();
            lines.push(format!("  Wave {number}: {}", ids.join(", ")));
            let titles = wave.iter().filter(|_| self.verbose);
            lines.extend(
                titles.map(|bead| format!("    {}: {}", bead.id, escape::escape_line(&bead.title))),
            );
        }
        lines.extend(self.warnings.iter().map(|text| format!("⚠ {text}")));
        lines.extend(self.errors.iter().map(|text| format!("✗ {text}")));
        lines.push(if self.errors.is_empty() {
            "✓ A swarm can do it".to_owned()
        } else {
            "✗ A swarm cannot do it".to_owned()
        });
        lines
    }
}

fn analysis_to_json(analysis: &SwarmAnalysis<'_>, verbose: bool) -> Value {
    let front = |(number, wave): (usize, &Vec<&Bead>)| {
        let ids: Vec<&str> = wave.iter().map(|bead| bead.id.as_str()).collect();
        let titles: Vec<&str> = wave.iter().map(|bead| bead.title.as_str()).collect();
        json!({"wave": number, "issues": ids, "titles": titles})
    };
    let fronts: Value = analysis.waves.iter().enumerate().map(front).collect();
    let mut value = json!({
        "epic_id": analysis.epic.id,
        "epic_title": analysis.epic.title,
        "total_issues": analysis.children.len(),
        "closed_issues": analysis.closed(),
        "ready_fronts": fronts,
        "max_parallelism": analysis.max_parallelism(),
        "estimated_sessions": analysis.children.len() - analysis.closed(),
        "warnings": analysis.warnings,
        "errors": analysis.errors,
        "swarmable": analysis.errors.is_empty(),
    });
    if verbose {
        let mut issues = Map::new();
        for bead in &analysis.children {
            let is_child = |id: &str| analysis.children.iter().any(|child| child.id == id);
            let issue = json!({
                "id": bead.id,
                "title": bead.title,
                "status": bead.status.as_str(),
                "priority": bead.priority,
                "depends_on": layers::find_needs(bead, is_child),
                "wave": analysis.wave_of(&bead.id),
            });
            issues.insert(bead.id.clone(), issue);
        }
        value["issues"] = Value::Object(issues);
    }
    value
}
