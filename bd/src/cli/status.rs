use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::bead::{Bead, DepKind, Kind, Status};
use crate::context::Context;
use crate::graph::ready;
use crate::store::Snapshot;
use crate::ui::{Page, Report};

use super::report::Answer;

/// Show counts: how much is open, in progress, blocked, ready, closed.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[arg(long, hide = true)]
    all: bool,
    /// Only mine
    #[arg(long)]
    assigned: bool,
    #[arg(long, hide = true)]
    no_activity: bool,
}

pub(super) fn run(ctx: &Context, args: &Args) -> Answer {
    let snapshot = ctx.store()?.snapshot()?;
    let mine = args.assigned.then(|| ctx.author().actor);
    let counted = |bead: &&Bead| mine.as_ref().is_none_or(|who| bead.assignee == *who);
    let beads: Vec<&Bead> = snapshot.all().filter(counted).collect();
    Ok(Box::new(Summary::of(&snapshot, &beads)))
}

/// The counts. `ready` and `blocked` count by `blocks` edges alone, as existing clients do.
#[derive(Debug, Default)]
struct Summary {
    total: usize,
    open: usize,
    in_progress: usize,
    closed: usize,
    deferred: usize,
    blocked: usize,
    ready: usize,
    tombstones: usize,
    pinned: usize,
    epics_done: usize,
    lead_hours: f64,
}

impl Summary {
    fn of(snapshot: &Snapshot, beads: &[&Bead]) -> Self {
        let count =
            |wanted: &dyn Fn(&Bead) -> bool| beads.iter().filter(|bead| wanted(bead)).count();
        let waits = |bead: &Bead| !ready::blockers(snapshot, &bead.id).is_empty();
        let is = |status: Status| move |bead: &Bead| bead.status == status;
        Self {
            total: count(&|bead| !bead.is_tombstone()),
            open: count(&is(Status::Open)),
            in_progress: count(&is(Status::InProgress)),
            closed: count(&is(Status::Closed)),
            deferred: count(&is(Status::Deferred)),
            blocked: count(&|bead| bead.is_open() && waits(bead)),
            ready: count(&|bead| bead.status == Status::Open && !waits(bead)),
            tombstones: count(&Bead::is_tombstone),
            pinned: count(&|bead| bead.pinned),
            epics_done: count(&|bead| is_done_epic(snapshot, bead)),
            lead_hours: lead_hours(beads),
        }
    }
}

fn is_done_epic(snapshot: &Snapshot, bead: &Bead) -> bool {
    if bead.issue_type != Kind::Epic || !bead.is_open() {
        return false;
    }
    let links = snapshot.dependents_of(&bead.id);
    let mut children = links
        .iter()
        .filter(|(_, edge)| edge.kind == DepKind::ParentChild)
        .peekable();
    children.peek().is_some() && children.all(|(child, _)| !child.is_open())
}

/// The mean time from creation to closing.
fn lead_hours(beads: &[&Bead]) -> f64 {
    let times: Vec<SignedDuration> = beads
        .iter()
        .filter_map(|bead| {
            let closed = bead.closed_at.as_ref()?;
            Some(closed.instant().duration_since(bead.created_at.instant()))
        })
        .collect();
    if times.is_empty() {
        return 0.0;
    }
    #[expect(clippy::cast_precision_loss, reason = "a mean for people")]
    let count = times.len() as f64;
    times.iter().map(SignedDuration::as_secs_f64).sum::<f64>() / 3600.0 / count
}

impl Report for Summary {
    fn json(&self) -> Value {
        json!({"summary": {
            "total_issues": self.total,
            "open_issues": self.open,
            "in_progress_issues": self.in_progress,
            "closed_issues": self.closed,
            "blocked_issues": self.blocked,
            "deferred_issues": self.deferred,
            "ready_issues": self.ready,
            "tombstone_issues": self.tombstones,
            "pinned_issues": self.pinned,
            "epics_eligible_for_closure": self.epics_done,
            "average_lead_time_hours": self.lead_hours,
        }})
    }

    fn human(&self, page: &mut Page) {
        page.line("📊 Issue Database Status");
        page.blank();
        page.line("Summary:");
        let mut row = |name: &str, count: usize| page.line(format!("  {name:<23} {count}"));
        row("Total Issues:", self.total);
        row("Open:", self.open);
        row("In Progress:", self.in_progress);
        row("Blocked:", self.blocked);
        row("Deferred:", self.deferred);
        row("Closed:", self.closed);
        row("Ready to Work:", self.ready);
        if self.pinned > 0 {
            row("Pinned:", self.pinned);
        }
        if self.epics_done > 0 {
            row("Epics Ready to Close:", self.epics_done);
        }
        if self.lead_hours > 0.0 {
            page.line(format!(
                "  {:<23} {:.1} hours",
                "Avg Lead Time:", self.lead_hours
            ));
        }
    }
}
