use serde_json::json;

use crate::context::Context;

use super::Worktrees;
use kit::cli::report::{CommandResult, TextReport};

/// Describe the current worktree
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    let Worktrees { git, all, main } = Worktrees::open(ctx)?;
    let git_top = git.top()?;
    let top = git_top.canonicalize().unwrap_or(git_top);
    let tree = all.iter().find(|tree| tree.path == top);
    let branch = tree
        .and_then(|tree| tree.branch.clone())
        .unwrap_or_default();
    let is_linked = top != main;
    let beads = ctx.project().ok().map(|found| found.dir.clone());
    let mut value = json!({
        "is_worktree": is_linked,
        "path": top,
        "name": super::last_component(&top),
        "branch": branch,
        "main_repo": main,
        "beads_redirected": is_linked && beads.is_some(),
    });
    let mut lines = vec![if is_linked {
        format!("Worktree {} of {}", top.display(), main.display())
    } else {
        format!("Main worktree {}", top.display())
    }];
    if !branch.is_empty() {
        lines.push(format!("  branch: {branch}"));
    }
    if let Some(dir) = beads {
        value["beads_dir"] = json!(dir);
        lines.push(format!("  beads: {}", dir.display()));
    }
    TextReport::lines(value, lines).into_answer()
}
