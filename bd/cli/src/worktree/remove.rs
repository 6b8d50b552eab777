use serde_json::json;

use crate::context::Context;
use kit::failure::Usage;

use kit::cli::report::{Answer, Said};

/// Remove a worktree; its branch stays
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Its folder or its name
    #[arg(value_name = "PATH")]
    path: String,
    /// Remove it with its uncommitted changes
    #[arg(short, long)]
    force: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> Answer {
    ctx.may_change("worktree remove")?;
    let (git, all, main) = super::repository(ctx)?;
    let path = ctx.env.absolute(&args.path);
    let path = path.canonicalize().unwrap_or(path);
    let is_it =
        |tree: &&bd::git::Worktree| tree.path == path || super::name(&tree.path) == args.path;
    let missing = || Usage(format!("worktree \"{}\" not found", args.path));
    let tree = all.iter().find(is_it).ok_or_else(missing)?;
    if tree.path == main {
        return Err(Usage("cannot remove the main worktree".into()).into());
    }
    git.beside(&main).worktree_remove(&tree.path, args.force)?;
    let json = json!({"removed": tree.path});
    Said::new(json, format!("✓ Removed worktree {}", tree.path.display())).answer()
}
