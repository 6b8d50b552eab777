use std::collections::{BTreeMap, BTreeSet};
use std::io::IsTerminal;

use serde_json::Value;

use super::args;
use super::remember::memory_setting;
use crate::context::Context;
use bd::bead::validate::Vocabulary;
use bd::bead::{Bead, id, lines};
use bd::change::{self, ImportOptions, ImportReport, OrphanPolicy};
use bd::config::{self, Config, key};
use bd::foreign::{self, ForeignBeads, Tracker, sqlite};
use bd::merge;
use bd::store::mark;
use kit::cli::report::{CommandResult, build_report};
use kit::failure::UsageError;
use kit::ui::{counted, escape};

/// Import beads from JSONL, SQLite, GitHub, Jira or Linear
///
/// A record creates its bead, or updates it if the record is newer. A deleted bead stays deleted.
/// Importing the same file again changes nothing.
///
/// From an SQLite database of another bd (read with the program `sqlite3`) the import takes beads
/// and wisps, and the prefix, types, statuses, kept values and notes. From GitHub it reads the
/// output of `gh issue list --state all --json
/// number,title,body,state,labels,assignees,author,comments,url,createdAt,updatedAt,closedAt`, from
/// Jira and Linear exports as JSON or CSV. The Jira issue `PROJ-7` becomes the bead `PREFIX-proj7`
/// with the external reference `jira-PROJ-7`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The file; `-` is standard input
    #[arg(value_name = "FILE")]
    file: Option<String>,
    /// The file (default: standard input)
    #[arg(short, long, value_name = "FILE", conflicts_with = "file")]
    input: Option<String>,
    /// The tracker that wrote the file (default: detected from its content)
    #[arg(long, value_name = "TRACKER")]
    from: Option<Tracker>,
    /// Leave existing beads unchanged
    #[arg(short, long)]
    skip_existing: bool,
    /// Refuse dependencies on unknown beads
    #[arg(long)]
    strict: bool,
    /// Print the changes without making them
    #[arg(long)]
    dry_run: bool,
    /// Give the beads the prefix of this project
    #[arg(long)]
    rename_on_import: bool,
    /// Import beads of other prefixes with their ids
    #[arg(long)]
    force: bool,
    /// The handling of children of unknown parents
    #[arg(long, value_name = "MODE", default_value = "allow")]
    orphan_handling: OrphanPolicy,
    #[arg(long, hide = true)]
    dedupe_after: bool,
    /// If several beads share an external reference, keep it on the first only
    #[arg(long)]
    clear_duplicate_external_refs: bool,
    #[arg(long, hide = true)]
    protect_left_snapshot: bool,
    #[arg(long, hide = true)]
    no_git_history: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    ctx.check_writable("import")?;
    let prefix = ctx.store()?.prefix()?;
    let (found, settings) = read_source(ctx, &args, &prefix)?;
    let (done, source) = import_found(ctx, &args, found, settings)?;
    report_import(ctx, done, source, args.dry_run)
}

impl Args {
    /// The arguments of an import that keeps all ids.
    pub(super) fn for_migration(dry_run: bool) -> Self {
        Self {
            file: None,
            input: None,
            from: None,
            skip_existing: false,
            strict: false,
            dry_run,
            rename_on_import: false,
            force: true,
            orphan_handling: OrphanPolicy::Allow,
            dedupe_after: false,
            clear_duplicate_external_refs: false,
            protect_left_snapshot: false,
            no_git_history: false,
        }
    }
}

/// Imports the beads and settings of a source.
pub(super) fn import_found(
    ctx: &Context,
    args: &Args,
    found: ForeignBeads,
    settings: BTreeMap<String, String>,
) -> anyhow::Result<(ImportReport, ImportSource)> {
    let store = ctx.store()?;
    let prefix = match settings.get("issue_prefix") {
        Some(prefix) => prefix.clone(),
        None => store.prefix()?,
    };
    let mut own_prefixes = ctx.config.list("allowed_prefixes");
    own_prefixes.push(prefix.clone());
    let beads = select_importable(ctx, args, found.beads, &prefix, &own_prefixes)?;
    let options = ImportOptions {
        own_prefixes,
        skip_existing: args.skip_existing,
        strict: args.strict,
        orphans: args.orphan_handling,
        clear_duplicate_refs: args.clear_duplicate_external_refs,
    };
    let mut done = ImportReport::default();
    let bar = ctx.ui.progress_bar(beads.len(), "beads");
    let ended = store.transact(&ctx.author(), &ctx.clock, |tx| {
        tx.add_vocabulary(collect_vocabulary(&settings));
        done = change::import_beads(tx, beads, &options, || bar.inc(1))?;
        tx.describe("import", "");
        if args.dry_run {
            return Err(DryRun.into());
        }
        Ok(())
    });
    bar.finish_and_clear();
    match ended {
        Err(error) if error.is::<DryRun>() => {}
        ended => ended?,
    }
    if !args.dry_run {
        let (pairs, refused): (Vec<_>, Vec<_>) = settings
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .partition(|(name, value)| key::is_allowed_in_repository(name, value));
        for (name, value) in refused {
            ctx.ui.warn(&format!(
                "the setting {name} = {value} is not imported: it names a program, and files of a repository may not"
            ));
        }
        config::set_all(store.dir(), &pairs)?;
    }
    let source = ImportSource {
        ids: found.ids,
        edges: found.edges,
        left_out: found.left_out,
        circular: found.circular,
        fields: found.fields,
        other_lines: found.other_lines,
        settings,
    };
    Ok((done, source))
}

