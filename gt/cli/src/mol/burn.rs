use serde::Serialize;

use super::{CommandResult, Context, build_report};
use gt::flow::work::molecule;

/// Remove the molecule of the work on a hook, without a digest
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A bead or an agent (default: you)
    #[arg(value_name = "TARGET", default_value = "", hide_default_value = true)]
    target: String,
}

#[derive(Debug, Serialize)]
struct BurnReport {
    burned: String,
    beads: usize,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let (burned, beads) = molecule::burn_molecule(&town, &args.target)?;
    build_report(BurnReport { burned, beads }, |done, page| {
        let count = kit::ui::counted(done.beads, "bead");
        page.line(format!("✓ burned {}: {count}", done.burned));
    })
}
