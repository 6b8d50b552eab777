use super::{CommandResult, Context, build_report};
use gt::flow::work::molecule;

/// Squash the molecule of the work on a hook into one digest
///
/// Of wisps the digest is left. The open steps of a durable molecule are closed as skipped.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A bead or an agent (default: you)
    #[arg(value_name = "TARGET", default_value = "", hide_default_value = true)]
    target: String,
    /// The text of the digest
    #[arg(
        long,
        value_name = "TEXT",
        default_value = "",
        hide_default_value = true
    )]
    summary: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let done = molecule::squash_molecule(&town, &args.target, &args.summary)?;
    build_report(done, |done, page| {
        let into = match &done.digest {
            Some(digest) => format!(" into {digest}"),
            None => String::new(),
        };
        page.line(format!(
            "✓ squashed {}{into}: {} of {} steps were done",
            done.molecule, done.done, done.total
        ));
    })
}
