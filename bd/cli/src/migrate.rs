use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;

use super::import;
use super::remember::memory_setting;
use crate::context::Context;
use bd::bead::id;
use bd::foreign::ForeignBeads;
use bd::foreign::UnreadLine;
use bd::foreign::folder::{self, FieldReport, ForeignFolder};
use kit::cli::report::{CommandResult, build_confirmation, build_empty_report, build_report};
use kit::ui::{Page, counted, escape};

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
        kit::bail_usage!(
            "unknown command {word:?} for \"bd migrate\"; there is nothing to migrate"
        );
    }
    build_empty_report()
}

fn migrate_folder(ctx: &Context, from: &str, dry_run: bool) -> CommandResult {
    ctx.check_writable("migrate")?;
    // Without a final `.`.
    let path: PathBuf = ctx.env.make_absolute(from).components().collect();
    if !path.is_dir() {
        kit::bail_usage!("no such folder: {}", path.display());
    }
    let store = ctx.store()?;
    let mut found = folder::read_folder(&path, store.dir())?;
    if found.sources.is_empty() {
        kit::bail_usage!(
            "{} has no issues.jsonl, no database and no branch beads/store{}",
            path.display(),
            if store.dir().starts_with(&path) {
                " besides the beads in use"
            } else {
                ""
            }
        );
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
    let report = MigrationReport {
        sources: found.sources,
        beads: count,
        created: done.created.len(),
        updated: done.updated.len(),
        unchanged: done.unchanged,
        skipped: done.skipped.len(),
        fields: found.fields,
        settings,
        other_lines: found.other_lines,
        unread: found.unread,
        missing_edges: done.left_out.len(),
        dry_run,
    };
    let write_report = move |report: &MigrationReport, page: &mut Page| {
        let action = if dry_run {
            "Would take over"
        } else {
            "✓ Took over"
        };
        let beads = counted(report.beads, "bead");
        let sources = report.sources.join(", ");
        page.line(format!(
            "{action} {beads} from {}: {sources}",
            path.display()
        ));
        write_migration(report, &done.left_out, page);
    };
    if dry_run {
        build_report(report, write_report)
    } else {
        build_confirmation(report, write_report)
    }
}

#[derive(Serialize)]
struct MigrationReport {
    sources: Vec<String>,
    beads: usize,
    created: usize,
    updated: usize,
    unchanged: usize,
    skipped: usize,
    fields: FieldReport,
    settings: BTreeMap<String, String>,
    other_lines: BTreeMap<String, usize>,
    unread: Vec<UnreadLine>,
    missing_edges: usize,
    dry_run: bool,
}

fn write_migration(report: &MigrationReport, left_out: &[(String, String)], page: &mut Page) {
    let MigrationReport {
        created,
        updated,
        unchanged,
        skipped,
        ..
    } = report;
    page.line(format!(
        "  {created} created, {updated} updated, {unchanged} unchanged, {skipped} skipped"
    ));
    write_fields(&report.fields, page);
    write_list(
        "Settings",
        report
            .settings
            .iter()
            .map(|(name, value)| format!("{name}={}", escape::escape_line(value))),
        page,
    );
    for (from, to) in left_out {
        page.line(format!(
            "  Left out: the edge {from} → {to}, which is not here"
        ));
    }
    for (kind, number) in &report.other_lines {
        let kind = escape::escape_line(kind);
        let lines = counted(*number, "line");
        page.line(format!("  Left out: {lines} of the type \"{kind}\""));
    }
    if !report.unread.is_empty() {
        page.line(format!(
            "  Not read: {}",
            counted(report.unread.len(), "line")
        ));
    }
    for unread in &report.unread {
        let reason = escape::escape_line(&unread.reason);
        page.line(format!("    {}:{}: {reason}", unread.file, unread.line));
    }
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
    settings.extend(
        found
            .memories
            .iter()
            .map(|(key, text)| (memory_setting(key), text.clone())),
    );
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

fn write_fields(fields: &FieldReport, page: &mut Page) {
    let renamed = &fields.renamed;
    let unknown = &fields.unknown;
    let left_out = &fields.left_out;
    write_list("Fields kept", fields.kept.iter().cloned(), page);
    write_list(
        "Fields renamed",
        renamed.iter().map(|(from, to)| format!("{from} → {to}")),
        page,
    );
    write_list(
        "Unknown fields, kept",
        unknown.iter().map(|(name, count)| {
            format!(
                "{} ({})",
                escape::escape_line(name),
                counted(*count, "bead")
            )
        }),
        page,
    );
    write_list(
        "Fields left out",
        left_out
            .iter()
            .map(|(name, reason)| format!("{name} ({reason})")),
        page,
    );
}

/// Writes a line with the entries, if there are any.
fn write_list(title: &str, entries: impl Iterator<Item = String>, page: &mut Page) {
    let entries: Vec<String> = entries.collect();
    if !entries.is_empty() {
        page.line(format!("  {title}: {}", entries.join(", ")));
    }
}
