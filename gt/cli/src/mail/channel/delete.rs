//! `gt mail channel delete`.

use super::super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::record::mail::channel;

/// Delete a channel; its messages stay
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The name
    name: String,
}

#[derive(serde::Serialize)]
struct DeletedChannel {
    deleted: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    channel::delete_channel(&town, &args.name)?;
    let report = DeletedChannel { deleted: args.name };
    build_report(report, |report, page| {
        page.line(format!("✓ the channel {} is deleted", report.deleted));
    })
}
