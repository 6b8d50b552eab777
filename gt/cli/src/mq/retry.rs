//! `gt mq retry`.

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::mq;

/// Retry a merge request that is blocked or keeps failing
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The merge request; the rig before it is not needed
    #[arg(required = true, num_args = 1..=2, value_name = "REQUEST")]
    words: Vec<String>,
}

#[derive(serde::Serialize)]
struct RetryRequestReport {
    request: String,
    was: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let (found, rig) = super::find_request(&town, &args.words)?;
    let was = mq::retry_request(&rig, &found.store, &found.bead.id)?;
    gt::host::daemon::wake_daemon(&town);
    build_report(
        RetryRequestReport {
            request: found.bead.id,
            was,
        },
        |retried, page| match &retried.was {
            Some(_) => page.line(format!("✓ {} is in the queue again", retried.request)),
            None => page.line(format!(
                "{} is in the queue already: it waits for nobody",
                retried.request
            )),
        },
    )
}
