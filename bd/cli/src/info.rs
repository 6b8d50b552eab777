use serde_json::json;

use crate::context::Context;
use bd::store::paths::StorePaths;
use kit::ui::counted;

use kit::cli::report::{CommandResult, TextReport};

/// Describe the beads in use
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Also describe the files
    #[arg(long)]
    schema: bool,
    /// Accepted for older scripts
    #[arg(long, hide = true)]
    whats_new: bool,
    #[arg(long, hide = true)]
    thanks: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let store = ctx.store()?;
    let snapshot = store.snapshot()?;
    let paths = StorePaths::for_folder(store.dir());
    let count = snapshot
        .bead_refs()
        .filter(|bead| !bead.is_tombstone())
        .count();
    let stored = ctx.config.stored().into_iter();
    let config: serde_json::Map<_, _> = stored
        .map(|(name, setting)| (name, json!(setting.value)))
        .collect();
    let prefix = store.prefix().unwrap_or_default();
    let mut value = json!({
        "database_path": paths.mark(),
        "issues_path": paths.issues(),
        "mode": "direct",
        "issue_count": count,
        "config": config,
        "daemon_connected": false,
    });
    let mut lines = vec![
        format!("Beads:  {}", paths.issues().display()),
        format!("Count:  {}", counted(count, "bead")),
        format!("Prefix: {prefix}"),
        "Mode:   direct (no daemon, no database)".to_owned(),
    ];
    if args.schema {
        let first: Vec<String> = snapshot
            .bead_refs()
            .take(3)
            .map(|bead| bead.id().to_owned())
            .collect();
        value["schema"] = json!({
            "tables": ["issues.jsonl", "journal.jsonl", "events", "archive"],
            "detected_prefix": prefix,
            "sample_issue_ids": first,
        });
        lines.push("Files:  one bead per line of JSON; docs/STORE.md describes them".to_owned());
    }
    TextReport::lines(value, lines).into_answer()
}
