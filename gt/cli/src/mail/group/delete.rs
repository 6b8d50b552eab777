//! `gt mail group delete`.

use super::super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::record::mail::group;

/// Delete a group
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The name
    name: String,
}

#[derive(serde::Serialize)]
struct DeletedGroup {
    deleted: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    group::delete_group(&town, &args.name)?;
    let report = DeletedGroup { deleted: args.name };
    build_report(report, |report, page| {
        page.line(format!("✓ the group {} is deleted", report.deleted));
    })
}
