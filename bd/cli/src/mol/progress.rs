use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use crate::context::Context;
use bd::bead::Status;
use bd::molecule::progress::{self, MoleculeProgress as Molecule};
use bd::store::TimeField;
use kit::cli::report::{CommandResult, build_report};
use kit::ui::{Page, escape};

/// Show the progress of a molecule and its rate
///
/// Counts the direct steps only, so that it is quick for large molecules.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The molecule
    #[arg(value_name = "ID")]
    id: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let store = match &args.id {
        Some(id) => ctx.store_for_id(id)?,
        None => ctx.store()?,
    };
    let snapshot = store.snapshot()?;
    let root = match &args.id {
        Some(id) => Some(super::current::molecule_of(&snapshot, id)?),
        None => progress::molecules_of_agent(&snapshot, &ctx.author().actor)
            .into_iter()
            .next(),
    };
    let molecule = root.and_then(|root| Molecule::for_root(&snapshot, &root));
    match molecule {
        None => build_report([(); 0], |_, page| page.line("No molecules in progress.")),
        Some(molecule) => build_report(MoleculeProgress::from_molecule(&molecule), write_progress),
    }
}

/// The progress of a molecule.
#[derive(Serialize)]
struct MoleculeProgress {
    molecule_id: String,
    molecule_title: String,
    total: usize,
    completed: usize,
    in_progress: usize,
    current_step_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    percent: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rate_per_hour: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    eta_hours: Option<f64>,
}

impl MoleculeProgress {
    fn from_molecule(molecule: &Molecule<'_>) -> Self {
        let root = molecule.root.id();
        let direct: Vec<_> = molecule
            .steps
            .iter()
            .filter(|step| step.bead_ref.is_child_of(root))
            .collect();
        let mut ends: Vec<Timestamp> = direct
            .iter()
            .filter_map(|step| step.bead_ref.time(TimeField::Closed))
            .collect();
        ends.sort();
        let done = direct
            .iter()
            .filter(|step| !step.bead_ref.is_open())
            .count();
        let begun = direct
            .iter()
            .filter(|step| step.bead_ref.status() == Status::InProgress)
            .count();
        let rate = estimate_rate(&ends, direct.len() - done);
        Self {
            molecule_id: root.to_owned(),
            molecule_title: molecule
                .root
                .bead()
                .map_or(String::new(), |bead| bead.title.clone()),
            total: direct.len(),
            completed: done,
            in_progress: begun,
            current_step_id: molecule
                .current()
                .map_or("", |step| step.bead_ref.id())
                .to_owned(),
            percent: (done * 100).checked_div(direct.len()),
            rate_per_hour: rate.map(|(rate, _)| rate),
            eta_hours: rate.map(|(_, left)| left),
        }
    }
}

/// Computes the steps per hour between the first and the last completion, and the remaining hours.
#[expect(clippy::cast_precision_loss, reason = "an estimate")]
fn estimate_rate(ends: &[Timestamp], left: usize) -> Option<(f64, f64)> {
    let first = ends.first()?;
    let last = ends.last()?;
    let hours = SignedDuration::as_secs_f64(&last.duration_since(*first)) / 3600.0;
    if ends.len() < 2 || hours <= 0.0 {
        return None;
    }
    let rate = (ends.len() - 1) as f64 / hours;
    Some((rate, left as f64 / rate))
}

fn write_progress(progress: &MoleculeProgress, page: &mut Page) {
    page.line(format!(
        "{}: {}",
        progress.molecule_id,
        escape::escape_line(&progress.molecule_title)
    ));
    let percent = progress.percent.unwrap_or(0);
    page.line(format!(
        "  {} of {} steps complete ({percent} %)",
        progress.completed, progress.total
    ));
    if !progress.current_step_id.is_empty() {
        page.line(format!("  Current step: {}", progress.current_step_id));
    }
    if let (Some(rate), Some(left)) = (progress.rate_per_hour, progress.eta_hours) {
        page.line(format!(
            "  Rate: {rate:.1} steps per hour, about {left:.1} hours left"
        ));
    }
}
