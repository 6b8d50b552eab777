//! `gt brief`.

use super::{Answer, prime};
use crate::cli::context::Context;

/// Show what the worker of a bead is told of it: the assignment, and what was done before in its convoy.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The bead; the one on the hook where none is named.
    bead: Option<String>,
    /// Show each part with its source and size instead of the text.
    #[arg(long)]
    explain: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> Answer {
    let town = ctx.town()?;
    let bead = match &args.bead {
        Some(bead) => bead.clone(),
        None => crate::record::hook::hooked_bead(&town, &town.actor)?,
    };
    prime::shown(crate::flow::prime::brief(&town, &bead)?, args.explain)
}
