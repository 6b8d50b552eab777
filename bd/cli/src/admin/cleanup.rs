use crate::context::Context;
use bd::bead::Status;
use bd::change;
use bd::store::Snapshot;
use kit::cli::report::{CommandResult, build_confirmation, build_report};
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
    let store = ctx.store()?;
    let filter = (args.older_than > 0).then(|| format!("older than {} days", args.older_than));
    let ephemeral = args.ephemeral.then_some(true);
    if !args.force {
        let candidates = find_due_beads(ctx, &store.snapshot()?, &args);
        let count = counted(candidates.len(), "closed bead");
        if !args.dry_run && !candidates.is_empty() {
            kit::bail_usage!("would delete {count}; delete with --force, or list with --dry-run");
        }
        let preview = kit::report_value! {
            deleted_count: 0, message: format!("Would delete {count}");
            filter, ephemeral, candidates: Some(candidates)
        };
        return build_report(preview, |preview, page| {
            page.line(&preview.message);
            for id in preview.candidates.iter().flatten() {
                page.line(format!("  {id}"));
            }
        });
    }
    ctx.check_writable("cleanup")?;
    let deleted_count = store.transact(&ctx.author(), &ctx.clock, |tx| {
        let ids = find_due_beads(ctx, tx, &args);
        tx.describe("cleanup", "");
        for id in &ids {
            change::delete_bead(tx, id, "cleanup", args.hard)?;
        }
        Ok(ids.len())
    })?;
    let message = format!("Deleted {}", counted(deleted_count, "closed bead"));
    let report = kit::report_value! { deleted_count, message; filter, ephemeral };
    build_confirmation(report, |report, page| {
        page.line(format!("✓ {}", report.message));
    })
}

/// Returns the closed beads to delete: old enough, not pinned, and without open dependents.
fn find_due_beads(ctx: &Context, snapshot: &Snapshot, args: &Args) -> Vec<String> {
    let limit = ctx.now() - jiff::SignedDuration::from_hours(i64::from(args.older_than) * 24);
    snapshot
        .select(|bead| bead.status() == Status::Closed)
        .filter(|bead| !bead.pinned && (bead.ephemeral || !args.ephemeral))
        .filter(|bead| bead.closing_time().instant() <= limit)
        .filter(|bead| {
            args.cascade
                || snapshot
                    .dependents(&bead.id)
                    .iter()
                    .all(|(holder, _)| !holder.is_open())
        })
        .map(|bead| bead.id.clone())
        .collect()
}
