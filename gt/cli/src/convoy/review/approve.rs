//! `gt convoy review approve`.

use kit::ui::escape;

use super::super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::work::convoy::review;
use gt::flow::work::sling;

/// Approve a request, and make its convoy
///
/// A sling that waited for the convoy continues. The command is safe to run again. The hooks of
/// further rigs are asked now, so it may end like `gt convoy create`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The request
    request: String,
    /// The reason
    #[arg(long, default_value = "")]
    reason: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let approved = review::approve_request(&town, &args.request, &args.reason)?;
    super::super::print_hook_warnings(ctx, &approved.warnings);
    match sling::continue_sling(&town, approved.then.clone()) {
        Ok(slung) => {
            for slung in slung {
                ctx.ui
                    .status(&format!("✓ {} → {}", slung.bead, slung.target));
            }
        }
        // The convoy exists. Only the sling is left to the caller.
        Err(error) => ctx.ui.warn(&format!(
            "the bead is not slung, do so with `gt sling`: {}",
            escape::escape_line(&format!("{error:#}"))
        )),
    }
    gt::host::daemon::wake_daemon(&town);
    build_report(approved, |approved, page| {
        let title = escape::escape_line(&approved.title);
        let how = if approved.already {
            "was made already"
        } else {
            "is made"
        };
        page.line(format!("✓ convoy {} \"{title}\" {how}", approved.convoy));
    })
}
