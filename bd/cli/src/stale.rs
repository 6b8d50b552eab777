use serde_json::Value;

use crate::context::Context;
use bd::bead::{Bead, Status};
use bd::query::BeadFilter;
use bd::query::filter::TimeRange;
use kit::ui::{Page, Report};

use super::line;
use super::report::plain_json;
use kit::cli::report::CommandResult;

/// List open beads that nobody has touched for a while
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Not updated for N days
    #[arg(short, long, value_name = "N", default_value_t = 30)]
    days: u32,
    /// Only beads of this status
    #[arg(short, long, value_name = "STATUS")]
    status: Option<String>,
    /// Show at most N beads; 0 for all
    #[arg(short = 'n', long, value_name = "N", default_value_t = 50)]
    limit: usize,
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
        updated: TimeRange {
            before: Some(before),
            after: None,
        },
        ..BeadFilter::default()
    };
    let mut beads = filter.apply(&snapshot);
    beads.sort_by_key(|bead| (bead.updated_at.instant(), bead.id.clone()));
    if args.limit > 0 {
        beads.truncate(args.limit);
    }
    let age = |bead: &Bead| {
        ctx.now()
            .duration_since(bead.updated_at.instant())
            .as_hours()
            / 24
    };
    let beads = beads
        .into_iter()
        .map(|bead| (bead.clone(), age(bead)))
        .collect();
    Ok(Box::new(StaleReport { beads, days }))
}

/// The beads with the days since their last change.
#[derive(Debug)]
struct StaleReport {
    beads: Vec<(Bead, i64)>,
    days: i64,
}

impl Report for StaleReport {
    fn json(&self) -> Value {
        self.beads
            .iter()
            .map(|(bead, _)| plain_json(bead))
            .collect()
    }

    fn human(&self, page: &mut Page) {
        let days = self.days;
        if self.beads.is_empty() {
            page.line(format!(
                "✨ No stale issues: all were updated within {days} days"
            ));
            return;
        }
        let count = self.beads.len();
        page.line(format!(
            "⏰ Stale issues ({count} not updated for {days} days):"
        ));
        for (bead, age) in &self.beads {
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
                &format!(" ({}, {age} days)", bead.status),
            );
        }
    }
}
