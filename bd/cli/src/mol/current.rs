use serde_json::{Value, json};

use std::ops::Range;

use crate::context::Context;
use bd::bead::{Bead, Kind};
use bd::molecule::progress::{self, MoleculeProgress, StepState};
use bd::store::Snapshot;
use kit::failure::UsageError;
use kit::ui::{Page, Report, escape};

use super::super::report::plain_json;
use kit::cli::report::CommandResult;

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
    /// Only these steps, such as 3-8
    #[arg(long, value_name = "FROM-TO")]
    range: Option<String>,
}

/// The number of steps up to which all steps are listed without a requested range.
const MANY: usize = 100;

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let store = match &args.id {
        Some(id) => ctx.store_for_id(id)?,
        None => ctx.store()?,
    };
    let snapshot = store.snapshot()?;
    let roots = match &args.id {
        Some(id) => vec![molecule_of(&snapshot, id)?],
        None => {
            let current_actor = || ctx.author().actor;
            progress::molecules_of_agent(
                &snapshot,
                &args.agent.clone().unwrap_or_else(current_actor),
            )
        }
    };
    let part = parse_step_range(&args)?;
    let is_partial = args.limit.is_some() || args.range.is_some();
    let lists_all = is_partial || ctx.ui.is_json();
    let shown = roots.iter().filter_map(|root| {
        let quick = MoleculeProgress::by_number(&snapshot, root)?;
        if quick.steps.len() > MANY && !lists_all {
            return Some(CurrentMolecule::from_progress(&quick, 0..0));
        }
        Some(CurrentMolecule::from_progress(
            &MoleculeProgress::for_root(&snapshot, root)?,
            part.clone(),
        ))
    });
    let open = || -> Vec<(String, String)> {
        let heads = snapshot
            .open_rows()
            .map(|row| snapshot.bead_ref_at(row.node));
        let epics = heads
            .filter(|bead_ref| bead_ref.kind() == Kind::Epic && !bead_ref.has_label("template"));
        let roots = epics.filter_map(|bead_ref| bead_ref.bead());
        let roots = roots.filter(|bead| !bead.source_formula.is_empty());
        roots
            .map(|bead| (bead.id.clone(), bead.title.clone()))
            .take(10)
            .collect()
    };
    let open = if roots.is_empty() { open() } else { Vec::new() };
    Ok(Box::new(CurrentReport {
        molecules: shown.collect(),
        open,
    }))
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
    let wrong = || {
        UsageError(format!(
            "invalid --range \"{range}\": use FROM-TO, such as 3-8"
        ))
    };
    let (from, to) = range.split_once('-').ok_or_else(wrong)?;
    let number = |text: &str| text.trim().parse::<usize>().ok().filter(|at| *at > 0);
    match (number(from), number(to)) {
        (Some(from), Some(to)) if from <= to => Ok(from - 1..to),
        _ => Err(wrong()),
    }
}

/// A molecule with the steps to show.
#[derive(Debug)]
struct CurrentMolecule {
    root: Bead,
    current: Option<Bead>,
    next: Option<Bead>,
    steps: Vec<(Bead, StepState)>,
    done: usize,
    total: usize,
    /// The open gate that blocks the molecule.
    gate: Option<Bead>,
}

impl CurrentMolecule {
    fn from_progress(progress: &MoleculeProgress<'_>, shown: Range<usize>) -> Self {
        let total = progress.steps.len();
        let steps = progress.steps.iter().take(shown.end).skip(shown.start);
        let bead = |step: &progress::MoleculeStep<'_>| step.bead_ref.bead().cloned();
        Self {
            root: progress.root.bead().cloned().unwrap_or_default(),
            current: progress.current().and_then(bead),
            next: progress.next().and_then(bead),
            steps: steps
                .filter_map(|step| Some((bead(step)?, step.state)))
                .collect(),
            done: progress.done(),
            total,
            gate: progress
                .steps
                .iter()
                .filter(|step| step.state == StepState::Pending)
                .filter_map(bead)
                .find(|bead| bead.issue_type == Kind::Gate),
        }
    }
}

#[derive(Debug)]
struct CurrentReport {
    molecules: Vec<CurrentMolecule>,
    /// The molecules without an assignee, listed if the agent has none.
    open: Vec<(String, String)>,
}

impl Report for CurrentReport {
    fn json(&self) -> Value {
        let molecule_json = |shown: &CurrentMolecule| {
            let mut value = json!({
                "molecule_id": shown.root.id,
                "molecule_title": shown.root.title,
            });
            if !shown.root.assignee.is_empty() {
                value["assignee"] = json!(shown.root.assignee);
            }
            for (key, bead) in [("current_step", &shown.current), ("next_step", &shown.next)] {
                if let Some(bead) = bead {
                    value[key] = plain_json(bead);
                }
            }
            let steps = shown.steps.iter().map(|(bead, state)| {
                json!({
                    "issue": plain_json(bead),
                    "status": state.as_str(),
                    "is_current": *state == StepState::Current,
                })
            });
            value["steps"] = steps.collect();
            value["completed"] = json!(shown.done);
            value["total"] = json!(shown.total);
            value
        };
        self.molecules.iter().map(molecule_json).collect()
    }

    fn human(&self, page: &mut Page) {
        if self.molecules.is_empty() {
            page.line("No molecules in progress.");
            for (id, title) in &self.open {
                page.cut_line(format!("  open: {id} {}", escape::escape_line(title)));
            }
            match self.open.first() {
                Some((id, _)) => page.line(format!("Next: bd mol current {id}")),
                None => page.line("Next: bd mol pour FORMULA"),
            }
        }
        for shown in &self.molecules {
            page.blank();
            write_molecule(page, shown);
        }
    }
}

fn write_molecule(page: &mut Page, shown: &CurrentMolecule) {
    page.line(format!("You're working on molecule {}", shown.root.id));
    page.line(format!("  {}", escape::escape_line(&shown.root.title)));
    if !shown.root.assignee.is_empty() {
        page.line(format!(
            "  Assigned to: {}",
            escape::escape_line(&shown.root.assignee)
        ));
    }
    page.blank();
    for (bead, state) in &shown.steps {
        let here = if *state == StepState::Current {
            " <- YOU ARE HERE"
        } else {
            ""
        };
        let title = escape::escape_line(&bead.title);
        page.cut_line(format!("  [{}] {}: {title}{here}", state.as_str(), bead.id));
    }
    if shown.steps.is_empty() && shown.total > 0 {
        page.line(format!(
            "  {} steps; list some with --range 1-50",
            shown.total
        ));
    }
    page.blank();
    page.line(format!(
        "Progress: {}/{} steps complete",
        shown.done, shown.total
    ));
    if let (None, None, Some(gate)) = (&shown.current, &shown.next, &shown.gate) {
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
    match (&shown.current, &shown.next) {
        (Some(step), _) => page.line(format!("Next: bd close {} --continue", step.id)),
        (None, Some(step)) => page.line(format!("Next: bd update {} --claim", step.id)),
        (None, None) if shown.done == shown.total => {
            page.line(format!("Next: bd close {}", shown.root.id));
        }
        (None, None) => page.line(format!(
            "Next: bd ready --explain --parent {}",
            shown.root.id
        )),
    }
}
