//! `gt dog refresh`.

use serde_json::json;

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::townwide::dog;

/// Recreate the work trees of a dog
///
/// They begin at what their rigs merge into, and rigs that were added since get one. A dog that is
/// at work is refused.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The dog
    name: String,
    /// Save uncommitted files on a rescue ref first
    #[arg(short, long)]
    force: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let saved = dog::refresh_worktrees(&ctx.open_town()?, &args.name, args.force)?;
    let data = json!({ "dog": args.name, "saved": saved });
    build_report(data, move |_, page| {
        page.line(format!("✓ the work trees of {} are new", args.name));
        for name in &saved {
            page.line(format!("  saved: {name}"));
        }
    })
}
