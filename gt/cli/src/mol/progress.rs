use super::status::ProgressShown;
use super::{CommandResult, Context, build_report, list_steps, next_line, progress_line};
use gt::flow::molecule;

/// Show how far a molecule is
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The molecule, a bead or an agent (default: you)
    #[arg(value_name = "TARGET", default_value = "", hide_default_value = true)]
    target: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.town()?;
    let (bead, found) = molecule::find_attached(&town, &args.target)?;
    let found = found.filter(|found| !found.steps.is_empty());
    let found = found.ok_or_else(|| anyhow::anyhow!("{bead} has no molecule with steps"))?;
    build_report(ProgressShown::of(&found), move |_, page| {
        page.line(progress_line(&found));
        list_steps(page, &found.steps);
        page.line(next_line(&found));
    })
}
