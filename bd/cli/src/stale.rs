use serde::Serialize;

use super::args::{self, InternalArgs};
use super::line;
use super::list::report_cut;
use super::report::PlainBead;
use crate::context::Context;
use bd::bead::Status;
use bd::query::BeadFilter;
use bd::query::filter::TimeRange;
use kit::cli::report::{CommandResult, build_report};
use kit::ui::{Page, counted};

/// List open beads that did not change for a while
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// List beads not updated for N days
    #[arg(short, long, value_name = "N", default_value_t = 30)]
    days: u32,
    /// Filter by status
    #[arg(short, long, value_name = "STATUS", value_parser = args::parse_filter_value)]
    status: Option<String>,
    /// Show at most N beads; 0 for all
    #[arg(short = 'n', long, value_name = "N", default_value_t = 50)]
    limit: usize,
    #[command(flatten)]
    internal: InternalArgs,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let snapshot = ctx.store()?.snapshot()?;
    let days = i64::from(args.days);
    let before = ctx.now() - jiff::SignedDuration::from_hours(24 * days);
    let filter = BeadFilter {
        statuses: args
            .status
            .iter()
            .map(|status| Status::from(status.as_str()))
            .collect(),
        not_statuses: vec![Status::Closed],
        no_internal: args.internal.are_hidden(ctx),
        updated: TimeRange {
            before: Some(before),
            after: None,
        },
        ..BeadFilter::default()
    };
    let mut beads = filter.apply(&snapshot);
    beads.sort_by_key(|bead| (bead.updated_at.instant(), bead.id.clone()));
    let total = beads.len();
    if args.limit > 0 {
        beads.truncate(args.limit);
    }
    if beads.len() < total {
        report_cut(ctx, beads.len(), total);
    }
    let beads: Vec<StaleBead> = beads
        .into_iter()
        .map(|bead| StaleBead {
            age: ctx
                .now()
                .duration_since(bead.updated_at.instant())
                .as_hours()
                / 24,
            bead: PlainBead(bead.clone()),
        })
        .collect();
    build_report(beads, move |beads, page| {
        write_stale_beads(beads, days, page);
    })
}

#[derive(Serialize)]
#[serde(transparent)]
struct StaleBead {
    bead: PlainBead,
    /// The days since the last change.
    #[serde(skip)]
    age: i64,
}

fn count_days(days: i64) -> String {
    counted(usize::try_from(days).unwrap_or(0), "day")
}

fn write_stale_beads(beads: &[StaleBead], days: i64, page: &mut Page) {
    let span = count_days(days);
    if beads.is_empty() {
        page.line(format!(
            "✨ No stale issues: all were updated within {span}"
        ));
        return;
    }
    let count = beads.len();
    page.line(format!("⏰ Stale issues ({count} not updated for {span}):"));
    for StaleBead { bead, age } in beads {
        let style = page.style().clone();
        let line_start = format!(
            "[{}] {} ",
            line::paint_priority(&style, bead.priority),
            style.cyan(&bead.id)
        );
        line::write_fitted(
            page,
            &line_start,
            &bead.title,
            &format!(" ({}, {})", bead.status, count_days(*age)),
        );
    }
}
