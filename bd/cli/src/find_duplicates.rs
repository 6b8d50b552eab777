use serde_json::{Value, json};

use crate::context::Context;
use bd::bead::{Bead, Status};
use bd::query::{BeadFilter, similar};
use kit::failure::UsageError;
use kit::ui::{Page, Report, counted, escape};

use kit::cli::report::CommandResult;

/// Find pairs of beads whose texts are alike
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How to compare: mechanical
    #[arg(long, value_name = "METHOD", default_value = "mechanical")]
    method: String,
    /// Show pairs that are at least so alike, from 0 to 1
    #[arg(long, value_name = "N", default_value_t = 0.5)]
    threshold: f64,
    /// Only beads of this status (default: all but closed)
    #[arg(short, long, value_name = "STATUS")]
    status: Option<String>,
    /// Show at most N pairs; 0 for all
    #[arg(short = 'n', long, value_name = "N", default_value_t = 50)]
    limit: usize,
    #[arg(long, hide = true, value_name = "NAME")]
    model: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    if args.method != "mechanical" {
        let text = format!(
            "method {:?} is not offered: use mechanical, which asks no model",
            args.method
        );
        return Err(UsageError(text).into());
    }
    if !(0.0..=1.0).contains(&args.threshold) {
        return Err(UsageError("threshold must be between 0.0 and 1.0".into()).into());
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
    let pairs = pairs
        .into_iter()
        .map(|pair| (pair.a.clone(), pair.b.clone(), pair.similarity));
    Ok(Box::new(FindDuplicatesReport {
        pairs: pairs.collect(),
        threshold: args.threshold,
    }))
}

/// The pairs of similar beads with their similarity.
#[derive(Debug)]
struct FindDuplicatesReport {
    pairs: Vec<(Bead, Bead, f64)>,
    threshold: f64,
}

impl Report for FindDuplicatesReport {
    fn json(&self) -> Value {
        let pair_json = |(a, b, similarity): &(Bead, Bead, f64)| {
            json!({
                "issue_a_id": a.id,
                "issue_b_id": b.id,
                "issue_a_title": a.title,
                "issue_b_title": b.title,
                "similarity": similarity,
                "method": "mechanical",
            })
        };
        let pairs: Value = self.pairs.iter().map(pair_json).collect();
        let count = self.pairs.len();
        json!({"pairs": pairs, "count": count, "method": "mechanical", "threshold": self.threshold})
    }

    fn human(&self, page: &mut Page) {
        let least = self.threshold * 100.0;
        if self.pairs.is_empty() {
            page.line(format!("No similar issues found (threshold: {least:.0}%)"));
            return;
        }
        let count = counted(self.pairs.len(), "pair");
        page.line(format!(
            "🔍 Found {count} of similar issues (threshold: {least:.0}%):"
        ));
        for (a, b, similarity) in &self.pairs {
            page.line(format!("{:.0}% alike:", similarity * 100.0));
            for bead in [a, b] {
                page.cut_line(format!(
                    "  {}: {}",
                    bead.id,
                    escape::escape_line(&bead.title)
                ));
            }
        }
        page.line("Close one with: bd duplicate ID --of OTHER");
    }
}
