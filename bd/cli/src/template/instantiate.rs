use super::super::mol::pour::PourRequest;
use crate::args::resolve_assignee;
use crate::context::Context;
use bd::molecule::template::PourOptions;
use bd::molecule::{MoleculeError, bond::BondType, proto};
use kit::cli::report::CommandResult;

/// Pour a proto into a molecule of beads
///
/// As JSON: `{new_epic_id, id_mapping, created}` and more, as `bd mol pour`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The proto
    #[arg(value_name = "ID")]
    id: String,
    /// Set a variable; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    var: Vec<String>,
    /// Assign the root to NAME
    #[arg(long, value_name = "NAME")]
    assignee: Option<String>,
    /// Only show what would be created
    #[arg(long)]
    dry_run: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let snapshot = ctx.store()?.snapshot()?;
    let bead = snapshot.resolve(&args.id)?;
    if !proto::is_proto(bead) {
        return Err(MoleculeError::NotAProto(bead.id.clone()).into());
    }
    let request = PourRequest {
        formula: bead.id.clone(),
        var: args.var,
        attach: Vec::new(),
        bond: BondType::Sequential,
        search_path: Vec::new(),
        dry_run: args.dry_run,
        options: PourOptions {
            assignee: resolve_assignee(ctx, args.assignee.as_deref()).unwrap_or_default(),
            ..PourOptions::default()
        },
    };
    request.run(ctx)
}
