//! `gt backup`.

use kit::ui::escape::escape_line;
use kit::ui::{Page, counted};

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::place::backup;

/// Back up the whole town to a folder or a git remote
///
/// Saves beads, mail, events, settings, formulas, the refs of every repository, and uncommitted
/// work; of ignored files in work trees, nothing. DESTINATION is a new folder, the folder of an
/// earlier backup, or the URL or path of a bare repository that holds nothing else. Agents may work
/// in the meantime. Each backup is a commit on top of the last one, on the branch gastown-backup.
/// Settings with their tokens are included: a new folder is readable by you alone, a remote by
/// everyone who can read its repository. `gt restore` lists and reads the backups. With `--json`
/// {destination, commit, saved_at, files, repositories, refs, unsaved[], left_out[],
/// readable_by_others}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A folder, or the URL or path of a bare repository
    destination: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let report = backup::back_up_town(&town, &args.destination)?;
    if report.readable_by_others {
        ctx.ui.warn(&format!(
            "others may read {}, which has the town's settings and mail\n  chmod go= {}",
            report.destination, report.destination
        ));
    }
    build_report(report, |report, page| {
        page.line(format!(
            "✓ {} and {} of {} are in {}",
            counted(report.files, "file"),
            counted(report.refs, "ref"),
            counted(report.repositories, "repository"),
            report.destination
        ));
        for path in &report.unsaved {
            page.line(format!("  with uncommitted work of {}", escape_line(path)));
        }
        write_missing("Not in the backup:", &report.left_out, page);
        page.line("To restore it:");
        page.line(format!("  gt restore {} DIR", report.destination));
    })
}

/// Writes the list of what is missing.
pub(super) fn write_missing(title: &str, missing: &[String], page: &mut Page) {
    if !missing.is_empty() {
        page.line(title);
    }
    for line in missing {
        page.cut_line(format!("  ! {}", escape_line(line)));
    }
}
