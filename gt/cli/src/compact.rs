//! `gt compact`.

use kit::ui::Page;
use kit::ui::escape::escape_line;

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::agent::compact::{RetentionAction, RetentionReport, compact_town};

/// Apply the retention policies of the town
///
/// Archives beads that were closed long ago, removes old logs of gates and branches that are
/// merged, and packs the rigs' repositories. Saved work is removed only if `retention.rescues`
/// gives it an age. gtd does all but the archiving every week (`patrol.chore.compact`). With
/// `--json` an array of {place, what, setting?, max_age?, action, count, total}, ages in seconds.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only show what would be archived, removed and packed
    #[arg(short = 'n', long)]
    dry_run: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let reports = compact_town(&town, args.dry_run)?;
    build_report(reports, move |reports, page| {
        for report in reports {
            write_report(report, args.dry_run, page);
        }
    })
}

fn write_report(report: &RetentionReport, dry_run: bool, page: &mut Page) {
    let mark = if report.count > 0 { "✓" } else { "○" };
    let would = if dry_run && report.count > 0 {
        " (not done: --dry-run)"
    } else {
        ""
    };
    let policy = match (report.action, report.setting, report.max_age) {
        (RetentionAction::Kept, ..) | (_, None, _) => String::new(),
        (_, Some(setting), None) => format!("; {setting} is 0s, so all stay"),
        (_, Some(setting), Some(age)) => {
            let days = usize::try_from(age / 86_400).unwrap_or(usize::MAX);
            format!("; older than {} ({setting})", kit::ui::counted(days, "day"))
        }
    };
    page.line(format!(
        "{mark} {}{policy}{would}",
        escape_line(&report.describe())
    ));
}
