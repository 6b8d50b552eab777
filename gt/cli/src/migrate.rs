//! `gt migrate`.

use std::path::{Path, PathBuf};

use gt::flow::place::repair;
use gt::view::migration::{MigrationItem, MigrationState, read_migration};
use kit::ui::escape;
use serde::Serialize;

use super::{CommandResult, build_report_with_exit};
use crate::context::Context;

/// Report what a town of the original contains, and complete it
///
/// A town of the original opens unchanged: layout, identities, beads, mail, convoys, hooks and
/// settings. The report names each part that is used, each that has no effect here, and each
/// problem. Then the missing files and hooks are added, and nothing else is changed; with
/// --dry-run nothing at all.
///
/// Beads in a database server are in no file. The report says how to export them.
///
/// The exit code is 1 if there is a problem. With `--json` {root, items[] of {area, state, text,
/// hint?}, added[]}; state is used, ignored or problem.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The town (default: the one around the working directory)
    #[arg(long, value_name = "DIR")]
    from: Option<String>,
    /// Only report
    #[arg(short = 'n', long)]
    dry_run: bool,
}

/// The report, and the changes.
#[derive(Debug, Serialize)]
struct MigrationReport {
    root: String,
    items: Vec<MigrationItem>,
    /// Descriptions of the added files and hooks.
    added: Vec<String>,
    /// True if nothing is missing any more.
    #[serde(skip)]
    is_complete: bool,
    #[serde(skip)]
    dry_run: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = match &args.from {
        Some(path) => ctx.open_town_at(&find_town(ctx, path)?),
        None => ctx.open_town()?,
    };
    let items = read_migration(&town)?;
    let exit = u8::from(
        items
            .iter()
            .any(|item| item.state == MigrationState::Problem),
    );
    let mut report = MigrationReport {
        root: town.layout.root().display().to_string(),
        items,
        added: Vec::new(),
        is_complete: false,
        dry_run: args.dry_run,
    };
    if !args.dry_run {
        let repaired = repair::repair_town(&town, None);
        for failure in &repaired.failed {
            ctx.ui.warn(failure);
        }
        report.added = repaired.repaired;
        report.is_complete = repaired.failed.is_empty();
    }
    build_report_with_exit(exit, report, write_report)
}

/// Returns the town in a folder. It must be the town itself, not a folder of one.
fn find_town(ctx: &Context, path: &str) -> anyhow::Result<PathBuf> {
    let root = ctx.env.make_absolute(path);
    let root: PathBuf = root.components().collect();
    anyhow::ensure!(
        root.join("mayor/town.json").is_file(),
        "{} is no town: it has no mayor/town.json{}",
        root.display(),
        describe_other(&root)
    );
    Ok(root)
}

/// Returns the command for a folder that holds something else.
fn describe_other(root: &Path) -> &'static str {
    if root.join(".beads").is_dir() {
        " (it has beads: `gt rig add` takes its repository, and `bd import` its beads)"
    } else {
        ""
    }
}

fn write_report(report: &MigrationReport, page: &mut kit::ui::Page) {
    for item in &report.items {
        let mark = match item.state {
            MigrationState::Used => page.style().green("✓"),
            MigrationState::Ignored => page.style().dim("·"),
            MigrationState::Problem => page.style().red("✗"),
        };
        let text = escape::escape_line(&item.text);
        page.line(format!("{mark} {:<9} {text}", item.area));
        if let Some(hint) = &item.hint {
            page.line(format!("            {}", escape::escape_line(hint)));
        }
    }
    page.blank();
    page.line("✓ used unchanged   · kept, without effect here   ✗ needs you");
    for added in &report.added {
        page.line(format!("added: {}", escape::escape_line(added)));
    }
    if report.dry_run {
        page.line("nothing was changed");
    } else if report.added.is_empty() && report.is_complete {
        page.line("nothing was missing");
    }
    page.line("Next:");
    page.line("  gt doctor    checks programs, repositories and sandboxes");
    page.line("  gt up        starts the daemon");
}
