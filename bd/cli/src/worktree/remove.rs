use serde_json::json;

use crate::context::Context;
use kit::failure::UsageError;

use super::Worktrees;
use kit::cli::report::{CommandResult, TextReport};

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
    let is_it = |tree: &&bd::git::Worktree| {
        tree.path == path || super::last_component(&tree.path) == args.path
    };
    let missing = || UsageError(format!("worktree \"{}\" not found", args.path));
    let tree = all.iter().find(is_it).ok_or_else(missing)?;
    if tree.path == main {
        return Err(UsageError("cannot remove the main worktree".into()).into());
    }
    git.in_folder(&main)
        .worktree_remove(&tree.path, args.force)?;
    let json = json!({"removed": tree.path});
    TextReport::new(json, format!("✓ Removed worktree {}", tree.path.display())).into_answer()
}
