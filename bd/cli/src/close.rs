use serde::Serialize;

use super::report::PlainBead;
use super::{args, each};
use crate::context::Context;
use bd::bead::{DepKind, Status};
use bd::change;
use bd::molecule::progress::{self, StepAdvance};
use kit::cli::report::{CommandResult, build_confirmation, build_report};
use kit::ui::{Page, escape};

/// Close beads
///
/// Refuses blocked beads, templates and pinned beads unless --force is given. Several beads are
/// closed in one transaction: if one of them cannot be closed, none is. On a terminal and outside a
/// town, closes the bead that you last created or changed if no id is given.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The beads
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// The reason
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true)]
    reason: Option<String>,
    #[arg(long, hide = true, value_name = "TEXT", aliases = ["comment"], allow_hyphen_values = true)]
    resolution: Option<String>,
    #[arg(
        short,
        long,
        hide = true,
        value_name = "TEXT",
        allow_hyphen_values = true
    )]
    message: Option<String>,
    /// Read the reason from a file; `-` is standard input
    #[arg(long, value_name = "PATH")]
    reason_file: Option<String>,
    /// Close blocked and pinned beads, too
    #[arg(short, long)]
    force: bool,
    /// List the beads that this unblocks
    #[arg(long)]
    suggest_next: bool,
    /// Start and show the next step of the molecule
    #[arg(long = "continue")]
    go_on: bool,
    /// With --continue, show the next step without starting it
    #[arg(long)]
    no_auto: bool,
    /// The agent session
    #[arg(long, value_name = "ID")]
    session: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    ctx.check_writable("close")?;
    let ids = each::ids_or_last(ctx, args.ids)?;
    if args.suggest_next && ids.len() > 1 {
        kit::bail_usage!("--suggest-next only works when closing a single issue");
    }
    if args.go_on && ids.len() > 1 {
        kit::bail_usage!("--continue only works when closing a single issue");
    }
    let from_file = args
        .reason_file
        .map(|path| args::read_input_file(ctx, &path))
        .transpose()?;
    let given = from_file
        .or(args.reason)
        .or(args.resolution)
        .or(args.message);
    let reason = given
        .map(|text| text.trim_end().to_owned())
        .filter(|text| !text.is_empty())
        .unwrap_or_else(|| "Closed".to_owned());
    let session = args
        .session
        .as_deref()
        .or_else(|| ctx.env.get("CLAUDE_SESSION_ID"))
        .unwrap_or("");
    each::resolve_all(ctx, &ids)?;
    let was_open = match ids.first() {
        Some(id) if args.go_on => ctx.store_for_id(id)?.snapshot()?.resolve(id)?.is_open(),
        _ => true,
    };
    let closed = each::change_each(ctx, "closing", &ids, |tx, id| {
        change::close_bead(tx, id, &reason, session, args.force)
    })?;
    let unblocked = match closed.first() {
        Some(bead) if args.suggest_next => find_unblocked(ctx, &bead.id)?,
        _ => Vec::new(),
    };
    let step = match closed.first() {
        Some(bead) if args.go_on => Some(find_next_step(ctx, &bead.id, was_open && !args.no_auto)?),
        _ => None,
    };
    let closed: Vec<PlainBead> = closed.into_iter().map(PlainBead).collect();
    if step.is_none() && unblocked.is_empty() {
        return build_confirmation(closed, |beads, page| write_closed_beads(beads, page));
    }
    let report = CloseReport {
        step: step.map(|step| StepReport::new(closed.first(), step)),
        closed,
        unblocked,
    };
    build_report(report, write_report)
}

/// Finds the step after a closed one, and starts it if `begin` is set.
fn find_next_step(ctx: &Context, id: &str, begin: bool) -> anyhow::Result<StepAdvance> {
    let store = ctx.store_for_id(id)?;
    store.transact(&ctx.author(), &ctx.clock, |tx| {
        Ok(progress::advance_molecule(tx, id, begin)?)
    })
}

/// Returns the beads that the closed bead blocked and that are ready now, most urgent first.
fn find_unblocked(ctx: &Context, id: &str) -> anyhow::Result<Vec<PlainBead>> {
    let snapshot = ctx.store_for_id(id)?.snapshot()?;
    let mut found: Vec<PlainBead> = snapshot
        .dependents_of(id)
        .into_iter()
        .filter(|(bead, edge)| {
            let alive = matches!(bead.status, Status::Open | Status::InProgress);
            edge.kind == DepKind::Blocks
                && alive
                && !bead.pinned
                && !snapshot
                    .bead_ref(&bead.id)
                    .is_some_and(|dependent| dependent.is_blocked())
        })
        .map(|(bead, _)| PlainBead(bead.clone()))
        .collect();
    found.sort_by(|a, b| a.priority.cmp(&b.priority).then_with(|| a.id.cmp(&b.id)));
    Ok(found)
}

#[derive(Debug, Serialize)]
struct CloseReport {
    closed: Vec<PlainBead>,
    #[serde(rename = "continue", skip_serializing_if = "Option::is_none")]
    step: Option<StepReport>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unblocked: Vec<PlainBead>,
}

/// The progress of a molecule after one of its steps was closed.
#[derive(Debug, Serialize)]
struct StepReport {
    closed_step: Option<String>,
    #[serde(rename = "auto_advanced")]
    is_begun: bool,
    #[serde(rename = "molecule_complete")]
    is_complete: bool,
    #[serde(rename = "next_step", skip_serializing_if = "Option::is_none")]
    next: Option<PlainBead>,
    #[serde(rename = "molecule_id", skip_serializing_if = "Option::is_none")]
    molecule: Option<String>,
}

impl StepReport {
    fn new(closed: Option<&PlainBead>, advance: StepAdvance) -> Self {
        Self {
            closed_step: closed.map(|bead| bead.id.clone()),
            is_begun: advance.is_begun,
            is_complete: advance.is_complete,
            next: advance.next.map(PlainBead),
            molecule: advance.molecule,
        }
    }
}

fn write_report(report: &CloseReport, page: &mut Page) {
    write_closed_beads(&report.closed, page);
    if let Some(step) = &report.step {
        write_next_step(page, step);
    }
    if !report.unblocked.is_empty() {
        page.blank();
        page.line("Newly unblocked:");
        for bead in &report.unblocked {
            page.cut_line(format!(
                "  • {} \"{}\" (P{})",
                bead.id,
                escape::escape_line(&bead.title),
                bead.priority
            ));
        }
    }
}

fn write_closed_beads(beads: &[PlainBead], page: &mut Page) {
    let mark = page.style().green("✓");
    for bead in beads {
        page.line(format!(
            "{mark} Closed {}: {}",
            bead.id,
            escape::escape_line(&bead.close_reason)
        ));
    }
}

/// Prints the next step of the molecule.
fn write_next_step(page: &mut Page, step: &StepReport) {
    let Some(molecule) = &step.molecule else {
        return;
    };
    let mark = page.style().green("✓");
    page.blank();
    match &step.next {
        Some(next) => {
            let verb = if step.is_begun { "Begun" } else { "Next" };
            page.cut_line(format!(
                "{verb}: {} {}",
                next.id,
                escape::escape_line(&next.title)
            ));
            page.line(format!("  bd show {}", next.id));
        }
        None if step.is_complete => {
            page.line(format!(
                "{mark} Molecule {molecule} complete! All steps closed."
            ));
            page.line(format!("Next: bd close {molecule}"));
        }
        None => {
            page.line("No ready steps in molecule (may be blocked).");
            page.line(format!("Next: bd mol current {molecule}"));
        }
    }
}
