use super::{CommandResult, Context, build_report};
use bd::molecule::draw;
use bd::molecule::progress::MoleculeProgress;
use gt::flow::work::molecule;

/// Draw the steps of a molecule as a tree
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The molecule, a bead or an agent (default: you)
    #[arg(value_name = "TARGET", default_value = "", hide_default_value = true)]
    target: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let (bead, found) = molecule::find_attached(&town, &args.target)?;
    let found = found.ok_or_else(|| anyhow::anyhow!("{bead} has no molecule"))?;
    let home = town.find_bead(&found.id)?;
    let beads = home.store.snapshot()?;
    let steps = MoleculeProgress::for_root(&beads, &found.id)
        .map(|progress| draw::steps_of_molecule(&progress))
        .unwrap_or_default();
    build_report(found, move |found, page| {
        bd::molecule::step_tree::draw_step_tree(page, &steps, |at| {
            let state = found.steps.get(at).map_or("", |step| step.state.as_str());
            format!("[{state}] ")
        });
    })
}
