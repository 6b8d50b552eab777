use serde::Serialize;

use super::{CommandResult, Context, build_report};
use gt::flow::work::molecule;

/// Take the molecule off a bead, or off the work on your hook
///
/// The molecule stays: `gt mol attach` puts it back.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A bead or an agent (default: you)
    #[arg(value_name = "TARGET", default_value = "", hide_default_value = true)]
    target: String,
}

#[derive(Debug, Serialize)]
struct DetachMoleculeReport {
    bead: String,
    molecule: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let (bead, molecule) = molecule::detach_molecule(&town, &args.target)?;
    build_report(
        DetachMoleculeReport { bead, molecule },
        |done, page| match &done.molecule {
            Some(molecule) => page.line(format!("✓ {molecule} is off {}", done.bead)),
            None => page.line(format!("{} has no molecule", done.bead)),
        },
    )
}
