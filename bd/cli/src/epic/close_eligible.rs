use super::status::report_epics;
use crate::context::Context;
use crate::each;
use bd::change;
use bd::graph::epic;
use kit::cli::report::{CommandResult, build_confirmation, build_report};

/// Close epics whose children are all closed
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// List the epics without closing them
    #[arg(long)]
    dry_run: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let mut epics = epic::open_epics(&ctx.store()?.snapshot()?);
    epics.retain(epic::EpicProgress::is_done);
    if args.dry_run {
        return report_epics(epics);
    }
    ctx.check_writable("epic close-eligible")?;
    if epics.is_empty() {
        return build_report([(); 0], |_, page| {
            page.line("No epics eligible for closure");
        });
    }
    let ids: Vec<String> = epics.into_iter().map(|progress| progress.epic.id).collect();
    let closed = each::change_each(ctx, "closing", &ids, |tx, id| {
        change::close_bead(tx, id, "All children completed", "", false)
    })?;
    let closed: Vec<String> = closed.into_iter().map(|bead| bead.id).collect();
    let count = closed.len();
    build_confirmation(kit::report_value! { closed, count }, |report, page| {
        for id in &report.closed {
            page.line(format!("✓ Closed {id}: All children completed"));
        }
    })
}
