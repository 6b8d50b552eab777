//! `gt polecat prune`.

use super::super::CommandResult;
use crate::context::Context;
use crate::prune_branches::report_branches;

/// Remove local branches of polecats that are merged
///
/// A branch is removed if no one works on it and another branch or a ref of merged work has its
/// commits. With `--json` an array of {rig, branch, commit, removed, reason}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only branches of this rig
    rig: Option<String>,
    /// Only show which branches would be removed, and why the others stay
    #[arg(short = 'n', long)]
    dry_run: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    report_branches(ctx, args.rig.as_deref(), "polecat/*", args.dry_run)
}
