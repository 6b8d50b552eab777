use crate::context::Context;
use kit::cli::report::{CommandResult, build_confirmation, build_report};
use kit::ui::{counted, escape};

/// Show the holder of the slot
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    let store = ctx.store()?;
    let id = super::slot_id(&store)?;
    let snapshot = store.snapshot()?;
    let Some(slot) = snapshot.get_live(&id) else {
        let report = kit::report_value! { id, available: false, error: "not found" };
        return build_report(report, |_, page| {
            page.line("No merge slot: bd merge-slot create makes it");
        });
    };
    let holder = (!slot.holder.is_empty()).then(|| slot.holder.clone());
    let report = kit::report_value! {
        id, available: holder.is_none(), status: slot.status.clone(),
        holder, waiters: slot.waiters.clone()
    };
    if report.available {
        return build_confirmation(report, |report, page| {
            page.line(format!("✓ {} is free", report.id));
        });
    }
    build_report(report, |report, page| {
        let holder = escape::escape_line(report.holder.as_deref().unwrap_or(""));
        let count = counted(report.waiters.len(), "waiter");
        page.line(format!("{} is held by {holder} ({count})", report.id));
    })
}
