//! `gt prune-branches`.

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::agent::polecat;
use kit::ui::escape::escape_line;

/// Remove local branches of polecats that are merged
///
/// As `gt polecat prune`, for the branches that match a pattern. Other branches than those of
/// polecats are never removed. With `--json` an array of {rig, branch, commit, removed, reason}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only branches that match
    #[arg(long, default_value = "polecat/*")]
    pattern: String,
    /// Only branches of this rig
    #[arg(long)]
    rig: Option<String>,
    /// Only show which branches would be removed, and why the others stay
    #[arg(short = 'n', long)]
    dry_run: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    report_branches(ctx, args.rig.as_deref(), &args.pattern, args.dry_run)
}

/// Removes the merged branches of one rig or of all, and shows each branch.
pub(super) fn report_branches(
    ctx: &Context,
    rig: Option<&str>,
    pattern: &str,
    dry_run: bool,
) -> CommandResult {
    let town = ctx.open_town()?;
    let mut found = Vec::new();
    for rig in town.select_rigs(rig)? {
        found.extend(polecat::prune_branches(&rig, pattern, dry_run)?);
    }
    let word = if dry_run { "would remove" } else { "removed" };
    build_report(found, move |found, page| {
        if found.is_empty() {
            page.line("no branch of a polecat");
        }
        for branch in found {
            let name = format!("{} {}", branch.rig, escape_line(&branch.branch));
            let reason = escape_line(&branch.reason);
            page.line(if branch.removed {
                format!("✓ {word} {name} ({:.12}, in {reason})", branch.commit)
            } else {
                format!("○ kept {name}: {reason}")
            });
        }
    })
}
