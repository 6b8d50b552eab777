//! `gt deacon stale-hooks`.

use jiff::SignedDuration;
use kit::ui::escape;

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::townwide::deacon::stale_hooks::{HookVerdict, handle_stale_hooks};

/// Reopen work on hooks of agents that are gone
///
/// A hook is stale if its agent has no session and its bead has not changed for that long. Work of
/// a polecat or crew member with a sandbox is only listed: the patrol restarts polecats. With
/// `--json` a list of {bead, title, assignee, since, verdict: reopen|keep, reason, done, failed?}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// How long a bead must not have changed
    #[arg(long, value_name = "TIME", default_value = "1h")]
    max_age: SignedDuration,
    /// Only show what would be done
    #[arg(short = 'n', long)]
    dry_run: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let found = handle_stale_hooks(&ctx.open_town()?, args.max_age, args.dry_run)?;
    build_report(found, |found, page| {
        if found.is_empty() {
            page.line("✓ no stale hooks");
        }
        for hook in found {
            let mark = match (hook.verdict, &hook.failed) {
                (_, Some(_)) => "✗",
                (HookVerdict::Reopen, None) if hook.done => "✓ reopened",
                (HookVerdict::Reopen, None) => "→ would reopen",
                (HookVerdict::Keep, None) => "○ kept",
            };
            let who = escape::escape_line(&hook.assignee);
            let title = escape::escape_line(&hook.title);
            let since = page.relative_time(&hook.since.to_string());
            page.cut_line(format!("{mark} {} {title}", hook.bead));
            page.line(format!(
                "    on the hook of {who} since {since}: {}",
                hook.reason
            ));
            if let Some(failed) = &hook.failed {
                page.line(format!("    {}", escape::escape_line(failed)));
            }
        }
    })
}
