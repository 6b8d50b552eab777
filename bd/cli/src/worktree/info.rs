use super::Worktrees;
use crate::context::Context;
use kit::cli::report::{CommandResult, build_report};

/// Describe the current worktree
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    let Worktrees { git, all, main } = Worktrees::open(ctx)?;
    let git_top = git.top()?;
    let top = git_top.canonicalize().unwrap_or(git_top);
    let branch = all
        .iter()
        .find(|tree| tree.path == top)
        .and_then(|tree| tree.branch.as_deref())
        .unwrap_or("")
        .to_owned();
    let is_linked = top != main;
    let beads = ctx.project().ok().map(|found| found.dir.clone());
    let report = kit::report_value! {
        is_worktree: is_linked,
        path: top.clone(),
        name: super::last_component(&top),
        branch,
        main_repo: main,
        beads_redirected: is_linked && beads.is_some();
        beads_dir: beads
    };
    build_report(report, |report, page| {
        let path = report.path.display();
        page.line(if report.is_worktree {
            format!("Worktree {path} of {}", report.main_repo.display())
        } else {
            format!("Main worktree {path}")
        });
        if !report.branch.is_empty() {
            page.line(format!("  branch: {}", report.branch));
        }
        if let Some(dir) = &report.beads_dir {
            page.line(format!("  beads: {}", dir.display()));
        }
    })
}
