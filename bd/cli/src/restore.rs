use std::collections::{BTreeMap, BTreeSet};

use serde::{Serialize, Serializer};

use super::report::PlainBead;
use crate::context::Context;
use bd::bead::{Bead, Stamp};
use bd::change::{self, RestoredBeads, RevivedBead};
use bd::store::Store;
use kit::cli::report::{CommandResult, build_report};
use kit::ui::{Page, escape};

/// Restore deleted, archived or rolled-back beads
///
/// With ids alone, restores beads from the archive, or as they were before they were deleted: with
/// their edges, if history has the deletion, and with edits that other clones made.
///
/// After `git reset --hard`, `git checkout`, `git stash` or `git revert` the file may be older than
/// your changes. The next command reports each rolled-back line and keeps it. --lost restores these
/// lines: byte for byte, or merged by field with later edits. Fields that were edited since keep
/// their edits and are reported. --discard accepts the older state.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Restore rolled-back lines
    #[arg(long)]
    lost: bool,
    /// Drop rolled-back lines and accept the older state
    #[arg(long)]
    discard: bool,
    /// The beads (default with --lost and --discard: all)
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// Only show what would be done
    #[arg(long)]
    dry_run: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    if !args.lost && !args.discard {
        if args.ids.is_empty() {
            kit::bail_usage!(
                "say what to restore: bd restore ID... for deleted and archived beads, or bd restore --lost [ID...]"
            );
        }
        return restore_missing(ctx, &args);
    }
    let store = ctx.store()?;
    let found: BTreeSet<String> = store
        .rolled_back()?
        .into_iter()
        .map(|bead| bead.id)
        .collect();
    let asked = resolve_requested(&store, &args.ids, &found)?;
    let ids: BTreeSet<String> = match &asked {
        Some(asked) => found.intersection(asked).cloned().collect(),
        None => found,
    };
    let mut decided = RollbackReport {
        unaffected: asked
            .iter()
            .flatten()
            .filter(|id| !ids.contains(*id))
            .cloned()
            .collect(),
        found: ids.iter().map(|id| (id.clone(), BTreeSet::new())).collect(),
        discard: args.discard,
        dry_run: args.dry_run,
    };
    if !args.dry_run && !ids.is_empty() {
        ctx.check_writable("restore")?;
        if args.discard {
            store.discard_rolled_back(Some(&ids))?;
        } else {
            let restored = store.restore_rolled_back(&ctx.author(), &ctx.clock, Some(&ids));
            decided.found = restored?;
        }
    }
    let is_restored = !args.dry_run && !args.discard;
    let is_discarded = !args.dry_run && args.discard;
    build_report(decided.found.iter().map(|(id, kept)| {
        kit::report_value! {
            id: id.clone(), restored: is_restored, discarded: is_discarded, kept: kept.clone()
        }
    }).collect::<Vec<_>>(), move |_, page| {
        write_rollback(&decided, page);
    })
}

/// Resolves the requested beads to full ids. Returns `None` if none are requested.
fn resolve_requested(
    store: &Store,
    given: &[String],
    found: &BTreeSet<String>,
) -> anyhow::Result<Option<BTreeSet<String>>> {
    if given.is_empty() {
        return Ok(None);
    }
    let snapshot = store.snapshot()?;
    // A bead that is in no file can only be named by its full id.
    given
        .iter()
        .map(|id| -> anyhow::Result<String> {
            if found.contains(id) || snapshot.bead_ref(id).is_some() {
                return Ok(id.clone());
            }
            Ok(snapshot.resolve(id)?.id.clone())
        })
        .collect::<anyhow::Result<_>>()
        .map(Some)
}

/// Restores archived and deleted beads.
fn restore_missing(ctx: &Context, args: &Args) -> CommandResult {
    let store = ctx.store_for_id(args.ids.first().map_or("", String::as_str))?;
    if args.dry_run {
        kit::bail_usage!("--dry-run goes with --lost");
    }
    ctx.check_writable("restore")?;
    let restored = change::restore_beads(&store, &ctx.author(), &ctx.clock, &args.ids)?;
    if ctx.ui.is_json() {
        for line in restored.revived.iter().flat_map(describe_missing_parts) {
            ctx.ui.warn(&line);
        }
    }
    build_report(RestoreReport(restored), |report, page| {
        write_restored_beads(&report.0, page);
    })
}

struct RestoreReport(RestoredBeads);

impl Serialize for RestoreReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut beads: Vec<&Bead> = self.0.archived.iter().collect();
        beads.extend(self.0.revived.iter().map(|revived| &revived.bead));
        serializer.collect_seq(beads.into_iter().map(PlainBead))
    }
}

fn write_restored_beads(restored: &RestoredBeads, page: &mut Page) {
    for Bead { id, title, .. } in &restored.archived {
        let line = format!("✓ Restored {id} from the archive: {title}");
        page.line(escape::escape_line(&line));
    }
    for revived in &restored.revived {
        let Bead {
            id, title, status, ..
        } = &revived.bead;
        let Bead {
            deleted_by,
            deleted_at,
            ..
        } = &revived.tombstone;
        let at = deleted_at.as_ref().map_or("", Stamp::as_str);
        let line =
            format!("✓ Restored {id}, which {deleted_by} deleted at {at} ({status}): {title}");
        page.line(escape::escape_line(&line));
        for remark in describe_missing_parts(revived) {
            page.line(format!("    {remark}"));
        }
    }
}

/// Describes the parts of a bead that could not be restored.
fn describe_missing_parts(revived: &RevivedBead) -> Vec<String> {
    let mut remarks: Vec<String> = revived
        .left_out
        .iter()
        .map(|edge| format!("not back: {}", escape::escape_line(edge)))
        .collect();
    if !revived.is_known {
        let id = escape::escape_line(&revived.bead.id);
        remarks.push(format!(
            "history here does not have the deletion of {id}: edges that went with it may not be back (bd dep add {id} ID)"
        ));
    }
    remarks
}

/// The decision about rolled-back lines.
#[derive(Debug)]
struct RollbackReport {
    /// The beads, with the fields that were edited after the rollback and stay.
    found: BTreeMap<String, BTreeSet<String>>,
    /// Requested beads that were not rolled back.
    unaffected: Vec<String>,
    discard: bool,
    dry_run: bool,
}

fn write_rollback(rollback: &RollbackReport, page: &mut Page) {
    if !rollback.unaffected.is_empty() {
        let ids = escape::escape_line(&rollback.unaffected.join(", "));
        page.line(format!(
            "Nothing is lost of {ids}: no rollback took anything of it"
        ));
    } else if rollback.found.is_empty() {
        page.line("Nothing is lost: no rollback took anything that is not there");
    }
    let mark = match (rollback.dry_run, rollback.discard) {
        (true, true) => "would discard the lost changes to",
        (true, false) => "would restore",
        (false, true) => "✓ discarded the lost changes to",
        (false, false) => "✓ restored",
    };
    for (id, kept) in &rollback.found {
        page.line(escape::escape_line(&format!("{mark} {id}")));
        if !kept.is_empty() {
            let kept: Vec<&str> = kept.iter().map(String::as_str).collect();
            page.line(format!(
                "    edited since, and left so: {} (what it was: bd history {})",
                escape::escape_line(&kept.join(", ")),
                escape::escape_line(id)
            ));
        }
    }
}
