use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::path::Path;

use anyhow::Context as _;

use super::args::{self, FilterArgs};
use crate::context::Context;
use bd::bead::{Bead, lines, record};
use bd::foreign::csv;
use kit::cli::report::{CommandResult, build_empty_report, build_report};
use kit::failure::UsageError;
use kit::sys::file;
use kit::ui::counted;

/// Write beads as records, one per line
///
/// Deleted beads are included, unless a filter is given. Local beads (wisps) are not.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The file (default, and `-`: standard output)
    #[arg(short, long, value_name = "FILE")]
    output: Option<String>,
    /// Replace a file with beads that are not here
    #[arg(long)]
    force: bool,
    /// Filter by parent
    #[arg(long, value_name = "ID", value_parser = args::parse_filter_value)]
    parent: Option<String>,
    /// The form: jsonl, or csv for a spreadsheet
    #[arg(long, value_name = "FORM", default_value = "jsonl")]
    format: String,
    /// Accepted for older scripts: every bead is exported
    #[arg(long, hide = true)]
    all: bool,
    #[arg(long, hide = true)]
    include_infra: bool,
    #[command(flatten)]
    filter: FilterArgs,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let is_csv = args.format == "csv";
    if !is_csv && args.format != "jsonl" {
        kit::bail_usage!("unknown format {:?}: use jsonl or csv", args.format);
    }
    let store = ctx.store()?;
    let snapshot = store.snapshot()?;
    let mut filter = args.filter.to_filter(ctx)?;
    filter.parent = args
        .parent
        .map(|id| snapshot.resolve(&id).map(|bead| bead.id.clone()))
        .transpose()?;
    let is_whole = filter == bd::query::BeadFilter::default();
    let beads: Vec<&Bead> = if is_whole {
        snapshot.all().collect()
    } else {
        filter.apply(&snapshot)
    };
    let beads: Vec<&Bead> = beads
        .into_iter()
        .filter(|bead| !bead.ephemeral)
        .filter(|bead| !is_csv || !bead.is_internal())
        .collect();
    let exported = beads.len();
    let text = if is_csv {
        csv::write_beads(&beads)?
    } else {
        let mut text = Vec::new();
        for bead in beads {
            text.extend(record::serialize_bead(bead));
            text.push(b'\n');
        }
        text
    };
    let Some(output) = args.output.filter(|output| output != "-") else {
        ctx.ui.raw(&String::from_utf8_lossy(&text));
        return build_empty_report();
    };
    let path = ctx.env.make_absolute(&output);
    let is_own = fs::canonicalize(&path).is_ok_and(|path| {
        fs::canonicalize(store.issues_file()).is_ok_and(|issues_path| issues_path == path)
    });
    if is_own {
        if !is_whole || is_csv {
            kit::bail_usage!(
                "the issues file of this project holds all beads: choose another file"
            );
        }
        store.fold(&ctx.clock)?;
    } else {
        write_export(&path, &text, is_whole && !is_csv && !args.force)
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    build_report(kit::report_value! { exported, path }, |report, page| {
        let count = counted(report.exported, "bead");
        page.line(format!("Exported {count} to {}", report.path.display()));
    })
}

/// Writes the beads to the path that the user named: into a pipe or device, else over the file.
fn write_export(path: &Path, text: &[u8], keeps_old_beads: bool) -> anyhow::Result<()> {
    if fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        let mut stream = fs::OpenOptions::new().write(true).open(path)?;
        return Ok(stream.write_all(text)?);
    }
    let path = file::follow_link(path);
    if keeps_old_beads {
        refuse_loss(&path, text)?;
    }
    Ok(file::replace_file(&path, text, file::SHARED)?)
}

fn parse_ids(text: Vec<u8>) -> BTreeSet<String> {
    lines::parse_lines(text)
        .beads
        .into_iter()
        .map(|(_, _, bead)| bead.id)
        .collect()
}

/// Fails if the existing file has beads that the new text does not have.
fn refuse_loss(path: &Path, text: &[u8]) -> anyhow::Result<()> {
    let Some(old_text) = file::read_file_if_exists(path)
        .with_context(|| format!("cannot read {}", path.display()))?
    else {
        return Ok(());
    };
    let old = parse_ids(old_text);
    let new = parse_ids(text.to_vec());
    let lost: Vec<&str> = old.difference(&new).map(String::as_str).collect();
    if lost.is_empty() {
        return Ok(());
    }
    if new.is_empty() {
        kit::bail_usage!(
            "refusing to export empty database over non-empty JSONL file (use --force to replace it)"
        );
    }
    let first = lost.iter().take(5).copied().collect::<Vec<_>>().join(", ");
    let count = counted(lost.len(), "bead");
    Err(UsageError(format!(
        "refusing to overwrite {}: it has {count} that are not here ({first}); import it first, or use --force",
        path.display()
    ))
    .into())
}
