//! `gt polecat list`.

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::record::town_view::TownView;
use gt::view::polecat::PolecatRow;

/// List polecats
///
/// The state is working, idle, stalled or zombie, with the reason. With `--json` an array of {rig,
/// name, state, why, issue?, session_running, lease, branch, host?, unreachable?{name, since?, reason},
/// stuck?, failed_step?, last_end?{at, lease, exit, signal, screen[]}}: exit code or signal, and last
/// screen, of its last session that ended unasked.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only polecats of this rig
    rig: Option<String>,
    /// List the polecats of all rigs (the default without RIG)
    #[arg(short, long, conflicts_with = "rig")]
    all: bool,
    /// Accepted for scripts: the rig is an argument
    #[arg(long = "rig", hide = true, value_name = "RIG", conflicts_with_all = ["rig", "all"])]
    rig_flag: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let rigs = town.select_rigs(args.rig.or(args.rig_flag).as_deref())?;
    let view = TownView::read(&town)?;
    let mut rows = Vec::new();
    for rig in rigs {
        // A rig that the user names must be readable.
        rig.store()?;
        rows.extend(
            view.polecats_of(rig.name())
                .iter()
                .map(|polecat| PolecatRow::from_polecat(&town.layout, &view, polecat)),
        );
    }
    build_report(rows, |rows, page| {
        if rows.is_empty() {
            page.line("no polecats yet: gt sling BEAD RIG makes the first");
        }
        for row in rows {
            let progress = row.progress.as_ref();
            let progress = progress.map_or_else(String::new, |progress| {
                format!("; {}", progress.describe(page.now()))
            });
            let host = match &row.host {
                Some(host) => format!(" on {host}"),
                None => String::new(),
            };
            page.cut_line(format!(
                "{} {:<8} {}/{}{host}  {}{progress}",
                row.state_sign(),
                row.word,
                row.rig,
                row.name,
                row.why
            ));
        }
    })
}
