use super::Worktrees;
use crate::context::Context;
use kit::cli::report::{CommandResult, build_confirmation};

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
        kit::bail_usage!("{} exists already", path.display());
    }
    let branch = args.branch.unwrap_or_else(|| super::last_component(&path));
    git.worktree_add(&path, &branch, "HEAD")?;
    let path = path.canonicalize().unwrap_or(path);
    if let Ok(inside) = path.strip_prefix(&main) {
        git.exclude(&format!("/{}/", inside.display()))?;
    }
    let project = ctx.project();
    let redirect_to =
        project.map_or_else(|_| String::new(), |found| found.dir.display().to_string());
    build_confirmation(
        kit::report_value! { path, branch, redirect_to },
        |report, page| {
            let path = report.path.display();
            page.line(format!(
                "✓ Created worktree {path} on branch {}",
                report.branch
            ));
            if !report.redirect_to.is_empty() {
                page.line(format!("  It uses the beads in {}", report.redirect_to));
            }
        },
    )
}
