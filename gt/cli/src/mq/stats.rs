//! `gt mq stats`.

use std::fmt::Write;

use kit::ui::time::format_seconds;
use kit::ui::{Page, counted, escape};
use serde::Serialize;

use super::super::timeline::write_target_strip;
use super::super::{CommandResult, build_report, rig};
use crate::context::Context;
use crate::since::parse_past_time;
use gt::view::merge_stats::{
    CountedRequests, GateStats, MergeStats, Percentiles, read_merge_stats,
};
use gt::view::target_strip::{TargetStrip, read_target_strips};

/// Show waits, runs of the gates and failures of a merge queue
///
/// With `--json` {rig, since, merged, withdrawn, wait_seconds?{p50, p95}, waiting_seconds?{p50,
/// p95}, merging_seconds?{p50, p95}, gates[{gate, runs, failed, retried, runs_per_merge?,
/// seconds?{p50, p95}}], waiting[{priority, requests, oldest_seconds, bound_seconds?}]}. A request that waits longer than the bound goes before all
/// that do not (`merge_queue.max_wait`). `targets` are the last commits of the target, as in `gt
/// timeline`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The rig (default: the one around the working directory)
    rig: Option<String>,
    /// Count from this time on, such as 1h, 7d or a date
    #[arg(long, default_value = "7d")]
    since: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let rig = rig::resolve_rig(ctx, &town, args.rig.as_deref())?;
    let since = parse_past_time(&args.since, town.clock.now())?;
    let stats = QueueReport {
        stats: read_merge_stats(&rig, since, CountedRequests::All)?,
        targets: read_target_strips(&rig)?,
    };
    build_report(stats, |report, page| {
        write_stats(&report.stats, page);
        for target in &report.targets {
            write_target_strip(target, page);
        }
    })
}

#[derive(Serialize)]
struct QueueReport {
    #[serde(flatten)]
    stats: MergeStats,
    targets: Vec<TargetStrip>,
}

fn write_stats(stats: &MergeStats, page: &mut Page) {
    page.line(format!(
        "{} merged, {} closed without a merge",
        counted(stats.merged, "request"),
        stats.withdrawn
    ));
    if let Some(wait) = stats.wait_seconds {
        page.line(format!("  from submission to merge: {}", describe(wait)));
    }
    if let Some(waiting) = stats.waiting_seconds {
        page.line(format!("    waiting for the queue: {}", describe(waiting)));
    }
    if let Some(merging) = stats.merging_seconds {
        page.line(format!("    checks and merge: {}", describe(merging)));
    }
    for gate in &stats.gates {
        page.line(format!("  gate {}", describe_gate(gate)));
    }
    for waiting in &stats.waiting {
        let bound = waiting.bound_seconds;
        let bound = bound.map_or_else(String::new, |bound| {
            let is_over = waiting.oldest_seconds > bound;
            let state = if is_over {
                "is first now"
            } else {
                "goes first"
            };
            format!(" (it {state} after {})", format_seconds(bound))
        });
        page.line(format!(
            "  P{} waiting: {}, the oldest for {}{bound}",
            waiting.priority,
            counted(waiting.requests, "request"),
            format_seconds(waiting.oldest_seconds)
        ));
    }
}

fn describe_gate(gate: &GateStats) -> String {
    let mut text = format!(
        "{}: {}, {} failed",
        escape::escape_line(&gate.gate),
        counted(gate.runs, "run"),
        gate.failed
    );
    // Writing to a string cannot fail.
    if gate.retried > 0 {
        write!(text, ", {} repeated", gate.retried).ok();
    }
    if let Some(rate) = gate.runs_per_merge {
        write!(text, ", {rate:.2} per merge").ok();
    }
    if let Some(seconds) = gate.seconds {
        write!(text, ", {}", describe(seconds)).ok();
    }
    text
}

fn describe(times: Percentiles) -> String {
    let p50 = format_seconds(times.p50);
    let p95 = format_seconds(times.p95);
    format!("half within {p50}, 95 % within {p95}")
}
