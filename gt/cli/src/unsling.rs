//! `gt unsling`.

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::sling::unsling_bead;

/// Take work off a hook.
///
/// The bead becomes open again and the worker's session ends. Its branch and files stay.
/// Uncommitted work is saved to a rescue ref first.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The bead
    bead: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let unslung = unsling_bead(&ctx.open_town()?, &args.bead)?;
    build_report(unslung, |unslung, page| {
        page.line(format!(
            "✓ {} is off the hook of {} and open again",
            unslung.bead, unslung.holder
        ));
        if let Some(session) = &unslung.session {
            page.line(format!("  session ended: {session}"));
        }
        if let Some(kept) = &unslung.kept {
            page.line("  uncommitted work is saved:");
            page.line(format!("  gt rescue show {kept}"));
        }
    })
}
