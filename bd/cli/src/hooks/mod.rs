//! `bd hooks`: one file per subcommand.

mod install;
pub(super) mod run;
mod status;
mod uninstall;

use crate::context::Context;
use bd::git::Git;

use kit::cli::report::CommandResult;

kit::family! {
    /// Install, check and remove the git hooks of bd
    ///
    /// `pre-commit` writes all changes to the issues file and stages it if git tracks it.
    /// `post-merge` and `post-checkout` report what changed. A hook that is there already runs
    /// first. Settings of git stay unchanged.
    Args:
    Install => install,
    Uninstall => uninstall,
    #[command(visible_alias = "list")]
    Status => status,
    Run => run,
}

/// Opens the repository of the working directory.
fn open_repository(ctx: &Context) -> Git {
    Git::at(ctx.env.cwd())
}
