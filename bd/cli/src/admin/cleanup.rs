use serde_json::json;

use crate::context::Context;
use bd::bead::{Bead, Status};
use bd::change;
use bd::store::Snapshot;
use kit::cli::report::{CommandResult, TextReport};
use kit::failure::UsageError;
use kit::ui::counted;

/// Delete closed beads
///
/// A deleted bead leaves a tombstone, so that the deletion reaches other clones; `bd restore ID`
/// restores it. Pinned beads stay. Beads with open dependents stay unless --cascade is given. `bd
/// compact` moves closed beads to the archive instead.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Delete them
    #[arg(short, long)]
    force: bool,
    /// Only show what would be deleted
    #[arg(long, conflicts_with = "force")]
    dry_run: bool,
    /// Also delete beads with open dependents
    #[arg(long)]
    cascade: bool,
    /// Exclude beads closed less than N days ago
    #[arg(long, value_name = "N", default_value_t = 0)]
    older_than: u32,
    /// Leave no tombstones
    #[arg(long)]
    hard: bool,
    /// Filter on wisps
    #[arg(long)]
    ephemeral: bool,
}

pub(crate) fn run(ctx: &Context, args: Args) -> CommandResult {
    let hours = i64::from(args.older_than) * 24;
    let limit = ctx.now() - jiff::SignedDuration::from_hours(hours);
    let due = |snapshot: &Snapshot| -> Vec<String> {
        let closed = snapshot.select(|bead| bead.status() == Status::Closed);
        let is_old = |bead: &&Bead| {
            let at = bead.closed_at.as_ref().unwrap_or(&bead.updated_at);
            at.instant() <= limit
        };
        let is_needed = |bead: &&Bead| {
            let mut holders = snapshot.dependents(&bead.id).into_iter();
            !args.cascade && holders.any(|(holder, _)| holder.is_open())
        };
        let wanted = closed.filter(|bead| !bead.pinned && (bead.ephemeral || !args.ephemeral));
        let wanted = wanted.filter(is_old).filter(|bead| !is_needed(bead));
        wanted.map(|bead| bead.id.clone()).collect()
    };
    let store = ctx.store()?;
    let mut value = json!({"deleted_count": 0, "message": ""});
    if args.older_than > 0 {
        value["filter"] = json!(format!("older than {} days", args.older_than));
    }
    if args.ephemeral {
        value["ephemeral"] = json!(true);
    }
    if !args.force {
        let ids = due(&store.snapshot()?);
        let count = counted(ids.len(), "closed bead");
        if !args.dry_run && !ids.is_empty() {
            return Err(UsageError(format!(
                "would delete {count}; delete with --force, or list with --dry-run"
            ))
            .into());
        }
        let line = format!("Would delete {count}");
        value["message"] = json!(line);
        value["candidates"] = json!(ids);
        let lines = std::iter::once(line).chain(ids.iter().map(|id| format!("  {id}")));
        return TextReport::lines(value, lines.collect()).into_answer();
    }
    ctx.check_writable("cleanup")?;
    let count = store.transact(&ctx.author(), &ctx.clock, |tx| {
        let ids = due(tx);
        tx.describe("cleanup", "");
        for id in &ids {
            change::delete_bead(tx, id, "cleanup", args.hard)?;
        }
        Ok(ids.len())
    })?;
    let line = format!("✓ Deleted {}", counted(count, "closed bead"));
    value["deleted_count"] = json!(count);
    value["message"] = json!(line.trim_start_matches("✓ "));
    TextReport::new(value, line).into_answer()
}
