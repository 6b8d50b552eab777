//! `gt mail queue delete`.

use super::super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::record::mail::queue;

/// Delete a queue; its messages stay
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The name
    name: String,
}

#[derive(serde::Serialize)]
struct DeletedQueue {
    deleted: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    queue::delete_queue(&town, &args.name)?;
    let report = DeletedQueue { deleted: args.name };
    build_report(report, |report, page| {
        page.line(format!("✓ the queue {} is deleted", report.deleted));
    })
}
