use super::each;
use super::label;
use crate::context::Context;
use bd::change;
use kit::cli::report::CommandResult;

/// Add a label to a bead
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The bead
    #[arg(value_name = "ID")]
    id: String,
    /// The label
    #[arg(value_name = "LABEL")]
    label: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    ctx.check_writable("tag")?;
    label::refuse_reserved(&args.label)?;
    let done = each::change_each(ctx, "labelling", &[args.id], |tx, id| {
        change::add_label(tx, id, &args.label).map(|_| id.to_owned())
    })?;
    label::report_added(&done, &[args.label])
}
