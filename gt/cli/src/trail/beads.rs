//! `gt trail beads`.

use kit::ui::escape;

use super::{CommandResult, Context, RangeArgs, build_report};
use gt::view::trail;

/// List the beads that changed last, newest first
///
/// With `--json` an array of {id, title, status, agent?, updated_at, updated_relative}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    range: RangeArgs,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let beads = trail::list_beads(&town, &args.range.to_range(&town)?)?;
    build_report(beads, |beads, page| {
        if beads.is_empty() {
            page.line("no bead changed");
        }
        for bead in beads {
            page.cut_line(format!(
                "{:<12} {:<11} {:<15} {:<20} {}",
                bead.id,
                bead.status,
                page.relative_time(&bead.at.to_string()),
                escape::escape_line(&bead.agent),
                escape::escape_line(&bead.title)
            ));
        }
    })
}
