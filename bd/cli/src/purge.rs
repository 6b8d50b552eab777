use jiff::{SignedDuration, Timestamp};

use crate::context::Context;
use bd::bead::Status;
use bd::change;
use bd::query::filter::is_glob_match;
use bd::query::when;
use bd::store::{BeadRef, Snapshot};
use kit::cli::report::{CommandResult, build_report};
use kit::failure::UsageError;
use kit::ui::{counted, escape};

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
            ctx.now() - SignedDuration::from_nanos(nanos)
        }
        None => ctx.now(),
    };
    let store = ctx.store()?;
    if !args.force {
        return report_purge(
            find_due_wisps(&store.snapshot()?, limit, args.pattern.as_deref()),
            true,
        );
    }
    ctx.check_writable("purge")?;
    let ids = store.transact(&ctx.author(), &ctx.clock, |tx| {
        let ids = find_due_wisps(tx, limit, args.pattern.as_deref());
        tx.describe("purge", "");
        for id in &ids {
            change::delete_bead(tx, id, "purged", true)?;
        }
        Ok(ids)
    })?;
    report_purge(ids, false)
}

/// Returns the closed wisps to delete: not pinned, closed before `limit`, with an id that matches.
fn find_due_wisps(snapshot: &Snapshot, limit: Timestamp, pattern: Option<&str>) -> Vec<String> {
    snapshot
        .bead_refs()
        .filter(BeadRef::is_ephemeral)
        .filter_map(|bead_ref| bead_ref.bead())
        .filter(|bead| bead.ephemeral && bead.status == Status::Closed && !bead.pinned)
        .filter(|bead| bead.closing_time().instant() <= limit)
        .filter(|bead| pattern.is_none_or(|pattern| is_glob_match(pattern, &bead.id)))
        .map(|bead| bead.id.clone())
        .collect()
}

fn report_purge(ids: Vec<String>, dry_run: bool) -> CommandResult {
    let report = kit::report_value! {
        purged_count: ids.len(), purged_ids: ids; dry_run: dry_run.then_some(true)
    };
    build_report(report, |report, page| {
        let count = counted(report.purged_count, "closed wisp");
        page.line(match report.dry_run {
            _ if report.purged_ids.is_empty() => "No closed wisps to delete".to_owned(),
            Some(_) => format!("Would delete {count}:"),
            None => format!("✓ Deleted {count}:"),
        });
        for id in &report.purged_ids {
            page.line(format!("  {}", escape::escape_line(id)));
        }
        if report.dry_run.is_some() && !report.purged_ids.is_empty() {
            page.line("Delete permanently: bd purge --force");
        }
    })
}
