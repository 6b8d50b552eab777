use serde::Serialize;

use super::args::InternalArgs;
use crate::context::Context;
use bd::bead::Status;
use bd::graph::external::ExternalLookup;
use bd::graph::ready_counts;
use bd::query::BeadFilter;
use bd::store::{BeadCounts, BeadRef, Snapshot};
use kit::cli::report::{CommandResult, build_report};
use kit::ui::Page;

/// Show how many beads are open, in progress, ready, closed
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[arg(long, hide = true)]
    all: bool,
    /// Count only your beads
    #[arg(long)]
    assigned: bool,
    #[arg(long, hide = true)]
    no_activity: bool,
    #[command(flatten)]
    internal: InternalArgs,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let store = ctx.store()?;
    let snapshot = store.snapshot()?;
    let mut external = ExternalLookup::new(&snapshot, store.dir(), ctx.routes(store.dir()));
    let mine = args.assigned.then(|| ctx.author().actor);
    let without_internal = args.internal.are_hidden(ctx);
    let is_own = |bead: &BeadRef<'_>| mine.as_ref().is_none_or(|name| bead.assignee() == name);
    let mut all = match &mine {
        Some(_) => count_beads(&snapshot, snapshot.bead_refs().filter(is_own)),
        None => snapshot.counts(),
    };
    if without_internal {
        // Few of many beads are internal, and the counts of all are stored.
        all.subtract(&count_beads(
            &snapshot,
            snapshot
                .bead_refs()
                .filter(BeadRef::is_internal)
                .filter(is_own),
        ));
    }
    let mut summary = StatusSummary::from_counts(&all);
    let counted = BeadFilter {
        assignee: mine.clone(),
        no_internal: without_internal,
        ..BeadFilter::default()
    };
    let counts =
        ready_counts::count_ready_and_blocked(&snapshot, &mut external, ctx.now(), counted);
    summary.ready = counts.ready;
    summary.blocked = counts.blocked;
    let internal = if without_internal && mine.is_none() {
        snapshot.live_count().saturating_sub(summary.total)
    } else {
        0
    };
    let report = StatusReport { summary, internal };
    build_report(report, |report, page| {
        write_status(&report.summary, page);
        if report.internal > 0 {
            let label = "Internal (--internal):";
            page.line(format!("  {label:<23} {}", report.internal));
        }
    })
}

fn count_beads<'a>(snapshot: &'a Snapshot, beads: impl Iterator<Item = BeadRef<'a>>) -> BeadCounts {
    let beads: Vec<BeadRef<'a>> = beads.collect();
    let mut counts = snapshot.counts_of(&beads);
    counts.epics_done = beads.iter().filter(|bead| bead.is_done_epic()).count() as u64;
    counts
}

#[derive(Serialize)]
struct StatusReport {
    summary: StatusSummary,
    /// The number of internal beads that are left out.
    #[serde(skip)]
    internal: usize,
}

/// The numbers of beads. `ready` and `blocked` match the output of the commands with these names.
#[derive(Debug, Default, Serialize)]
struct StatusSummary {
    #[serde(rename = "total_issues")]
    total: usize,
    #[serde(rename = "open_issues")]
    open: usize,
    #[serde(rename = "in_progress_issues")]
    in_progress: usize,
    #[serde(rename = "closed_issues")]
    closed: usize,
    #[serde(rename = "blocked_issues")]
    blocked: usize,
    #[serde(rename = "deferred_issues")]
    deferred: usize,
    #[serde(rename = "ready_issues")]
    ready: usize,
    #[serde(rename = "tombstone_issues")]
    tombstones: usize,
    #[serde(rename = "pinned_issues")]
    pinned: usize,
    #[serde(rename = "epics_eligible_for_closure")]
    epics_done: usize,
    #[serde(rename = "average_lead_time_hours")]
    lead_hours: f64,
}

impl StatusSummary {
    fn from_counts(counts: &BeadCounts) -> Self {
        let by_status = counts.by_status.map(to_usize);
        let count = |status: Status| by_status[usize::from(status.code())];
        let all = by_status
            .iter()
            .fold(0_usize, |all, count| all.saturating_add(*count));
        let deleted = count(Status::Tombstone);
        #[expect(clippy::cast_precision_loss, reason = "a mean for people")]
        let led = counts.closed_count as f64;
        Self {
            total: all.saturating_sub(deleted),
            open: count(Status::Open),
            in_progress: count(Status::InProgress),
            closed: count(Status::Closed),
            deferred: count(Status::Deferred),
            tombstones: deleted,
            pinned: to_usize(counts.pinned),
            epics_done: to_usize(counts.epics_done),
            lead_hours: if counts.closed_count == 0 {
                0.0
            } else {
                counts.lead_seconds / 3600.0 / led
            },
            ..Self::default()
        }
    }
}

fn to_usize(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

fn write_status(summary: &StatusSummary, page: &mut Page) {
    page.line("📊 Issue Database Status");
    page.blank();
    page.line("Summary:");
    for (name, count) in [
        ("Total Issues:", summary.total),
        ("Open:", summary.open),
        ("In Progress:", summary.in_progress),
        ("Blocked:", summary.blocked),
        ("Deferred:", summary.deferred),
        ("Closed:", summary.closed),
        ("Ready to Work:", summary.ready),
    ] {
        page.line(format!("  {name:<23} {count}"));
    }
    for (name, count) in [
        ("Pinned:", summary.pinned),
        ("Epics Ready to Close:", summary.epics_done),
    ] {
        if count > 0 {
            page.line(format!("  {name:<23} {count}"));
        }
    }
    if summary.lead_hours > 0.0 {
        page.line(format!(
            "  {:<23} {:.1} hours",
            "Avg Lead Time:", summary.lead_hours
        ));
    }
}
