use serde_json::json;

use crate::context::Context;

use super::Worktrees;
use kit::cli::report::{CommandResult, TextReport};

/// List the worktrees
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    let Worktrees { all, main, .. } = Worktrees::open(ctx)?;
    let beads = ctx.project().ok().map(|found| found.dir.clone());
    let (mut values, mut lines) = (Vec::new(), Vec::new());
    for tree in all.iter().filter(|tree| !tree.bare) {
        let is_main = tree.path == main;
        let state = match &beads {
            None => "none",
            Some(_) if is_main => "shared",
            Some(_) => "redirect",
        };
        let (name, branch) = (
            super::last_component(&tree.path),
            tree.branch.as_deref().unwrap_or(""),
        );
        let mut value = json!({
            "name": name,
            "path": tree.path,
            "branch": branch,
            "is_main": is_main,
            "beads_state": state,
        });
        if let (Some(dir), false) = (&beads, is_main) {
            value["redirect_to"] = json!(dir);
        }
        values.push(value);
        let mark = if is_main { " (main)" } else { "" };
        let branch = if branch.is_empty() {
            "no branch"
        } else {
            branch
        };
        lines.push(format!("{name}{mark} [{branch}] {}", tree.path.display()));
    }
    TextReport::lines(json!(values), lines).into_answer()
}
