use serde_json::json;

use crate::context::Context;
use kit::failure::UsageError;

use super::Worktrees;
use kit::cli::report::{CommandResult, TextReport};

/// Add a worktree on a new branch
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The folder, relative to the working directory
    #[arg(value_name = "PATH")]
    path: String,
    /// The branch (default: the name of the folder)
    #[arg(long, value_name = "BRANCH")]
    branch: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    ctx.check_writable("worktree create")?;
    let Worktrees { git, main, .. } = Worktrees::open(ctx)?;
    let path = ctx.env.make_absolute(&args.path);
    if path.exists() {
        return Err(UsageError(format!("{} exists already", path.display())).into());
    }
    let branch = args.branch.unwrap_or_else(|| super::last_component(&path));
    git.worktree_add(&path, &branch, "HEAD")?;
    let path = path.canonicalize().unwrap_or(path);
    if let Ok(inside) = path.strip_prefix(&main) {
        git.exclude(&format!("/{}/", inside.display()))?;
    }
    let beads = ctx
        .project()
        .map(|found| found.dir.display().to_string())
        .unwrap_or_default();
    let json = json!({"path": path, "branch": branch, "redirect_to": beads});
    let mut lines = vec![format!(
        "✓ Created worktree {} on branch {branch}",
        path.display()
    )];
    if !beads.is_empty() {
        lines.push(format!("  It uses the beads in {beads}"));
    }
    TextReport::lines(json, lines).into_answer()
}
