//! `gt mq revert`.

use kit::ui::counted;

use super::super::{CommandResult, build_report};
use super::rig_of_request;
use crate::context::Context;
use gt::flow::work::revert::revert_merged_work;

/// Revert the merged work of a bead
///
/// Creates a bead whose branch undoes the last merge, and submits it to the queue: the gates run as
/// for all work. The reverted bead is open again at once, and waits for the new one. If later work
/// changed the same lines, the new bead needs a worker. With `--json` {bead, rig, commit, target,
/// revert, request?, conflicts[]}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The bead, or its merge request
    bead: String,
    /// The reason
    #[arg(
        short,
        long,
        value_name = "TEXT",
        default_value = "",
        hide_default_value = true
    )]
    reason: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let found = town.find_bead(&args.bead)?;
    let rig = rig_of_request(&town, &found)?;
    let reverted = revert_merged_work(&rig, &found.bead.id, &args.reason)?;
    gt::host::daemon::wake_daemon(&town);
    build_report(reverted, |reverted, page| {
        let bead = &reverted.bead;
        let revert = &reverted.revert;
        let commit = &reverted.commit;
        match &reverted.request {
            Some(request) => {
                page.line(format!(
                    "✓ {revert} reverts {bead} ({commit:.12} on {}), merge request {request}",
                    reverted.target
                ));
                page.line(format!("  {bead} is open again, and waits for {revert}"));
                page.line(format!("  → gt mq status {request}"));
            }
            None => {
                let files = counted(reverted.conflicts.len(), "file");
                page.line(format!(
                    "{revert} is to revert {bead}, but later work changed the same lines of {files}: \
                     a worker must do it"
                ));
                page.line(format!("  {bead} is open again, and waits for {revert}"));
                page.line(format!("  → gt sling {revert} {}", reverted.rig));
            }
        }
    })
}
