use super::super::report::PlainBead;
use crate::context::Context;
use bd::molecule::gate;
use bd::molecule::parallel;
use bd::molecule::progress::MoleculeProgress;
use kit::cli::report::{CommandResult, build_report};
use kit::ui::escape;

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
    let molecules: Vec<_> = gate::find_freed_steps(&snapshot)
        .into_iter()
        .filter_map(|freed| {
            let molecule_title = snapshot.get_live(&freed.molecule)?.title.clone();
            let closed_gate = PlainBead(snapshot.get_live(&freed.gate)?.clone());
            let ready_step = PlainBead(snapshot.get_live(&freed.step)?.clone());
            Some(kit::report_value! {
                molecule_id: freed.molecule, molecule_title, closed_gate, ready_step
            })
        })
        .collect();
    let count = molecules.len();
    build_report(kit::report_value! { molecules, count }, |report, page| {
        if report.molecules.is_empty() {
            page.line("No molecule waits for a worker after its gate");
        }
        for freed in &report.molecules {
            let gate = &freed.closed_gate;
            let step = &freed.ready_step;
            let title = escape::escape_line(&freed.molecule_title);
            let reason = escape::escape_line(&gate.close_reason);
            page.cut_line(format!("{}: {title}", freed.molecule_id));
            page.cut_line(format!("  gate {} is closed: {reason}", gate.id));
            page.cut_line(format!(
                "  ready: {} {}",
                step.id,
                escape::escape_line(&step.title)
            ));
        }
    })
}

/// Lists the ready steps of a molecule: `bd ready --mol ID`.
pub(crate) fn list_ready_steps(ctx: &Context, given: &str) -> CommandResult {
    let snapshot = ctx.store_for_id(given)?.snapshot()?;
    let root = super::current::molecule_of(&snapshot, given)?;
    let Some(molecule) = MoleculeProgress::for_root(&snapshot, &root) else {
        return Err(bd::change::ChangeError::NotFound(given.to_owned()).into());
    };
    let root = snapshot.resolve(&root)?;
    let steps = parallel::analyze_parallel_steps(&molecule);
    let ready: Vec<_> = molecule
        .steps
        .iter()
        .zip(&steps)
        .filter(|(_, step)| step.is_ready)
        .filter_map(|(molecule_step, step)| {
            let issue = PlainBead(molecule_step.bead_ref.bead()?.clone());
            Some(kit::report_value! {
                issue, parallel_info: step.clone(); parallel_group: step.group.clone()
            })
        })
        .collect();
    let report = kit::report_value! {
        molecule_id: root.id.clone(),
        molecule_title: root.title.clone(),
        total_steps: steps.len(),
        ready_steps: ready.len(),
        steps: ready,
        parallel_groups: parallel::group_steps(&steps)
    };
    build_report(report, |report, page| {
        page.line(format!(
            "{} of {} steps of {} are ready",
            report.ready_steps, report.total_steps, report.molecule_id
        ));
        for step in &report.steps {
            let title = escape::escape_line(&step.issue.title);
            let group = match &step.parallel_group {
                Some(group) => format!(" [{group}]"),
                None => String::new(),
            };
            page.cut_line(format!("  {}: {title}{group}", step.issue.id));
        }
    })
}
