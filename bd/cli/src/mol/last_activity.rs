use crate::context::Context;
use bd::molecule::progress::MoleculeProgress;
use bd::store::TimeField;
use kit::cli::report::{CommandResult, build_report};
use kit::ui::time;

/// Show when a molecule or one of its steps last changed
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The molecule
    #[arg(value_name = "ID")]
    id: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let snapshot = ctx.store_for_id(&args.id)?.snapshot()?;
    let root = super::current::molecule_of(&snapshot, &args.id)?;
    let Some(molecule) = MoleculeProgress::for_root(&snapshot, &root) else {
        return Err(bd::change::ChangeError::NotFound(args.id).into());
    };
    let heads = molecule.steps.iter().map(|step| step.bead_ref);
    let latest = std::iter::once(molecule.root)
        .chain(heads)
        .filter_map(|bead| Some((bead.time(TimeField::Updated)?, bead.id())))
        .max();
    let Some((at, id)) = latest else {
        return Err(bd::change::ChangeError::NotFound(args.id).into());
    };
    let ago = time::format_ago(ctx.now(), at);
    let report = kit::report_value! {
        molecule_id: root, last_activity: at.to_string(), source: id.to_owned()
    };
    build_report(report, move |report, page| {
        page.line(format!("{}: {ago} ({})", report.molecule_id, report.source));
    })
}
