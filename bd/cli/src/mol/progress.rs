use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::context::Context;
use bd::bead::Status;
use bd::molecule::progress::{self, MoleculeProgress as Molecule};
use bd::store::TimeField;
use kit::ui::{Page, Report, escape};

use kit::cli::report::CommandResult;

/// Show how far a molecule is, and at what rate
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
    Ok(Box::new(ProgressReport(molecule.map(|molecule| {
        MoleculeProgress::from_molecule(&molecule)
    }))))
}

/// The progress of a molecule.
#[derive(Debug, Default)]
struct MoleculeProgress {
    id: String,
    title: String,
    total: usize,
    done: usize,
    begun: usize,
    current: String,
    /// The steps per hour, and the remaining hours.
    rate: Option<(f64, f64)>,
}

impl MoleculeProgress {
    fn from_molecule(molecule: &Molecule<'_>) -> Self {
        let root = molecule.root.id();
        let direct = molecule
            .steps
            .iter()
            .filter(|step| step.bead_ref.is_child_of(root));
        let direct: Vec<_> = direct.collect();
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
            .filter(|step| step.bead_ref.status() == Status::InProgress);
        Self {
            id: root.to_owned(),
            title: molecule
                .root
                .bead()
                .map(|bead| bead.title.clone())
                .unwrap_or_default(),
            total: direct.len(),
            done,
            begun: begun.count(),
            current: molecule
                .current()
                .map(|step| step.bead_ref.id().to_owned())
                .unwrap_or_default(),
            rate: estimate_rate(&ends, direct.len() - done),
        }
    }
}

/// Computes the steps per hour between the first and the last completion, and the remaining hours.
fn estimate_rate(ends: &[Timestamp], left: usize) -> Option<(f64, f64)> {
    let (first, last) = (ends.first()?, ends.last()?);
    let hours = SignedDuration::as_secs_f64(&last.duration_since(*first)) / 3600.0;
    if ends.len() < 2 || hours <= 0.0 {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    let (done, left) = ((ends.len() - 1) as f64, left as f64);
    let rate = done / hours;
    Some((rate, left / rate))
}

/// The progress of a molecule, if one is in progress.
struct ProgressReport(Option<MoleculeProgress>);

impl Report for ProgressReport {
    fn json(&self) -> Value {
        let Some(progress) = &self.0 else {
            return json!([]);
        };
        let mut value = json!({
            "molecule_id": progress.id,
            "molecule_title": progress.title,
            "total": progress.total,
            "completed": progress.done,
            "in_progress": progress.begun,
            "current_step_id": progress.current,
        });
        if let Some(percent) = (progress.done * 100).checked_div(progress.total) {
            value["percent"] = json!(percent);
        }
        if let Some((rate, left)) = progress.rate {
            value["rate_per_hour"] = json!(rate);
            value["eta_hours"] = json!(left);
        }
        value
    }

    fn human(&self, page: &mut Page) {
        let Some(progress) = &self.0 else {
            page.line("No molecules in progress.");
            return;
        };
        page.line(format!(
            "{}: {}",
            progress.id,
            escape::escape_line(&progress.title)
        ));
        let percent = (progress.done * 100)
            .checked_div(progress.total)
            .unwrap_or(0);
        page.line(format!(
            "  {} of {} steps complete ({percent} %)",
            progress.done, progress.total
        ));
        if !progress.current.is_empty() {
            page.line(format!("  Current step: {}", progress.current));
        }
        if let Some((rate, left)) = progress.rate {
            page.line(format!(
                "  Rate: {rate:.1} steps per hour, about {left:.1} hours left"
            ));
        }
    }
}
