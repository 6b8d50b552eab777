//! `gt quota rotate`.

use kit::ui::escape::escape_line;

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::agent::quota;

/// Let new sessions use the next available account
///
/// Changes the default account if it is at its usage limit, to the available one that was not used
/// for the longest time. Sessions that run keep theirs. With `--json` {old_account, new_account,
/// rotated}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only show the next account
    #[arg(short = 'n', long)]
    dry_run: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let report = quota::rotate_account(&ctx.open_town()?, args.dry_run)?;
    build_report(report, |report, page| {
        let old = escape_line(&report.old_account);
        match &report.new_account {
            None => page.line(format!("the account {old} is available: nothing to change")),
            Some(new) if report.rotated => page.line(format!(
                "✓ new sessions use the account {} instead of {old}",
                escape_line(new)
            )),
            Some(new) => page.line(format!(
                "new sessions would use the account {} instead of {old}",
                escape_line(new)
            )),
        }
    })
}
