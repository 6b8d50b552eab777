//! `gt polecat fire`.

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::agent::polecat::{HireReport, fire_polecat};
use gt::record::town_view::TownView;

/// End the use of a worker's persona
///
/// Refuses while the worker has a bead or unsaved work. The worker and its record stay; `gt polecat
/// nuke` removes its sandbox. The text stays in personas/former/ of the rig. No agent can fire. With
/// `--json` {polecat, replaced}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The worker: RIG/NAME
    polecat: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let (rig, name) = super::parse_polecat(&town, &args.polecat)?;
    let fired = fire_polecat(&TownView::read(&town)?, &rig, &name)?;
    build_report(fired, |fired: &HireReport, page| {
        page.line(format!("✓ {} has no persona any more", fired.polecat));
        page.line("  its record stays");
        page.line(format!("  gt polecat status {}", fired.polecat));
    })
}