/// Returns the beads that may be imported, renamed to the prefix of this store if requested.
fn select_importable(
    ctx: &Context,
    args: &Args,
    mut beads: Vec<Box<Bead>>,
    prefix: &str,
    allowed: &[String],
) -> anyhow::Result<Vec<Box<Bead>>> {
    let foreign: BTreeSet<String> = beads
        .iter()
        .filter(|bead| !bead.is_tombstone() && !id::has_prefix_in(&bead.id, allowed))
        .map(|bead| bead.id.clone())
        .collect();
    if args.rename_on_import {
        let here = ctx.store()?.snapshot()?;
        let kept: BTreeMap<&str, &Bead> = beads
            .iter()
            .filter(|bead| !foreign.contains(&bead.id))
            .map(|bead| (bead.id.as_str(), &**bead))
            .collect();
        // A bead that an earlier import renamed to this id is the same bead.
        let ids = change::map_to_prefix(
            beads
                .iter()
                .filter(|bead| foreign.contains(&bead.id))
                .map(|bead| &**bead),
            prefix,
            prefix,
            |id, bead| {
                kept.contains_key(id)
                    || here
                        .get(id)
                        .is_some_and(|there| !is_renamed_before(there, bead))
            },
        );
        for bead in &mut beads {
            change::apply_new_ids(bead, &ids);
        }
    } else if !foreign.is_empty() && !args.force {
        return Err(prefix_mismatch(&foreign, prefix).into());
    }
    if !args.force {
        // Tombstones with another prefix have no meaning here.
        beads.retain(|bead| id::has_prefix_in(&bead.id, allowed));
    }
    Ok(beads)
}

/// Returns true if an earlier import gave a bead its id here. Other trackers write one time in
/// whole seconds for many beads, and no author, so the title counts, too.
fn is_renamed_before(there: &Bead, bead: &Bead) -> bool {
    merge::collision::is_same_bead(there, bead) && there.title == bead.title
}

/// Collects the types and statuses that the imported settings define.
fn collect_vocabulary(settings: &BTreeMap<String, String>) -> Vocabulary {
    let mut config = Config::default();
    for (name, value) in settings {
        config.set_flag(name, value);
    }
    config.vocabulary()
}

/// The facts about the source of the import.
pub(super) struct ImportSource {
    /// The source's names and our ids; empty for JSONL records.
    ids: BTreeMap<String, String>,
    edges: usize,
    left_out: Vec<(String, String)>,
    circular: Vec<(String, String)>,
    fields: BTreeSet<String>,
    /// The lines that hold no bead and were left out: their kind with their number.
    other_lines: BTreeMap<String, usize>,
    settings: BTreeMap<String, String>,
}

/// Reads the beads of the file, and the settings that only the file has.
fn read_source(
    ctx: &Context,
    args: &Args,
    prefix: &str,
) -> anyhow::Result<(ForeignBeads, BTreeMap<String, String>)> {
    let given = args.file.as_ref().or(args.input.as_ref());
    let file = given.map_or("-", String::as_str);
    if file == "-" && std::io::stdin().is_terminal() {
        kit::bail_usage!("give a file: 'bd import FILE', or records on standard input");
    }
    let path = ctx.env.make_absolute(file);
    if file != "-" && mark::is_database_at(&path) {
        let database = sqlite::read_database(&path)?;
        let mut settings = database.settings;
        // Existing beads already fix the prefix, with or without a setting.
        if ctx.store()?.snapshot()?.bead_refs().next().is_some() {
            settings.remove("issue_prefix");
        }
        settings.retain(|name, _| ctx.config.get(name).is_none());
        return Ok((database.found, settings));
    }
    let text = args::read_input_file(ctx, file)?;
    if let Some(tracker) = args.from.or_else(|| foreign::detect_tracker(&text)) {
        let here = ctx.store()?.snapshot()?;
        let found = foreign::read_export(&text, tracker, prefix, &here)?;
        return Ok((found, BTreeMap::new()));
    }
    let (found, mut notes) = parse_records(file, text)?;
    notes.retain(|name, _| ctx.config.get(name).is_none());
    Ok((found, notes))
}

