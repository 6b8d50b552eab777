use std::ops::Range;

use serde::Serialize;

use super::super::report::PlainBead;
use crate::context::Context;
use bd::bead::{Bead, Kind};
use bd::molecule::progress::{self, MoleculeProgress, StepState};
use bd::store::Snapshot;
use kit::cli::report::{CommandResult, build_report};
use kit::failure::UsageError;
use kit::ui::{Page, counted, escape};

/// Show where you are in your molecule
///
/// Without an id it shows the molecules whose steps you have begun, or the one attached to the bead
/// on your hook.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The molecule, one of its steps, or the bead that it is attached to
    #[arg(value_name = "ID")]
    id: Option<String>,
    /// The molecules of this agent
    #[arg(long = "for", value_name = "NAME")]
    agent: Option<String>,
    /// Show at most N steps
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Show these steps, such as 3-8
    #[arg(long, value_name = "FROM-TO")]
    range: Option<String>,
}

/// The number of steps up to which all steps are listed without a requested range.
const MAX_LISTED_STEPS: usize = 100;

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let store = match &args.id {
        Some(id) => ctx.store_for_id(id)?,
        None => ctx.store()?,
    };
    let snapshot = store.snapshot()?;
    let roots = match &args.id {
        Some(id) => vec![molecule_of(&snapshot, id)?],
        None => progress::molecules_of_agent(
            &snapshot,
            &args.agent.clone().unwrap_or_else(|| ctx.author().actor),
        ),
    };
    let part = parse_step_range(&args)?;
    let is_partial = args.limit.is_some() || args.range.is_some();
    let lists_all = is_partial || ctx.ui.is_json();
    let shown = roots.iter().filter_map(|root| {
        let quick = MoleculeProgress::by_number(&snapshot, root)?;
        if quick.steps.len() > MAX_LISTED_STEPS && !lists_all {
            return CurrentMolecule::from_progress(&quick, 0..0);
        }
        CurrentMolecule::from_progress(&MoleculeProgress::for_root(&snapshot, root)?, part.clone())
    });
    let open: Vec<(String, String)> = if roots.is_empty() {
        snapshot
            .open_rows()
            .map(|row| snapshot.bead_ref_at(row.node))
            .filter(|bead_ref| bead_ref.kind() == Kind::Epic && !bead_ref.has_label("template"))
            .filter_map(|bead_ref| bead_ref.bead())
            .filter(|bead| !bead.source_formula.is_empty())
            .map(|bead| (bead.id.clone(), bead.title.clone()))
            .take(10)
            .collect()
    } else {
        Vec::new()
    };
    let molecules: Vec<CurrentMolecule> = shown.collect();
    build_report(molecules, move |molecules, page| {
        if molecules.is_empty() {
            write_open_molecules(&open, page);
        }
        for shown in molecules {
            page.blank();
            write_molecule(page, shown);
        }
    })
}

/// Resolves an id to its molecule: the bead, the molecule of a step, or the molecule attached to a
/// bead.
pub(super) fn molecule_of(snapshot: &Snapshot, given: &str) -> anyhow::Result<String> {
    let bead = snapshot.resolve(given)?;
    let Some(bead_ref) = snapshot.bead_ref(&bead.id) else {
        return Ok(bead.id.clone());
    };
    if let Some(attached) = progress::find_related_molecule(snapshot, &bead_ref) {
        return Ok(attached);
    }
    let root = progress::root_of(snapshot, &bead.id);
    Ok(root.unwrap_or_else(|| bead.id.clone()))
}

/// Parses the range of steps to list, counted from 0.
fn parse_step_range(args: &Args) -> Result<Range<usize>, UsageError> {
    let Some(range) = &args.range else {
        return Ok(0..args.limit.map_or(usize::MAX, |limit| limit.max(1)));
    };
    if let Some((from, to)) = range.split_once('-')
        && let (Ok(from), Ok(to)) = (from.trim().parse::<usize>(), to.trim().parse::<usize>())
        && 0 < from
        && from <= to
    {
        return Ok(from - 1..to);
    }
    Err(UsageError(format!(
        "invalid --range \"{range}\": use FROM-TO, such as 3-8"
    )))
}

