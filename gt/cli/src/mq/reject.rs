//! `gt mq reject`.

use kit::ui::escape;

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::mq;

/// Reject a merge request; its bead is open again
///
/// The reason is a comment on the bead. The commits are kept on a rescue ref. With `--json`
/// {request, rig, bead, worker, reason}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The merge request; the rig before it is not needed
    #[arg(required = true, num_args = 1..=2, value_name = "REQUEST")]
    words: Vec<String>,
    /// The reason
    #[arg(short, long, value_name = "TEXT")]
    reason: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let (found, rig) = super::find_request(&town, &args.words)?;
    let rejected = mq::reject_request(&rig, &found.store, &found.bead.id, &args.reason)?;
    gt::host::daemon::wake_daemon(&town);
    build_report(rejected, |rejected, page| {
        page.line(format!(
            "✓ {} will not be merged: {}",
            rejected.request,
            escape::escape_line(&rejected.reason)
        ));
        page.line(format!("  {} is open again", rejected.bead));
        page.line(format!("  → gt sling {} {}", rejected.bead, rejected.rig));
    })
}
