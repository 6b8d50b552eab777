use super::super::mol::show;
use crate::context::Context;
use bd::molecule::{MoleculeError, proto};
use kit::cli::report::CommandResult;

/// Show a proto and its steps
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The proto
    #[arg(value_name = "ID")]
    id: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let snapshot = ctx.store_for_id(&args.id)?.snapshot()?;
    let bead = snapshot.resolve(&args.id)?;
    if !proto::is_proto(bead) {
        return Err(MoleculeError::NotAProto(bead.id.clone()).into());
    }
    show::run(ctx, show::Args::for_molecule(bead.id.clone()))
}
