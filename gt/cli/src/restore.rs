//! `gt restore`.

use std::path::Path;

use bd::query::when;
use kit::sys::{Clock, env};
use kit::ui::counted;
use kit::ui::escape::escape_line;

use super::backup::write_missing;
use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::place::backup::{self, BackupChoice};
use gt::flow::place::repair;
use gt::flow::place::restore::{self, RestoreTownReport};

/// Restore a town from a backup into a new folder
///
/// Rebuilds the town of a `gt backup` in DIR, which must be empty or not exist: its files,
/// repositories and worktrees, with their uncommitted work. Takes the last backup, or that of
/// `--at`. Starts nothing. Restore only backups that you trust, because the settings of a town name
/// programs to run. The original, if it is still there, must not run at the same time: both would
/// work on the same beads. With `--json` {town, source, commit, saved_at, saved_root, files,
/// repositories, refs, worktrees, unsaved[], not_restored[]}; with `--list` an array of {commit,
/// written_at}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The backup: a folder, or the URL or path of a repository
    source: String,
    /// The folder for the town
    #[arg(required_unless_present = "list")]
    dir: Option<String>,
    /// The backup of this time or the last before it, or a commit of the list
    #[arg(long, value_name = "TIME|COMMIT")]
    at: Option<String>,
    /// List the backups, and restore none
    #[arg(long, conflicts_with_all = ["dir", "at"])]
    list: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let Some(dir) = args.dir else {
        return list_backups(ctx, args.source);
    };
    let root = ctx.env.make_absolute(&dir);
    let choice = parse_choice(ctx, args.at)?;
    let mut report = restore::restore_town(&ctx.env, &args.source, &choice, &root)?;
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

/// Reads `--at`: a commit, or else a time.
fn parse_choice(ctx: &Context, at: Option<String>) -> anyhow::Result<BackupChoice> {
    let Some(text) = at else {
        return Ok(BackupChoice::Last);
    };
    let is_hex = text.len() >= 7 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let now = Clock::choose(ctx.env.get("BD_NOW")).now();
    let zone = env::local_time_zone();
    match when::parse_past_time(&text, now, &zone) {
        Some(time) => {
            // A day, which is parsed as its start, includes the backups of that day.
            let local = time.to_zoned(zone);
            let is_day = !text.contains(':') && local.start_of_day().is_ok_and(|day| day == local);
            let end = if is_day {
                local.tomorrow()?.timestamp()
            } else {
                time
            };
            Ok(BackupChoice::At(end))
        }
        None if is_hex => Ok(BackupChoice::Commit(text)),
        None => anyhow::bail!(
            "`{text}` is no time and no commit: use `2026-03-01 14:00`, yesterday, 2h or a commit of `gt restore SOURCE --list`"
        ),
    }
}

fn list_backups(ctx: &Context, source: String) -> CommandResult {
    let backups = backup::list_backups(&ctx.env, &source)?;
    build_report(backups, move |backups, page| {
        for backup in backups {
            let written = page.local_time(&backup.written_at.to_string());
            page.line(format!("{:.12}  {written}", backup.commit));
        }
        page.line("To restore one:");
        page.line(format!(
            "  gt restore {} DIR --at COMMIT",
            escape_line(&source)
        ));
    })
}

/// Adds what a backup does not have, and replaces the paths of the original.
fn complete_town(ctx: &Context, report: &mut RestoreTownReport) {
    let town = ctx.open_town_at(Path::new(&report.town));
    let repaired = repair::repair_town(&town, Some(&report.saved_root));
    report.not_restored.extend(repaired.failed);
}
