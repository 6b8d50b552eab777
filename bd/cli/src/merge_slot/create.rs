use crate::context::Context;
use bd::change;
use kit::cli::report::{CommandResult, build_confirmation};

/// Create the slot if it is missing
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    ctx.check_writable("merge-slot create")?;
    let store = ctx.store()?;
    let id = super::slot_id(&store)?;
    let slot = store.transact(&ctx.author(), &ctx.clock, |tx| {
        Ok(change::create_merge_slot(tx, &id)?)
    })?;
    let report = kit::report_value! { id: slot.id, status: slot.status };
    build_confirmation(report, |slot, page| {
        page.line(format!("✓ Merge slot: {}", slot.id));
    })
}
