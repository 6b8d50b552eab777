//! `gt dog clear`.

use serde_json::json;

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::townwide::dog;

/// Take its work from a dog that does not end it
///
/// The bead on its hook stays there: `gt unsling` removes it.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The dog
    name: String,
    /// End its session, too
    #[arg(short, long)]
    force: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let work = dog::clear_work(&ctx.open_town()?, &args.name, args.force)?;
    let data = json!({ "dog": args.name, "work": work });
    build_report(data, move |_, page| match work.as_str() {
        "" => page.line(format!("{} had nothing to do", args.name)),
        work => page.line(format!("✓ {} rests; it was at work on {work}", args.name)),
    })
}
