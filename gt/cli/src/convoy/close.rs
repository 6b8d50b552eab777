//! `gt convoy close`.

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::work::convoy;

/// Close a convoy by hand, without mail to its subscribers
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The convoy
    convoy: String,
    /// The reason
    #[arg(long, default_value = "Manually closed")]
    reason: String,
    /// Close it even if it tracks open work
    #[arg(short, long)]
    force: bool,
}

#[derive(serde::Serialize)]
struct CloseConvoyReport {
    id: String,
    closed: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let id = super::resolve_convoy(&town, &args.convoy)?;
    let closed = convoy::close_convoy(&town, &id, &args.reason, args.force)?;
    build_report(
        CloseConvoyReport {
            id: id.clone(),
            closed,
        },
        |done, page| {
            let how = if done.closed {
                "is closed"
            } else {
                "was closed already"
            };
            page.line(format!("✓ {} {how}", done.id));
        },
    )
}