/// Parses beads from JSONL, and the notes of `bd remember` of other versions as settings.
fn parse_records(
    file: &str,
    text: String,
) -> Result<(ForeignBeads, BTreeMap<String, String>), UsageError> {
    let lines = lines::parse_lines(text.into_bytes());
    if let Some(number) = lines.conflict {
        kit::bail_usage!("{file}: line {number} is a git conflict marker; finish that merge first");
    }
    if let Some(damage) = lines.damaged.first() {
        let line = damage.line;
        let reason = escape::escape_line(&damage.reason);
        kit::bail_usage!("{file}: line {line} cannot be read: {reason}");
    }
    let mut notes = BTreeMap::new();
    let mut other_lines = BTreeMap::new();
    for span in lines.foreign {
        let Ok(line) = serde_json::from_slice::<Value>(&lines.text[span]) else {
            continue;
        };
        let kind = &line["_type"];
        let key = &line["key"];
        let value = &line["value"];
        match (kind.as_str(), key.as_str(), value.as_str()) {
            (Some("memory"), Some(key), Some(value)) if !key.is_empty() => {
                notes.insert(memory_setting(key), value.to_owned());
            }
            (kind, ..) => {
                *other_lines
                    .entry(kind.unwrap_or("").to_owned())
                    .or_default() += 1;
            }
        }
    }
    let found = ForeignBeads {
        beads: lines.beads.into_iter().map(|(_, _, bead)| bead).collect(),
        other_lines,
        ..ForeignBeads::default()
    };
    Ok((found, notes))
}

/// Aborts a transaction whose changes must not be kept.
#[derive(Debug, thiserror::Error)]
#[error("nothing was changed")]
pub(super) struct DryRun;

fn report_import(
    ctx: &Context,
    done: ImportReport,
    source: ImportSource,
    is_dry: bool,
) -> CommandResult {
    for (from, to) in done.left_out.iter().chain(&source.left_out) {
        ctx.ui.warn(&format!(
            "{from} depends on {to}, which is not here: left out"
        ));
    }
    for (id, problem) in &done.unusual {
        let problem = escape::escape_line(problem);
        ctx.ui.warn(&format!("{id}: {problem}; imported unchanged"));
    }
    for (kind, count) in &source.other_lines {
        let kind = escape::escape_line(kind);
        let lines = counted(*count, "line");
        ctx.ui.warn(&format!(
            "{lines} of the type \"{kind}\": not a bead, left out"
        ));
    }
    for (from, to) in &source.circular {
        ctx.ui.warn(&format!(
            "{from} depends on {to}, which would close a circle: left out"
        ));
    }
    let edges: Vec<_> = done
        .left_out
        .iter()
        .chain(&source.left_out)
        .map(|edge| (edge, "missing"))
        .chain(source.circular.iter().map(|edge| (edge, "circular")))
        .map(|((from, to), reason)| {
            kit::report_value! { issue_id: from.clone(), depends_on_id: to.clone(), reason }
        })
        .collect();
    let unusual: Vec<_> = done
        .unusual
        .into_iter()
        .map(|(id, problem)| kit::report_value! { id, problem })
        .collect();
    let report = kit::report_value! {
        created: done.created.len(),
        updated: done.updated.len(),
        unchanged: done.unchanged,
        skipped: done.skipped.len(),
        created_ids: done.created,
        updated_ids: done.updated,
        dry_run: is_dry,
        id_mapping: source.ids,
        edges: source.edges,
        fields: source.fields,
        settings: source.settings,
        left_out: kit::report_value! { edges, lines: source.other_lines },
        unusual
    };
    ctx.ui.status(&format!(
        "{} {} created, {} updated, {} unchanged, {} skipped",
        if is_dry {
            "Import would make"
        } else {
            "Import complete:"
        },
        report.created,
        report.updated,
        report.unchanged,
        report.skipped
    ));
    if !report.id_mapping.is_empty() {
        let edges = counted(report.edges, "edge");
        let fields: Vec<&str> = report.fields.iter().map(String::as_str).collect();
        ctx.ui
            .status(&format!("  {edges}; fields: {}", fields.join(", ")));
    }
    for (name, value) in &report.settings {
        let value = escape::escape_line(value);
        ctx.ui.status(&format!("  setting {name} = {value}"));
    }
    build_report(report, |_, _| {})
}

fn prefix_mismatch(foreign: &BTreeSet<String>, prefix: &str) -> UsageError {
    let prefixes: BTreeSet<&str> = foreign.iter().filter_map(|id| id::prefix_of(id)).collect();
    let found: Vec<String> = prefixes
        .iter()
        .map(|found_prefix| format!("{found_prefix}-"))
        .collect();
    let count = counted(foreign.len(), "bead");
    let found = found.join(", ");
    UsageError(format!(
        "prefix mismatch: this project uses '{prefix}-' but found {count} with prefixes: {found} (use --rename-on-import to give them '{prefix}-', or --force to keep them)"
    ))
}
