use std::path::PathBuf;

use anyhow::Context as _;

use super::merge::{self, MergeInput, merge_sides};
use crate::context::Context;
use bd::merge::markers;
use bd::store::paths::StorePaths;
use kit::cli::report::{CommandResult, build_confirmation, build_report};
use kit::ui::{counted, escape};

/// Merge both sides of a bead file that has conflict markers
///
/// Merges the sides field by field, as `bd merge` does, writes the result in place of the file, and
/// keeps in history what gave way. As long as git reports the file as unmerged, `bd merge
/// --unmerged` does the same with what git knows of the common ancestor.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The file (default: the beads of this project)
    #[arg(value_name = "FILE")]
    file: Option<String>,
    /// The resolution of conflicts
    #[arg(long, value_name = "MODE", default_value = "mechanical", value_parser = ["mechanical"])]
    mode: String,
    /// Only show what would be done
    #[arg(long)]
    dry_run: bool,
    /// The project in this folder
    #[arg(long, value_name = "DIR", conflicts_with = "file")]
    path: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let path: PathBuf = match (&args.file, &args.path) {
        (Some(file), _) => ctx.env.make_absolute(file),
        (None, Some(folder)) => {
            let dir = ctx.env.make_absolute(folder).join(".beads");
            StorePaths::for_folder(&dir).issues().to_owned()
        }
        (None, None) => StorePaths::for_folder(&ctx.project()?.dir)
            .issues()
            .to_owned(),
    };
    let shown = path.display().to_string();
    let text = std::fs::read(&path).with_context(|| format!("cannot read {shown}"))?;
    let sides = markers::split_sides(&text).with_context(|| format!("cannot resolve {shown}"))?;
    let count = sides.conflicts.len();
    let conflicts: Vec<_> = sides
        .conflicts
        .into_iter()
        .map(|conflict| {
            kit::report_value! {
                line_range: format!("{}-{}", conflict.lines.start(), conflict.lines.end()),
                left_label: conflict.left_label,
                right_label: conflict.right_label,
                resolution: "merged";
                issue_id: conflict.ids.into_iter().next()
            }
        })
        .collect();
    let mut report = kit::report_value! {
        file_path: shown, dry_run: args.dry_run, mode: args.mode,
        conflicts_found: count, conflicts_resolved: 0, status: "clean";
        conflicts: (count > 0).then_some(conflicts)
    };
    let shown = escape::escape_line(&report.file_path);
    if count == 0 {
        return build_confirmation(report, move |_, page| {
            page.line(format!("✓ {shown} has no conflict markers"));
        });
    }
    let sides = MergeInput {
        base: sides.base,
        left: sides.left,
        right: sides.right,
    };
    let merged = merge_sides(ctx, &sides).with_context(|| format!("merging {shown}"))?;
    let conflicts = counted(count, "conflict");
    if args.dry_run {
        report.status = "dry_run";
        return build_report(report, move |_, page| {
            page.line(format!("Would resolve {conflicts} in {shown}"));
        });
    }
    ctx.check_writable("resolve-conflicts")?;
    merge::write_merge(ctx, &path, &merged, &sides)?;
    report.conflicts_resolved = count;
    report.status = "resolved";
    build_confirmation(report, move |_, page| {
        page.line(format!("✓ Resolved {conflicts} in {shown}"));
        page.line(format!("Next: git add {shown}"));
    })
}
