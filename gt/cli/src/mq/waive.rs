//! `gt mq waive`.

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::work::mq;
use gt::record::approval;

/// Waive the pre-merge hooks of a merge request
///
/// For a request that such a hook has stopped. The reason stays on the request, its task is closed,
/// and gates still run.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The merge request
    request: String,
    /// The reason
    #[arg(long)]
    reason: String,
}

#[derive(serde::Serialize)]
struct WaiveReport {
    request: String,
    #[serde(flatten)]
    waiver: approval::HookWaiver,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let found = town.find_bead(&args.request)?;
    let rig = super::rig_of_request(&town, &found)?;
    let waiver = mq::waive_hooks(&rig, &found.store, &found.bead.id, &args.reason)?;
    gt::host::daemon::wake_daemon(&town);
    let waived = WaiveReport {
        request: found.bead.id,
        waiver,
    };
    build_report(waived, |waived, page| {
        page.line(format!(
            "✓ {} passes its hooks: {}",
            waived.request,
            kit::ui::escape::escape_line(&waived.waiver.reason)
        ));
    })
}
