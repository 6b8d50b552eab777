//! `gt escalate stale`.

use kit::ui::escape;

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::townwide::escalate;

/// Raise escalations that no one acknowledged in time
///
/// The daemon does the same (rule E1-reescalate). `patrol.escalation.stale` says after how long,
/// `patrol.escalation.limit` how often. With `--json` an array of {ID, Title, OldSeverity,
/// NewSeverity, ReescalationNum, Skipped, SkipReason}.
#[derive(Debug, clap::Args)]
pub(in super::super) struct Args {
    /// Only show which would be raised
    #[arg(short = 'n', long)]
    dry_run: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let found = escalate::raise_stale_escalations(&ctx.open_town()?, args.dry_run)?;
    let verb = if args.dry_run {
        "would be raised"
    } else {
        "raised"
    };
    build_report(found, move |found, page| {
        if found.is_empty() {
            page.line("no escalation is stale");
        }
        for raised in found {
            let title = escape::escape_line(&raised.title);
            if raised.skipped {
                page.cut_line(format!(
                    "– {} stays: {} ({title})",
                    raised.id, raised.skip_reason
                ));
            } else {
                let old = raised.old_severity.name();
                let new = raised.new_severity.name();
                page.cut_line(format!(
                    "✓ {} {verb} from {old} to {new}: {title}",
                    raised.id
                ));
            }
        }
    })
}
