//! `gt mq reject`.

use kit::ui::escape;

use super::super::{CommandResult, build_report};
use super::PerRequest;
use crate::context::Context;
use gt::flow::work::mq;

/// Reject merge requests; their beads are open again
///
/// The reason is a comment on the bead. The commits are kept on a rescue ref. With `--json`
/// {request, rig, bead, worker, reason}; of several, an array.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The merge requests; the rig before them is not needed
    #[arg(required = true, value_name = "REQUEST")]
    words: Vec<String>,
    /// The reason
    #[arg(short, long, value_name = "TEXT")]
    reason: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let mut rejected = Vec::new();
    for (request, rig) in super::find_requests(&town, &args.words)? {
        let id = &request.bead.id;
        rejected.push(mq::reject_request(&rig, &request.store, id, &args.reason)?);
    }
    gt::host::daemon::wake_daemon(&town);
    build_report(PerRequest::new(rejected), |report, page| {
        for rejected in report.all() {
            page.line(format!(
                "✓ {} will not be merged: {}",
                rejected.request,
                escape::escape_line(&rejected.reason)
            ));
            page.line(format!("  {} is open again", rejected.bead));
            page.line(format!("  → gt sling {} {}", rejected.bead, rejected.rig));
        }
    })
}
