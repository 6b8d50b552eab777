//! `gt restore`.

use std::path::Path;

use kit::ui::counted;
use kit::ui::escape::escape_line;

use super::backup::write_missing;
use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::repair;
use gt::flow::restore::{self, RestoreTownReport};

/// Restore a town from a backup into a new folder
///
/// Rebuilds the town of the last `gt backup` in DIR, which must be empty or not exist: its files,
/// repositories and worktrees, with their uncommitted work. Starts nothing. Restore only backups
/// that you trust, because the settings of a town name programs to run. The original, if it is
/// still there, must not run at the same time: both would work on the same beads. With `--json`
/// {town, source, commit, saved_at, saved_root, files, repositories, refs, worktrees, unsaved[],
/// not_restored[]}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The backup: a folder, or the URL or path of a repository
    source: String,
    /// The folder for the town
    dir: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let root = ctx.env.make_absolute(&args.dir);
    let mut report = restore::restore_town(&ctx.env, &args.source, &root)?;
    complete_town(ctx, &mut report);
    build_report(report, |report, page| {
        page.line(format!(
            "✓ {} and {} of {} are in {}",
            counted(report.files, "file"),
            counted(report.refs, "ref"),
            counted(report.repositories, "repository"),
            report.town.display()
        ));
        page.line(format!("  as of {}", page.local_time(&report.saved_at)));
        for path in &report.unsaved {
            page.line(format!("  with uncommitted work of {}", escape_line(path)));
        }
        write_missing("Not restored:", &report.not_restored, page);
        page.line("Next, if the original does not run any more:");
        page.line(format!("  cd {}", report.town.display()));
        page.line("  gt up");
    })
}

/// Adds what a backup does not have, and replaces the paths of the original.
fn complete_town(ctx: &Context, report: &mut RestoreTownReport) {
    let town = ctx.open_town_at(Path::new(&report.town));
    let repaired = repair::repair_town(&town, Some(&report.saved_root));
    report.not_restored.extend(repaired.failed);
}
