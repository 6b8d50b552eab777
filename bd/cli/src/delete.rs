use serde::Serialize;

use super::args;
use crate::context::Context;
use bd::change::{self, DeletionEffects};
use bd::store::Snapshot;
use kit::cli::report::{CommandResult, build_confirmation, build_empty_report};
use kit::ui::{counted, escape};

/// Delete beads
///
/// Without --force it shows what would be deleted and changes nothing. A deleted bead leaves a
/// tombstone, so that it does not come back from another clone. Its edges are removed, and its id
/// in the text of linked beads becomes `[deleted:ID]`. Ids are given in full.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The beads
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// Delete without preview
    #[arg(short, long)]
    force: bool,
    /// Read ids from a file, one per line
    #[arg(long, value_name = "PATH")]
    from_file: Option<String>,
    /// Only show what would be deleted
    #[arg(long)]
    dry_run: bool,
    /// Also delete dependents
    #[arg(long)]
    cascade: bool,
    /// Leave no tombstone
    #[arg(long)]
    hard: bool,
    /// The reason
    #[arg(long, default_value = "delete", value_name = "TEXT")]
    reason: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let mut ids = args.ids;
    if let Some(path) = &args.from_file {
        let text = args::read_input_file(ctx, path)?;
        let lines = text.lines().map(str::trim);
        ids.extend(
            lines
                .filter(|line| !line.is_empty() && !line.starts_with('#'))
                .map(str::to_owned),
        );
    }
    let mut seen = std::collections::HashSet::new();
    ids.retain(|id| seen.insert(id.clone()));
    if ids.is_empty() {
        kit::bail_usage!("no issue IDs provided\n\nUsage: bd delete [OPTIONS] <ID>...");
    }
    let is_single = ids.len() == 1 && !args.cascade;
    let store = ctx.store()?;
    let snapshot = store.snapshot()?;
    check_all_exist(&snapshot, &ids)?;
    if args.cascade {
        ids = with_dependents(&snapshot, ids);
    }
    if !args.force || args.dry_run {
        print_preview(ctx, &snapshot, &ids);
        return build_empty_report();
    }
    ctx.check_writable("delete")?;
    let effects = store.transact(&ctx.author(), &ctx.clock, |tx| {
        check_all_exist(tx, &ids)?;
        let mut total = DeletionEffects::default();
        for id in &ids {
            let done = change::delete_bead(tx, id, &args.reason, args.hard)?;
            total.dependencies_removed += done.dependencies_removed;
            total.references_updated += done.references_updated;
        }
        Ok(total)
    })?;
    let names = ids.join(", ");
    let report = DeletionReport {
        deleted_count: (!is_single).then_some(ids.len()),
        deleted: if is_single {
            DeletedIds::One(names.clone())
        } else {
            DeletedIds::Several(ids)
        },
        effects,
    };
    build_confirmation(report, move |report, page| {
        page.line(format!("✓ Deleted {names}"));
        page.line(format!(
            "  Removed {}, updated text references in {}",
            counted(report.effects.dependencies_removed, "dependency link"),
            counted(report.effects.references_updated, "issue")
        ));
    })
}

#[derive(Serialize)]
struct DeletionReport {
    deleted: DeletedIds,
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted_count: Option<usize>,
    #[serde(flatten)]
    effects: DeletionEffects,
}

#[derive(Serialize)]
#[serde(untagged)]
enum DeletedIds {
    One(String),
    Several(Vec<String>),
}

/// Some of the beads do not exist.
#[derive(Debug, thiserror::Error)]
#[error("{}", if .0.len() == 1 { format!("issue {} not found", .0[0]) } else { format!("issues not found: {}", .0.join(", ")) })]
struct MissingBeads(Vec<String>);

fn check_all_exist(snapshot: &Snapshot, ids: &[String]) -> Result<(), MissingBeads> {
    let missing: Vec<String> = ids
        .iter()
        .filter(|id| snapshot.get_live(id).is_none())
        .cloned()
        .collect();
    if missing.is_empty() {
        Ok(())
    } else {
        Err(MissingBeads(missing))
    }
}

fn with_dependents(snapshot: &Snapshot, ids: Vec<String>) -> Vec<String> {
    let mut all = ids;
    let mut at = 0;
    while at < all.len() {
        for (holder, _) in snapshot.dependents_of(&all[at]) {
            if !all.contains(&holder.id) {
                all.push(holder.id.clone());
            }
        }
        at += 1;
    }
    all
}

fn print_preview(ctx: &Context, snapshot: &Snapshot, ids: &[String]) {
    let mut text = "⚠️  DELETE PREVIEW\n\nIssues to delete:\n".to_owned();
    for bead in ids.iter().filter_map(|id| snapshot.get(id)) {
        text.push_str(&format!(
            "  {}: {}\n",
            bead.id,
            escape::escape_line(&bead.title)
        ));
        for edge in &bead.dependencies {
            text.push_str(&format!(
                "    {} → {} ({})\n",
                bead.id, edge.depends_on_id, edge.kind
            ));
        }
        for (holder, edge) in snapshot.dependents_of(&bead.id) {
            text.push_str(&format!(
                "    {} → {} ({})\n",
                holder.id, bead.id, edge.kind
            ));
        }
    }
    text.push_str(&format!(
        "\nTo proceed, run: bd delete {} --force\n",
        ids.join(" ")
    ));
    ctx.ui.raw(&text);
}
