//! `gt convoy add`.

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::work::convoy::review;

/// Add beads to a convoy
///
/// A convoy that has landed becomes open again. An installed `pre-convoy` hook is asked about beads
/// of rigs that are new to the convoy.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The convoy
    convoy: String,
    /// The beads
    #[arg(required = true)]
    beads: Vec<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let convoy = super::resolve_convoy(&town, &args.convoy)?;
    let made = review::add_reviewed_beads(&town, &convoy, &args.beads)?;
    super::print_hook_warnings(ctx, &made.warnings);
    build_report(made.created, |added, page| {
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
