use super::status::StepProgress;
use super::{
    CommandResult, Context, build_report, describe_next_step, describe_progress, write_steps,
};
use gt::flow::work::molecule;

/// Show how far a molecule is
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The molecule, a bead or an agent (default: you)
    #[arg(value_name = "TARGET", default_value = "", hide_default_value = true)]
    target: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let (bead, found) = molecule::find_attached(&town, &args.target)?;
    let found = found
        .filter(|found| !found.steps.is_empty())
        .ok_or_else(|| anyhow::anyhow!("{bead} has no molecule with steps"))?;
    build_report(StepProgress::from_molecule(&found), move |_, page| {
        page.line(describe_progress(&found));
        write_steps(page, &found.steps);
        page.line(describe_next_step(&found));
    })
}
