use std::collections::BTreeMap;

use crate::context::Context;
use bd::store::paths::StorePaths;
use kit::cli::report::{CommandResult, build_report};
use kit::ui::counted;

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
    let config: BTreeMap<_, _> = ctx
        .config
        .stored()
        .into_iter()
        .map(|(name, setting)| (name, setting.value))
        .collect();
    let prefix = store.prefix().unwrap_or_else(|_| String::new());
    let first_ids: Vec<String> = snapshot
        .bead_refs()
        .take(3)
        .map(|bead| bead.id().to_owned())
        .collect();
    let report = kit::report_value! {
        database_path: paths.mark(),
        issues_path: paths.issues().to_owned(),
        mode: "direct",
        issue_count: count,
        config,
        daemon_connected: false;
        schema: args.schema.then(|| kit::report_value! {
            tables: ["issues.jsonl", "journal.jsonl", "events", "archive"],
            detected_prefix: prefix.clone(),
            sample_issue_ids: first_ids
        })
    };
    build_report(report, move |report, page| {
        page.line(format!("Beads:  {}", report.issues_path.display()));
        page.line(format!("Count:  {}", counted(report.issue_count, "bead")));
        page.line(format!("Prefix: {prefix}"));
        page.line("Mode:   direct (no daemon, no database)");
        if report.schema.is_some() {
            page.line("Files:  one bead per line of JSON; docs/STORE.md describes them");
        }
    })
}
