use std::collections::BTreeSet;
use std::io::IsTerminal;

use serde_json::json;

use crate::bead::{id, lines};
use crate::change::{self, ImportOptions, Imported, NewIds, Orphans};
use crate::context::Context;
use crate::error::Usage;
use crate::ui::{counted, escape};

use super::args;
use super::report::{Answer, Nothing, Said};

/// Take beads over from a file of records
///
/// A record of a bead that is not here makes it. One of a bead that is here changes it if the record is newer.
/// A deleted bead stays deleted. The same file twice changes nothing.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The file; `-` is standard input
    #[arg(value_name = "FILE")]
    file: Option<String>,
    /// The file (default: standard input)
    #[arg(short, long, value_name = "FILE", conflicts_with = "file")]
    input: Option<String>,
    /// Keep beads that are here unchanged
    #[arg(short, long)]
    skip_existing: bool,
    /// Refuse dependencies on unknown beads
    #[arg(long)]
    strict: bool,
    /// Report what would be done
    #[arg(long)]
    dry_run: bool,
    /// Give the beads the prefix that is used here
    #[arg(long)]
    rename_on_import: bool,
    /// Import beads of other prefixes unchanged
    #[arg(long)]
    force: bool,
    /// What to do about children of unknown parents
    #[arg(long, value_name = "MODE", default_value = "allow")]
    orphan_handling: Orphans,
    #[arg(long, hide = true)]
    dedupe_after: bool,
    /// Of several beads with one external reference, let the first keep it
    #[arg(long)]
    clear_duplicate_external_refs: bool,
    #[arg(long, hide = true)]
    protect_left_snapshot: bool,
    #[arg(long, hide = true)]
    no_git_history: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> Answer {
    ctx.may_change("import")?;
    let file = args.file.or(args.input).unwrap_or_else(|| "-".to_owned());
    if file == "-" && std::io::stdin().is_terminal() {
        let usage = "give a file: 'bd import FILE', or records on standard input";
        return Err(Usage(usage.into()).into());
    }
    let text = args::file(ctx, &file)?;
    let lines = lines::read(text.into_bytes());
    if let Some(number) = lines.conflict {
        let text =
            format!("{file}: line {number} is a git conflict marker; finish that merge first");
        return Err(Usage(text).into());
    }
    if let Some(damage) = lines.damaged.first() {
        let (line, reason) = (damage.line, escape::line(&damage.reason));
        return Err(Usage(format!("{file}: line {line} cannot be read: {reason}")).into());
    }
    let mut beads: Vec<_> = lines.beads.into_iter().map(|(_, _, bead)| bead).collect();
    let store = ctx.store()?;
    let prefix = store.prefix()?;
    let foreign: Vec<String> = beads
        .iter()
        .filter(|bead| !bead.is_tombstone() && !has_prefix(ctx, &bead.id, &prefix))
        .map(|bead| bead.id.clone())
        .collect();
    if args.rename_on_import {
        let new = |old: &String| Some((old.clone(), with_prefix(old, &prefix)?));
        let ids: NewIds = foreign.iter().filter_map(new).collect();
        for bead in &mut beads {
            change::renamed(bead, &ids);
        }
    } else if !foreign.is_empty() && !args.force {
        return Err(mismatch(&foreign, &prefix).into());
    }
    if !args.force {
        // Deleted beads of another prefix say nothing here.
        beads.retain(|bead| has_prefix(ctx, &bead.id, &prefix));
    }
    let options = ImportOptions {
        skip_existing: args.skip_existing,
        strict: args.strict,
        orphans: args.orphan_handling,
        clear_duplicate_refs: args.clear_duplicate_external_refs,
    };
    let mut found = None;
    let done = store.transact(&ctx.author(), &ctx.clock, |tx| {
        let done = change::import(tx, beads, options)?;
        tx.describe("import", "");
        found = Some(done.clone());
        if args.dry_run {
            return Err(DryRun.into());
        }
        Ok(done)
    });
    let done = match (done, found) {
        (Err(error), Some(found)) if error.is::<DryRun>() => found,
        (done, _) => done?,
    };
    report(ctx, &done, args.dry_run)
}

/// Ends a transaction that is not meant to be kept.
#[derive(Debug, thiserror::Error)]
#[error("nothing was changed")]
pub(super) struct DryRun;

fn report(ctx: &Context, done: &Imported, is_dry: bool) -> Answer {
    for (from, to) in &done.left_out {
        ctx.ui.warn(&format!(
            "{from} depends on {to}, which is not here: left out"
        ));
    }
    let (created, updated) = (done.created.len(), done.updated.len());
    let (unchanged, skipped) = (done.unchanged, done.skipped.len());
    let what = if is_dry {
        "Import would make"
    } else {
        "Import complete:"
    };
    let text = format!(
        "{what} {created} created, {updated} updated, {unchanged} unchanged, {skipped} skipped"
    );
    ctx.ui.status(&text);
    if !ctx.ui.is_json() {
        return Ok(Box::new(Nothing));
    }
    let value = json!({
        "created": created,
        "updated": updated,
        "unchanged": unchanged,
        "skipped": skipped,
        "created_ids": done.created,
        "updated_ids": done.updated,
        "dry_run": is_dry,
    });
    Said::new(value, text).answer()
}

fn has_prefix(ctx: &Context, id: &str, prefix: &str) -> bool {
    let allowed = ctx.config.list("allowed_prefixes");
    let mut all = allowed.iter().map(String::as_str).chain([prefix]);
    all.any(|own| {
        let rest = id.strip_prefix(own.trim_end_matches('-'));
        rest.is_some_and(|rest| rest.starts_with('-'))
    })
}

fn with_prefix(old: &str, prefix: &str) -> Option<String> {
    let rest = old.strip_prefix(id::prefix_of(old)?)?;
    Some(format!("{prefix}{rest}"))
}

fn mismatch(foreign: &[String], prefix: &str) -> Usage {
    let found: BTreeSet<&str> = foreign.iter().filter_map(|id| id::prefix_of(id)).collect();
    let found: Vec<String> = found.iter().map(|own| format!("{own}-")).collect();
    let (count, found) = (counted(foreign.len(), "issue"), found.join(", "));
    Usage(format!(
        "prefix mismatch detected: database uses '{prefix}-' but found {count} with prefixes: {found} (use --rename-on-import to give them '{prefix}-', or --force to keep them)"
    ))
}
