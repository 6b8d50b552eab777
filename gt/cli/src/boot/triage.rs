//! `gt boot triage`.

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::patrol::boot;
use gt::patrol::triage::DeaconAction;

/// Look at the deacon once, and act if that is needed
///
/// A session without a sign of life is reminded of its mail after 5 minutes, woken after 15, and
/// restarted if it does not answer for 15 more. With `--json` {action:
/// start|nothing|nudge|wake|interrupt|restart, target, reason, done}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only show what would be done
    #[arg(short = 'n', long)]
    dry_run: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let report = boot::run_triage(&ctx.open_town()?, args.dry_run)?;
    build_report(report, |report, page| {
        let word = report.action.name();
        let reason = &report.reason;
        let mark = match (report.action, report.done) {
            (DeaconAction::Nothing, _) => "○",
            (_, true) => "✓",
            (_, false) => "→",
        };
        page.line(format!("{mark} {word}: {reason}"));
    })
}
