//! `gt convoy review reject`.

use super::super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::work::convoy::review;

/// Reject a request, and make no convoy
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The request
    request: String,
    /// The reason
    #[arg(long)]
    reason: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let request = review::reject_request(&town, &args.request, &args.reason)?;
    build_report(request, |request, page| {
        page.line(format!("✓ {} is rejected", request.id));
    })
}
