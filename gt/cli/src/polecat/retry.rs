//! `gt polecat retry`.

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow;

/// Restart a worker that is stuck
///
/// The patrol restarts its session, or continues its sling or its `gt done` at the step that
/// failed.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The worker: RIG/NAME
    polecat: String,
}

#[derive(serde::Serialize)]
struct RetryPolecatReport {
    polecat: String,
    was: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let (rig, name) = super::parse_polecat(&town, &args.polecat)?;
    let was = flow::agent::polecat::retry_polecat(&rig, &name)?;
    gt::host::daemon::wake_daemon(&town);
    let polecat = format!("{}/{name}", rig.name());
    build_report(RetryPolecatReport { polecat, was }, |retried, page| {
        page.line(format!("✓ {} is tried again", retried.polecat));
    })
}
