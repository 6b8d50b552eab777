//! `gt convoy add`.

use clap::Args;

use super::super::{Answer, answer};
use crate::context::Context;
use crate::convoy;

/// Let a convoy track more beads. One that has landed is open again.
#[derive(Debug, Args)]
pub(super) struct AddArgs {
    /// The convoy.
    convoy: String,
    /// The beads.
    #[arg(required = true)]
    beads: Vec<String>,
}

pub(super) fn run(ctx: &Context, args: &AddArgs) -> Answer {
    let added = convoy::add(&ctx.town()?, &args.convoy, &args.beads)?;
    answer(added, |added, page| {
        page.line(format!(
            "✓ {} tracks {} more beads",
            added.id,
            added.added.len()
        ));
        if added.reopened {
            page.line(format!("↺ {} had landed and is open again", added.id));
        }
    })
}
