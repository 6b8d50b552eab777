//! `bd worktree`: one file per subcommand.

mod create;
mod info;
mod list;
mod remove;

use std::path::{Path, PathBuf};

use crate::context::Context;
use bd::git::{Git, GitError, Worktree};
use kit::cli::report::CommandResult;

kit::family! {
    /// Manage git worktrees that share the main one's beads
    ///
    /// A command in a linked worktree uses the beads of the main worktree, so all worktrees have
    /// the same beads at all times.
    Args:
    Create => create,
    List => list,
    Remove => remove,
    Info => info,
}

/// The repository of the working directory and its worktrees.
struct Worktrees {
    git: Git,
    all: Vec<Worktree>,
    /// The root of the main worktree.
    main: PathBuf,
}

impl Worktrees {
    fn open(ctx: &Context) -> Result<Self, GitError> {
        let git = Git::at(ctx.env.cwd());
        let all = git.worktree_list()?;
        let main = all.first().map(|tree| tree.path.clone());
        Ok(Self {
            git,
            all,
            main: main.unwrap_or_default(),
        })
    }
}

fn last_component(path: &Path) -> String {
    path.file_name()
        .map_or(String::new(), |name| name.display().to_string())
}
