use super::add;
use crate::context::Context;
use crate::each;
use bd::change;
use kit::cli::report::CommandResult;

/// Remove a label from beads
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The beads, then the label
    #[arg(required = true, num_args = 2.., value_names = ["ID", "LABEL"])]
    ids_and_label: Vec<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    ctx.check_writable("label")?;
    let (ids, labels) = add::split_off_labels(args.ids_and_label)?;
    let done = each::change_each(ctx, "labelling", &ids, |tx, id| {
        for label in &labels {
            change::remove_label(tx, id, label)?;
        }
        Ok(id.to_owned())
    })?;
    add::report_labels(&done, &labels, "removed", "✓ Removed label", "from")
}