/// A molecule with the steps to show.
#[derive(Serialize)]
struct CurrentMolecule {
    molecule_id: String,
    molecule_title: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    assignee: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    current_step: Option<PlainBead>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_step: Option<PlainBead>,
    steps: Vec<CurrentStep>,
    completed: usize,
    total: usize,
    /// The open gate that blocks the molecule.
    #[serde(skip)]
    gate: Option<Bead>,
}

#[derive(Serialize)]
struct CurrentStep {
    issue: PlainBead,
    status: &'static str,
    is_current: bool,
}

fn read_step(step: &progress::MoleculeStep<'_>) -> Option<PlainBead> {
    step.bead_ref.bead().cloned().map(PlainBead)
}

impl CurrentMolecule {
    /// Returns `None` if the line of the root cannot be read.
    fn from_progress(progress: &MoleculeProgress<'_>, shown: Range<usize>) -> Option<Self> {
        let root = progress.root.bead()?;
        Some(Self {
            molecule_id: root.id.clone(),
            molecule_title: root.title.clone(),
            assignee: root.assignee.clone(),
            current_step: progress.current().and_then(read_step),
            next_step: progress.next().and_then(read_step),
            steps: progress
                .steps
                .iter()
                .take(shown.end)
                .skip(shown.start)
                .filter_map(|step| {
                    Some(CurrentStep {
                        issue: read_step(step)?,
                        status: step.state.as_str(),
                        is_current: step.state == StepState::Current,
                    })
                })
                .collect(),
            completed: progress.done(),
            total: progress.steps.len(),
            gate: progress
                .steps
                .iter()
                .filter(|step| step.state == StepState::Pending)
                .filter_map(|step| step.bead_ref.bead())
                .find(|bead| bead.issue_type == Kind::Gate)
                .cloned(),
        })
    }
}

/// Writes the molecules that no one has taken, for an agent without a molecule.
fn write_open_molecules(open: &[(String, String)], page: &mut Page) {
    page.line("No molecules in progress.");
    for (id, title) in open {
        page.cut_line(format!("  open: {id} {}", escape::escape_line(title)));
    }
    match open.first() {
        Some((id, _)) => page.line(format!("Next: bd mol current {id}")),
        None => page.line("Next: bd mol pour FORMULA"),
    }
}

fn write_molecule(page: &mut Page, shown: &CurrentMolecule) {
    page.line(format!("You're working on molecule {}", shown.molecule_id));
    page.line(format!("  {}", escape::escape_line(&shown.molecule_title)));
    if !shown.assignee.is_empty() {
        page.line(format!(
            "  Assigned to: {}",
            escape::escape_line(&shown.assignee)
        ));
    }
    page.blank();
    for step in &shown.steps {
        let here = if step.is_current {
            " <- YOU ARE HERE"
        } else {
            ""
        };
        let title = escape::escape_line(&step.issue.title);
        page.cut_line(format!(
            "  [{}] {}: {title}{here}",
            step.status, step.issue.id
        ));
    }
    if shown.steps.is_empty() && shown.total > 0 {
        page.line(format!(
            "  {}; list some with --range 1-50",
            counted(shown.total, "step")
        ));
    }
    page.blank();
    page.line(format!(
        "Progress: {}/{} steps complete",
        shown.completed, shown.total
    ));
    if let (None, None, Some(gate)) = (&shown.current_step, &shown.next_step, &shown.gate) {
        page.line(format!(
            "Waiting for {}: {}",
            gate.id,
            escape::escape_line(&gate.title)
        ));
        let next = match gate.await_type.as_str() {
            "human" | "mail" => format!("bd gate resolve {}", gate.id),
            _ => "bd gate check".to_owned(),
        };
        page.line(format!("Next: {next}"));
        return;
    }
    match (&shown.current_step, &shown.next_step) {
        (Some(step), _) => page.line(format!("Next: bd close {} --continue", step.id)),
        (None, Some(step)) => page.line(format!("Next: bd update {} --claim", step.id)),
        (None, None) if shown.completed == shown.total => {
            page.line(format!("Next: bd close {}", shown.molecule_id));
        }
        (None, None) => page.line(format!(
            "Next: bd ready --explain --parent {}",
            shown.molecule_id
        )),
    }
}
