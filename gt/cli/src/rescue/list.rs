//! `gt rescue list`.

use kit::ui::escape;

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::place::rescue;

/// List saved work
///
/// Rescue refs are made before a sandbox is reset, snapshots when a session ends. Each is listed
/// with its worker and its bead, if known. With `--json` an array of {ref, rig, commit, saved_at,
/// subject, polecat?, bead?}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only work of this rig
    rig: Option<String>,
    /// Accepted for scripts: the rig is an argument
    #[arg(long = "rig", hide = true, value_name = "RIG", conflicts_with = "rig")]
    rig_flag: Option<String>,
    /// Accepted for scripts: work of any age is listed
    #[arg(long, hide = true)]
    all: bool,
    /// Accepted for scripts: work of any age is listed
    #[arg(long, hide = true, value_name = "N")]
    days: Option<u32>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let rigs = town.select_rigs(args.rig.or(args.rig_flag).as_deref())?;
    let rows = rescue::list_saved_work(&rigs)?;
    build_report(rows, |rows, page| {
        if rows.is_empty() {
            page.line("nothing is saved");
        }
        for row in rows {
            page.line(format!(
                "{}  {:.12}  {}",
                row.reference,
                row.commit,
                page.relative_time(&row.saved_at)
            ));
            let whose = match (&row.polecat, &row.bead) {
                (Some(name), Some(bead)) => format!("{}/{name}, last on {bead}: ", row.rig),
                (Some(name), None) => format!("{}/{name}: ", row.rig),
                (None, _) => String::new(),
            };
            page.cut_line(format!(
                "  {}{}",
                escape::escape_line(&whose),
                escape::escape_line(&row.subject)
            ));
        }
    })
}
