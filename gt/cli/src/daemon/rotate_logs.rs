//! `gt daemon rotate-logs`.

use serde_json::json;

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::host::daemon;

/// Put the daemon's log aside if it is large
///
/// From 10 MiB on; the daemon does so itself. The last three are kept as daemon.log.1 to
/// daemon.log.3.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Whatever its size
    #[arg(long)]
    force: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let log = daemon::log_path(&ctx.open_town()?.layout);
    let rotated = daemon::rotate_log(&log, args.force)?;
    let data = json!({ "log": log, "rotated": rotated });
    build_report(data, move |_, page| {
        let outcome = if rotated {
            "is empty again"
        } else {
            "is small and stays"
        };
        page.line(format!("{} {outcome}", log.display()));
    })
}
