//! `gt quota scan`.

use kit::ui::escape::escape_line;

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::agent::quota;

/// Find usage limits in sessions, and mark their accounts
///
/// With `--json` an array of {session, account_handle, rate_limited, matched_line?, resets_at?}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Accepted, because scripts for the original write it
    #[arg(long, hide = true)]
    update: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    // The accounts are marked in any case.
    let Args { update: _ } = args;
    let scanned = quota::scan_sessions(&ctx.open_town()?)?;
    build_report(scanned, |scanned, page| {
        let mut limited = scanned.iter().filter(|one| one.rate_limited).peekable();
        if limited.peek().is_none() {
            page.line(format!(
                "no usage limit in {}",
                kit::ui::counted(scanned.len(), "session")
            ));
        }
        for one in limited {
            let whose = match &one.account_handle {
                Some(handle) => format!("the account {} is limited", escape_line(handle)),
                None => "it was started without an account".to_owned(),
            };
            page.line(format!("○ {}: {whose}", one.session));
            let words = one.matched_line.as_deref().unwrap_or("");
            page.cut_line(format!("    {}", escape_line(words)));
        }
    })
}
