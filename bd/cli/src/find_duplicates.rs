use super::args;
use crate::context::Context;
use bd::bead::Status;
use bd::query::{BeadFilter, similar};
use kit::cli::report::{CommandResult, build_report};
use kit::ui::{counted, escape};

/// Find pairs of beads with similar texts
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The comparison: mechanical
    #[arg(long, value_name = "METHOD", default_value = "mechanical")]
    method: String,
    /// The minimum similarity, from 0 to 1
    #[arg(long, value_name = "N", default_value_t = 0.5)]
    threshold: f64,
    /// Filter by status (default: all but closed)
    #[arg(short, long, value_name = "STATUS", value_parser = args::parse_filter_value)]
    status: Option<String>,
    /// Show at most N pairs; 0 for all
    #[arg(short = 'n', long, value_name = "N", default_value_t = 50)]
    limit: usize,
    #[arg(long, hide = true, value_name = "NAME")]
    model: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    if args.method != "mechanical" {
        kit::bail_usage!(
            "method {:?} is not offered: use mechanical, which asks no model",
            args.method
        );
    }
    if !(0.0..=1.0).contains(&args.threshold) {
        kit::bail_usage!("threshold must be between 0.0 and 1.0");
    }
    let snapshot = ctx.store()?.snapshot()?;
    let not_statuses = match &args.status {
        None => vec![Status::Closed],
        Some(_) => Vec::new(),
    };
    let statuses = args.status.iter().filter(|status| *status != "all");
    let filter = BeadFilter {
        statuses: statuses
            .map(|status| Status::from(status.as_str()))
            .collect(),
        not_statuses,
        ..BeadFilter::default()
    };
    let mut pairs = similar::find_similar_pairs(&filter.apply(&snapshot), args.threshold);
    if args.limit > 0 {
        pairs.truncate(args.limit);
    }
    let pairs: Vec<_> = pairs
        .into_iter()
        .map(|pair| {
            kit::report_value! {
                issue_a_id: pair.a.id.clone(),
                issue_b_id: pair.b.id.clone(),
                issue_a_title: pair.a.title.clone(),
                issue_b_title: pair.b.title.clone(),
                similarity: pair.similarity,
                method: "mechanical"
            }
        })
        .collect();
    let count = pairs.len();
    let report = kit::report_value! {
        pairs, count, method: "mechanical", threshold: args.threshold
    };
    build_report(report, |report, page| {
        let least = report.threshold * 100.0;
        if report.pairs.is_empty() {
            page.line(format!("No similar issues found (threshold: {least:.0}%)"));
            return;
        }
        let count = counted(report.count, "pair");
        page.line(format!(
            "🔍 Found {count} of similar issues (threshold: {least:.0}%):"
        ));
        for pair in &report.pairs {
            page.line(format!("{:.0}% alike:", pair.similarity * 100.0));
            for (id, title) in [
                (&pair.issue_a_id, &pair.issue_a_title),
                (&pair.issue_b_id, &pair.issue_b_title),
            ] {
                page.cut_line(format!("  {id}: {}", escape::escape_line(title)));
            }
        }
        page.line("Close one with: bd duplicate ID --of OTHER");
    })
}
