use super::attach::AttachMoleculeReport;
use super::{CommandResult, Context, build_report};
use gt::flow::work::molecule;

/// Attach the molecule named in a message to your hooked bead
///
/// The message must contain a line `molecule: ID`. It is marked as read.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The id of the message
    #[arg(value_name = "MESSAGE")]
    message: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let (bead, molecule) = molecule::attach_molecule_from_mail(&town, &args.message)?;
    build_report(AttachMoleculeReport { bead, molecule }, |done, page| {
        page.line(format!("✓ {} is attached to {}", done.molecule, done.bead));
    })
}
