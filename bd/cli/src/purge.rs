use serde::Serialize;

use crate::context::Context;
use bd::bead::{Bead, Status};
use bd::change;
use bd::query::filter::is_glob_match;
use bd::query::when;
use bd::store::{BeadRef, Snapshot};
use kit::cli::report::{CommandResult, build_report};
use kit::failure::UsageError;
use kit::ui::{Page, counted, escape};

/// Delete closed wisps
///
/// Shows which closed wisps would be deleted; with --force deletes them permanently. Pinned wisps
/// stay. As JSON: `{purged_count, purged_ids}`, for a preview with `dry_run`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Delete them
    #[arg(short, long)]
    force: bool,
    /// Only show what would be deleted
    #[arg(long, conflicts_with = "force")]
    dry_run: bool,
    /// Exclude wisps closed more recently than this, such as 7d
    #[arg(long, value_name = "AGE")]
    older_than: Option<String>,
    /// Filter by id, as a pattern with `*` and `?`
    #[arg(long, value_name = "PATTERN")]
    pattern: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let limit = match &args.older_than {
        Some(text) => {
            // A plain number is a number of days.
            let age = match text.parse::<u32>() {
                Ok(days) => format!("{days}d"),
                Err(_) => text.clone(),
            };
            let nanos = when::parse_duration(&age).ok_or_else(|| {
                UsageError(format!(
                    "invalid --older-than \"{text}\": use 12h, 7d or 2w"
                ))
            })?;
            ctx.now() - jiff::SignedDuration::from_nanos(nanos)
        }
        None => ctx.now(),
    };
    let is_due = |bead: &Bead| {
        let closed = bead.closed_at.as_ref().unwrap_or(&bead.updated_at);
        bead.ephemeral
            && bead.status == Status::Closed
            && !bead.pinned
            && closed.instant() <= limit
            && args
                .pattern
                .as_deref()
                .is_none_or(|pattern| is_glob_match(pattern, &bead.id))
    };
    let due = |snapshot: &Snapshot| -> Vec<String> {
        let heads = snapshot.bead_refs().filter(BeadRef::is_ephemeral);
        let beads = heads.filter_map(|bead_ref| bead_ref.bead());
        let beads = beads.filter(|bead| is_due(bead));
        beads.map(|bead| bead.id.clone()).collect()
    };
    let store = ctx.store()?;
    if !args.force {
        return report_purge(due(&store.snapshot()?), true);
    }
    ctx.check_writable("purge")?;
    let ids = store.transact(&ctx.author(), &ctx.clock, |tx| {
        let ids = due(tx);
        tx.describe("purge", "");
        for id in &ids {
            change::delete_bead(tx, id, "purged", true)?;
        }
        Ok(ids)
    })?;
    report_purge(ids, false)
}

#[derive(Serialize)]
struct PurgeReport {
    purged_count: usize,
    purged_ids: Vec<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    dry_run: bool,
}

fn report_purge(ids: Vec<String>, dry_run: bool) -> CommandResult {
    let report = PurgeReport {
        purged_count: ids.len(),
        purged_ids: ids,
        dry_run,
    };
    build_report(report, write_purge)
}

fn write_purge(report: &PurgeReport, page: &mut Page) {
    if report.purged_ids.is_empty() {
        page.line("No closed wisps to delete");
        return;
    }
    let count = counted(report.purged_count, "closed wisp");
    if report.dry_run {
        page.line(format!("Would delete {count}:"));
    } else {
        page.line(format!("✓ Deleted {count}:"));
    }
    for id in &report.purged_ids {
        page.line(format!("  {}", escape::escape_line(id)));
    }
    if report.dry_run {
        page.line("Delete permanently: bd purge --force");
    }
}
