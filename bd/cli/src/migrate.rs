use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::json;

use crate::context::Context;
use bd::bead::id;
use bd::foreign::ForeignBeads;
use bd::foreign::folder::{self, ForeignFolder};
use kit::failure::UsageError;
use kit::ui::{counted, escape};

use super::import;
use super::remember::memory_setting;
use kit::cli::report::{CommandResult, EmptyReport, TextReport};

/// The migrations of earlier versions. None of them is needed.
const OLD_MIGRATIONS: [&str; 5] = ["hash-ids", "issues", "sync", "tombstones", "schema"];

/// Take over the beads of br, beads-rs or another bd
///
/// Reads `issues.jsonl` and the SQLite databases in the folder's `.beads` (bd, br), and the branch
/// `beads/store` of its repository (beads-rs). Each bead keeps its id and comes from the source
/// that changed it last. The report lists the fields that are kept, renamed, unknown but kept, and
/// left out, and each line that cannot be read. The folder stays unchanged. Running it again
/// imports only later changes.
///
/// Without --from nothing happens: bd reads the files of earlier versions unchanged.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The project or beads folder of the other program; `.` for the branch of beads-rs here
    #[arg(long, value_name = "DIR")]
    from: Option<String>,
    /// Print the report without a change
    #[arg(long)]
    dry_run: bool,
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    rest: Vec<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    if let Some(from) = &args.from {
        return migrate_folder(ctx, from, args.dry_run);
    }
    let word = args.rest.first().filter(|word| !word.starts_with('-'));
    if let Some(word) = word.filter(|word| !OLD_MIGRATIONS.contains(&word.as_str())) {
        let text =
            format!("unknown command {word:?} for \"bd migrate\"; there is nothing to migrate");
        return Err(UsageError(text).into());
    }
    Ok(Box::new(EmptyReport))
}

fn migrate_folder(ctx: &Context, from: &str, dry_run: bool) -> CommandResult {
    ctx.check_writable("migrate")?;
    // Without a final `.`.
    let path: PathBuf = ctx.env.make_absolute(from).components().collect();
    if !path.is_dir() {
        return Err(UsageError(format!("no such folder: {}", path.display())).into());
    }
    let store = ctx.store()?;
    let mut found = folder::read_folder(&path, store.dir())?;
    if found.sources.is_empty() {
        return Err(UsageError(format!(
            "{} has no issues.jsonl, no database and no branch beads/store{}",
            path.display(),
            if store.dir().starts_with(&path) {
                " besides the beads in use"
            } else {
                ""
            }
        ))
        .into());
    }
    let beads = std::mem::take(&mut found.beads);
    let settings = choose_settings(ctx, &found, beads.iter().map(|bead| bead.id.clone()))?;
    let count = beads.len();
    let source = ForeignBeads {
        beads,
        ..ForeignBeads::default()
    };
    let args = import::Args::for_migration(dry_run);
    let (done, _) = import::import_found(ctx, &args, source, settings.clone())?;
    let created = done.created.len();
    let value = json!({
        "sources": found.sources,
        "beads": count,
        "created": created,
        "updated": done.updated.len(),
        "unchanged": done.unchanged,
        "skipped": done.skipped.len(),
        "fields": found.fields,
        "settings": settings,
        "other_lines": found.other_lines,
        "unread": found.unread,
        "missing_edges": done.left_out.len(),
        "dry_run": dry_run,
    });
    let mark = if dry_run {
        "Would take over"
    } else {
        "✓ Took over"
    };
    let mut lines = vec![
        format!(
            "{mark} {} from {}: {}",
            counted(count, "bead"),
            path.display(),
            found.sources.join(", ")
        ),
        format!(
            "  {created} created, {} updated, {} unchanged, {} skipped",
            done.updated.len(),
            done.unchanged,
            done.skipped.len()
        ),
    ];
    lines.extend(describe_fields(&found));
    let names: Vec<String> = settings
        .iter()
        .map(|(name, value)| format!("{name}={}", escape::escape_line(value)))
        .collect();
    if !names.is_empty() {
        lines.push(format!("  Settings: {}", names.join(", ")));
    }
    for (from, to) in &done.left_out {
        lines.push(format!(
            "  Left out: the edge {from} → {to}, which is not here"
        ));
    }
    for (kind, number) in &found.other_lines {
        let kind = escape::escape_line(kind);
        lines.push(format!(
            "  Left out: {} of the type \"{kind}\"",
            counted(*number, "line")
        ));
    }
    if !found.unread.is_empty() {
        lines.push(format!(
            "  Not read: {}",
            counted(found.unread.len(), "line")
        ));
    }
    for unread in &found.unread {
        let reason = escape::escape_line(&unread.reason);
        lines.push(format!("    {}:{}: {reason}", unread.file, unread.line));
    }
    TextReport::lines(value, lines).into_answer()
}

/// Chooses the settings to take over: those that this project does not have. A project without
/// beads gets the prefix of the beads.
fn choose_settings(
    ctx: &Context,
    found: &ForeignFolder,
    ids: impl Iterator<Item = String>,
) -> anyhow::Result<BTreeMap<String, String>> {
    let mut settings = found.settings.clone();
    let prefix = settings.remove("issue_prefix");
    let memories = found.memories.iter();
    settings.extend(memories.map(|(key, text)| (memory_setting(key), text.clone())));
    settings.retain(|name, _| ctx.config.get(name).is_none());
    let is_empty = ctx.store()?.snapshot()?.bead_refs().next().is_none();
    if is_empty {
        let ids: Vec<String> = ids.collect();
        let usual = id::find_usual_prefix(&ids).map(str::to_owned);
        settings.extend(
            prefix
                .or(usual)
                .map(|prefix| ("issue_prefix".to_owned(), prefix)),
        );
    }
    Ok(settings)
}

fn describe_fields(found: &ForeignFolder) -> Vec<String> {
    let fields = &found.fields;
    let list = |title: &str, names: Vec<String>| {
        (!names.is_empty()).then(|| format!("  {title}: {}", names.join(", ")))
    };
    let renamed = fields.renamed.iter();
    let unknown = fields.unknown.iter();
    let left_out = fields.left_out.iter();
    [
        list("Fields kept", fields.kept.iter().cloned().collect()),
        list(
            "Fields renamed",
            renamed.map(|(from, to)| format!("{from} → {to}")).collect(),
        ),
        list(
            "Unknown fields, kept",
            unknown
                .map(|(name, count)| {
                    let name = escape::escape_line(name);
                    format!("{name} ({})", counted(*count, "bead"))
                })
                .collect(),
        ),
        list(
            "Fields left out",
            left_out
                .map(|(name, reason)| format!("{name} ({reason})"))
                .collect(),
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}
