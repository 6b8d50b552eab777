use serde_json::json;

use crate::context::Context;
use crate::each;
use bd::change;
use bd::graph::epic;
use kit::cli::report::{CommandResult, TextReport};

use super::status::report_epics;

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
        return TextReport::new(json!([]), "No epics eligible for closure").into_answer();
    }
    let ids: Vec<String> = epics.into_iter().map(|progress| progress.epic.id).collect();
    let closed = each::change_each(ctx, "closing", &ids, |tx, id| {
        change::close_bead(tx, id, "All children completed", "", false)
    })?;
    let ids: Vec<&str> = closed.iter().map(|bead| bead.id.as_str()).collect();
    let lines = ids
        .iter()
        .map(|id| format!("✓ Closed {id}: All children completed"));
    TextReport::lines(json!({"closed": ids, "count": ids.len()}), lines.collect()).into_answer()
}
