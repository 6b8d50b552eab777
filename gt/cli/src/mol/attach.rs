use serde::Serialize;

use super::{CommandResult, Context, build_report};
use gt::flow::work::molecule;

/// Attach a molecule to a bead, or to the work on your hook
///
/// A molecule that was attached before is taken off.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The bead and the molecule, or only the molecule
    #[arg(value_name = "[BEAD] MOLECULE", num_args = 1..=2, required = true)]
    words: Vec<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct AttachMoleculeReport {
    pub(super) bead: String,
    pub(super) molecule: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let (target, named) = match &args.words[..] {
        [target, named] => (target.as_str(), named),
        [named] => ("", named),
        _ => anyhow::bail!("name the molecule"),
    };
    let (bead, molecule) = molecule::attach_molecule(&town, target, named)?;
    build_report(AttachMoleculeReport { bead, molecule }, |done, page| {
        page.line(format!("✓ {} is attached to {}", done.molecule, done.bead));
    })
}
