use serde_json::{Value, json};

use crate::context::Context;
use bd::bead::Bead;
use bd::molecule::gate::{self, FreedStep};
use bd::molecule::parallel::{self, ParallelStep};
use bd::molecule::progress::MoleculeProgress;
use kit::ui::{Page, Report, escape};

use super::super::report::plain_json;
use kit::cli::report::CommandResult;

/// List molecules whose step is ready after its gate opened
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[arg(long, hide = true)]
    gated: bool,
}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    list_gated(ctx)
}

/// Lists the molecules whose gate opened: `bd mol ready`, `bd ready --gated`.
pub(crate) fn list_gated(ctx: &Context) -> CommandResult {
    let snapshot = ctx.store()?.snapshot()?;
    let rows = gate::find_freed_steps(&snapshot)
        .into_iter()
        .filter_map(|freed| {
            let step = snapshot.get_live(&freed.step)?.clone();
            let gate = snapshot.get_live(&freed.gate)?.clone();
            let title = snapshot.get_live(&freed.molecule)?.title.clone();
            Some((freed, title, gate, step))
        });
    Ok(Box::new(GatedReport {
        rows: rows.collect(),
    }))
}

#[derive(Debug)]
struct GatedReport {
    rows: Vec<(FreedStep, String, Bead, Bead)>,
}

impl Report for GatedReport {
    fn json(&self) -> Value {
        let row_json = |(freed, title, gate, step): &(FreedStep, String, Bead, Bead)| {
            json!({
                "molecule_id": freed.molecule,
                "molecule_title": title,
                "closed_gate": plain_json(gate),
                "ready_step": plain_json(step),
            })
        };
        json!({
            "molecules": self.rows.iter().map(row_json).collect::<Vec<_>>(),
            "count": self.rows.len(),
        })
    }

    fn human(&self, page: &mut Page) {
        if self.rows.is_empty() {
            page.line("No molecule waits for a worker after its gate");
        }
        for (freed, title, gate, step) in &self.rows {
            page.cut_line(format!(
                "{}: {}",
                freed.molecule,
                escape::escape_line(title)
            ));
            page.cut_line(format!(
                "  gate {} is closed: {}",
                gate.id,
                escape::escape_line(&gate.close_reason)
            ));
            page.cut_line(format!(
                "  ready: {} {}",
                step.id,
                escape::escape_line(&step.title)
            ));
        }
    }
}

/// Lists the ready steps of a molecule: `bd ready --mol ID`.
pub(crate) fn list_ready_steps(ctx: &Context, given: &str) -> CommandResult {
    let snapshot = ctx.store_for_id(given)?.snapshot()?;
    let root = super::current::molecule_of(&snapshot, given)?;
    let Some(molecule) = MoleculeProgress::for_root(&snapshot, &root) else {
        return Err(bd::change::ChangeError::NotFound(given.to_owned()).into());
    };
    let steps = parallel::analyze_parallel_steps(&molecule);
    let ready = molecule
        .steps
        .iter()
        .zip(&steps)
        .filter(|(_, step)| step.is_ready);
    let rows = ready.filter_map(|(molecule_step, step)| {
        Some((molecule_step.bead_ref.bead()?.clone(), step.clone()))
    });
    Ok(Box::new(ReadySteps {
        root: molecule.root.bead().cloned().unwrap_or_default(),
        rows: rows.collect(),
        total: steps.len(),
        groups: json!(parallel::group_steps(&steps)),
    }))
}

#[derive(Debug)]
struct ReadySteps {
    root: Bead,
    rows: Vec<(Bead, ParallelStep)>,
    total: usize,
    groups: Value,
}

impl Report for ReadySteps {
    fn json(&self) -> Value {
        let step_json = |(bead, step): &(Bead, ParallelStep)| {
            let mut value = json!({"issue": plain_json(bead), "parallel_info": step.json()});
            if let Some(group) = &step.group {
                value["parallel_group"] = json!(group);
            }
            value
        };
        json!({
            "molecule_id": self.root.id,
            "molecule_title": self.root.title,
            "total_steps": self.total,
            "ready_steps": self.rows.len(),
            "steps": self.rows.iter().map(step_json).collect::<Vec<_>>(),
            "parallel_groups": self.groups,
        })
    }

    fn human(&self, page: &mut Page) {
        page.line(format!(
            "{} of {} steps of {} are ready",
            self.rows.len(),
            self.total,
            self.root.id
        ));
        for (bead, step) in &self.rows {
            let group = step.group.as_deref().map(|group| format!(" [{group}]"));
            let title = escape::escape_line(&bead.title);
            page.cut_line(format!(
                "  {}: {title}{}",
                bead.id,
                group.unwrap_or_default()
            ));
        }
    }
}
