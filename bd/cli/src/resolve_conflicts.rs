use std::path::PathBuf;

use anyhow::Context as _;
use serde_json::{Value, json};

use crate::context::Context;
use bd::merge::markers;
use bd::store::paths::StorePaths;
use kit::ui::{counted, escape};

use super::merge::{self, MergeInput, merge_sides};
use kit::cli::report::{CommandResult, TextReport};

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
    let conflict = |marked_conflict: &markers::MarkedConflict| {
        let mut value = json!({
            "line_range": format!("{}-{}", marked_conflict.lines.start(), marked_conflict.lines.end()),
            "left_label": marked_conflict.left_label,
            "right_label": marked_conflict.right_label,
            "resolution": "merged",
        });
        if let [id, ..] = marked_conflict.ids.as_slice() {
            value["issue_id"] = json!(id);
        }
        value
    };
    let mut value = json!({
        "file_path": shown,
        "dry_run": args.dry_run,
        "mode": args.mode,
        "conflicts_found": count,
        "conflicts_resolved": 0,
        "status": "clean",
    });
    let shown = escape::escape_line(&shown);
    if count == 0 {
        return TextReport::new(value, format!("✓ {shown} has no conflict markers")).into_answer();
    }
    value["conflicts"] = sides.conflicts.iter().map(conflict).collect::<Value>();
    let sides = MergeInput {
        base: sides.base,
        left: sides.left,
        right: sides.right,
    };
    let merged = merge_sides(ctx, &sides).with_context(|| format!("merging {shown}"))?;
    let count_text = counted(count, "conflict");
    if args.dry_run {
        value["status"] = json!("dry_run");
        return TextReport::new(value, format!("Would resolve {count_text} in {shown}"))
            .into_answer();
    }
    ctx.check_writable("resolve-conflicts")?;
    merge::write_merge(ctx, &path, &merged, &sides)?;
    value["conflicts_resolved"] = json!(count);
    value["status"] = json!("resolved");
    let next = format!("Next: git add {shown}");
    TextReport::lines(
        value,
        vec![format!("✓ Resolved {count_text} in {shown}"), next],
    )
    .into_answer()
}
