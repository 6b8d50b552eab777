//! `gt mq resume`.

use super::super::{CommandResult, build_report, rig};
use crate::context::Context;
use gt::host::daemon;
use gt::town::queue_pause::QueuePause;
use serde::Serialize;

/// Merge again in a rig with a paused queue
///
/// With `--json` {rig, was_paused}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The rig (default: the one around the working directory)
    rig: Option<String>,
}

#[derive(Serialize)]
struct ResumedQueue {
    rig: String,
    was_paused: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let rig = rig::resolve_rig(ctx, &town, args.rig.as_deref())?;
    let resumed = ResumedQueue {
        rig: rig.name().to_owned(),
        was_paused: QueuePause::end(&rig)?.is_some(),
    };
    daemon::wake_daemon(&town);
    build_report(resumed, |resumed, page| {
        let rig = &resumed.rig;
        page.line(if resumed.was_paused {
            format!("✓ the merge queue of rig {rig} goes on")
        } else {
            format!("the merge queue of rig {rig} was not paused")
        });
    })
}
