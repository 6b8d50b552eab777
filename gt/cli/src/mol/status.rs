use kit::ui::escape;
use serde::Serialize;

use super::{
    CommandResult, Context, Molecule, build_report, describe_next_step, describe_progress,
    write_steps,
};
use bd::molecule::progress::StepState;
use gt::flow::work::molecule;

/// Show the molecule of the work on a hook
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A bead or an agent (default: you)
    #[arg(value_name = "TARGET", default_value = "", hide_default_value = true)]
    target: String,
}

/// The work on a hook and its molecule.
#[derive(Debug, Serialize)]
pub(super) struct MoleculeStatusReport {
    /// The agent or bead that the command names.
    pub(super) target: String,
    has_work: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pinned_bead: Option<String>,
    /// The id of the molecule's root.
    #[serde(skip_serializing_if = "Option::is_none")]
    attached_molecule: Option<String>,
    is_wisp: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    progress: Option<StepProgress>,
    #[serde(skip_serializing_if = "Option::is_none")]
    molecule: Option<Molecule>,
}

/// The steps of a molecule by status.
#[derive(Debug, Serialize)]
pub(super) struct StepProgress {
    root_id: String,
    root_title: String,
    total_steps: usize,
    done_steps: usize,
    in_progress_steps: usize,
    ready_steps: Vec<String>,
    blocked_steps: Vec<String>,
    percent_complete: usize,
    complete: bool,
}

impl StepProgress {
    pub(super) fn from_molecule(found: &Molecule) -> Self {
        let total = found.steps.len();
        Self {
            root_id: found.id.clone(),
            root_title: found.title.clone(),
            total_steps: total,
            done_steps: found.count_done(),
            in_progress_steps: list_steps(found, &[StepState::Current]).len(),
            ready_steps: list_steps(found, &[StepState::Ready]),
            blocked_steps: list_steps(found, &[StepState::Blocked, StepState::Pending]),
            percent_complete: (found.count_done() * 100).checked_div(total).unwrap_or(100),
            complete: found.count_done() == total,
        }
    }
}

/// Lists the ids of the steps in one of these states.
fn list_steps(found: &Molecule, states: &[StepState]) -> Vec<String> {
    found
        .steps
        .iter()
        .filter(|step| states.contains(&step.state))
        .map(|step| step.id.clone())
        .collect()
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let target = match args.target.as_str() {
        "" => town.actor.to_string(),
        target => target.to_owned(),
    };
    let (bead, found) = match molecule::find_attached(&town, &args.target) {
        Ok((bead, found)) => (Some(bead), found),
        // An agent without work is a valid answer. An unknown name is an error.
        Err(_) if args.target.is_empty() || town.parse_address(&args.target).is_ok() => {
            (None, None)
        }
        Err(error) => return Err(error),
    };
    let status = MoleculeStatusReport {
        target,
        has_work: bead.is_some(),
        pinned_bead: bead,
        attached_molecule: found.as_ref().map(|found| found.id.clone()),
        is_wisp: found.as_ref().is_some_and(|found| found.is_wisp),
        progress: found.as_ref().map(StepProgress::from_molecule),
        molecule: found,
    };
    build_report(status, |status, page| {
        let Some(bead) = &status.pinned_bead else {
            page.line(format!("{} has no work on its hook", status.target));
            return;
        };
        let Some(found) = &status.molecule else {
            page.line(format!("{bead} has no molecule"));
            page.line(format!("Next: gt sling FORMULA --on {bead}"));
            return;
        };
        let title = escape::escape_line(&found.title);
        page.line(format!("{bead}: molecule {} {title}", found.id));
        page.line(format!("  {}", describe_progress(found)));
        write_steps(page, &found.steps);
        page.line(describe_next_step(found));
    })
}
