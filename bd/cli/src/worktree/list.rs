use super::Worktrees;
use crate::context::Context;
use kit::cli::report::{CommandResult, build_report};

/// List the worktrees
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    let Worktrees { all, main, .. } = Worktrees::open(ctx)?;
    let beads = ctx.project().ok().map(|found| found.dir.clone());
    let mut trees = Vec::new();
    for tree in all.into_iter().filter(|tree| !tree.bare) {
        let is_main = tree.path == main;
        trees.push(kit::report_value! {
            name: super::last_component(&tree.path),
            path: tree.path,
            branch: tree.branch.unwrap_or_default(),
            is_main,
            beads_state: match &beads {
                None => "none",
                Some(_) if is_main => "shared",
                Some(_) => "redirect",
            };
            redirect_to: beads.clone().filter(|_| !is_main)
        });
    }
    build_report(trees, |trees, page| {
        for tree in trees {
            let mark = if tree.is_main { " (main)" } else { "" };
            let branch = match tree.branch.as_str() {
                "" => "no branch",
                branch => branch,
            };
            page.line(format!(
                "{}{mark} [{branch}] {}",
                tree.name,
                tree.path.display()
            ));
        }
    })
}
