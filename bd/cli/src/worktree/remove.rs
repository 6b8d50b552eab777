use super::Worktrees;
use crate::context::Context;
use kit::cli::report::{CommandResult, build_confirmation};
use kit::failure::UsageError;

/// Remove a worktree; its branch stays
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The folder or the name of the worktree
    #[arg(value_name = "PATH")]
    path: String,
    /// Remove it with its uncommitted changes
    #[arg(short, long)]
    force: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    ctx.check_writable("worktree remove")?;
    let Worktrees { git, all, main } = Worktrees::open(ctx)?;
    let given = ctx.env.make_absolute(&args.path);
    let path = given.canonicalize().unwrap_or(given);
    let tree = all
        .iter()
        .find(|tree| tree.path == path || super::last_component(&tree.path) == args.path)
        .ok_or_else(|| UsageError(format!("worktree \"{}\" not found", args.path)))?;
    if tree.path == main {
        kit::bail_usage!("cannot remove the main worktree");
    }
    git.in_folder(&main)
        .worktree_remove(&tree.path, args.force)?;
    build_confirmation(
        kit::report_value! { removed: tree.path.clone() },
        |report, page| {
            page.line(format!("✓ Removed worktree {}", report.removed.display()));
        },
    )
}
