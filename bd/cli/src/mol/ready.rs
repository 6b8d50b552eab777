use std::collections::BTreeMap;

use serde::Serialize;

use super::super::report::PlainBead;
use crate::context::Context;
use bd::molecule::gate;
use bd::molecule::parallel::{self, ParallelStep};
use bd::molecule::progress::MoleculeProgress;
use kit::cli::report::{CommandResult, build_report};
use kit::ui::{Page, escape};

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
            let live = |id: &str| snapshot.get_live(id).cloned();
            Some(GatedMolecule {
                molecule_title: live(&freed.molecule)?.title,
                closed_gate: PlainBead(live(&freed.gate)?),
                ready_step: PlainBead(live(&freed.step)?),
                molecule_id: freed.molecule,
            })
        });
    let molecules: Vec<GatedMolecule> = rows.collect();
    let count = molecules.len();
    build_report(GatedReport { molecules, count }, write_gated_molecules)
}

#[derive(Serialize)]
struct GatedMolecule {
    molecule_id: String,
    molecule_title: String,
    closed_gate: PlainBead,
    ready_step: PlainBead,
}

#[derive(Serialize)]
struct GatedReport {
    molecules: Vec<GatedMolecule>,
    count: usize,
}

fn write_gated_molecules(report: &GatedReport, page: &mut Page) {
    if report.molecules.is_empty() {
        page.line("No molecule waits for a worker after its gate");
    }
    for freed in &report.molecules {
        let GatedMolecule {
            closed_gate: gate,
            ready_step: step,
            ..
        } = freed;

        page.cut_line(format!(
            "{}: {}",
            freed.molecule_id,
            escape::escape_line(&freed.molecule_title)
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
    let rows: Vec<ReadyStep> = ready
        .filter_map(|(molecule_step, step)| {
            Some(ReadyStep {
                issue: PlainBead(molecule_step.bead_ref.bead()?.clone()),
                parallel_info: step.clone(),
                parallel_group: step.group.clone(),
            })
        })
        .collect();
    let root = molecule.root.bead().cloned().unwrap_or_default();
    let report = ReadyStepsReport {
        molecule_id: root.id,
        molecule_title: root.title,
        total_steps: steps.len(),
        ready_steps: rows.len(),
        steps: rows,
        parallel_groups: parallel::group_steps(&steps),
    };
    build_report(report, write_ready_steps)
}

#[derive(Serialize)]
struct ReadyStep {
    issue: PlainBead,
    parallel_info: ParallelStep,
    #[serde(skip_serializing_if = "Option::is_none")]
    parallel_group: Option<String>,
}

#[derive(Serialize)]
struct ReadyStepsReport {
    molecule_id: String,
    molecule_title: String,
    total_steps: usize,
    ready_steps: usize,
    steps: Vec<ReadyStep>,
    parallel_groups: BTreeMap<String, Vec<String>>,
}

fn write_ready_steps(report: &ReadyStepsReport, page: &mut Page) {
    page.line(format!(
        "{} of {} steps of {} are ready",
        report.ready_steps, report.total_steps, report.molecule_id
    ));
    for step in &report.steps {
        let bead = &step.issue;
        let group = step
            .parallel_group
            .as_deref()
            .map(|group| format!(" [{group}]"));
        let title = escape::escape_line(&bead.title);
        page.cut_line(format!(
            "  {}: {title}{}",
            bead.id,
            group.unwrap_or_default()
        ));
    }
}
