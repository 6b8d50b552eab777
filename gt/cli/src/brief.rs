//! `gt brief`.

use super::{CommandResult, prime};
use crate::context::Context;

/// Show the briefing that the worker of a bead gets
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The bead (default: the one on your hook)
    bead: Option<String>,
    /// Show each part with its source and size instead of the text
    #[arg(long)]
    explain: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let bead = match &args.bead {
        Some(bead) => bead.clone(),
        None => gt::record::hook::find_hooked_bead(&town, &town.actor)?,
    };
    prime::report_context(
        gt::flow::work::prime::build_brief(&town, &bead)?,
        args.explain,
    )
}
