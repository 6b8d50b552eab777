//! Adds, lists and removes worktrees of one repository.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{Git, GitError};

/// The time limit for the checkout of a large tree.
const CHECKOUT_TIMEOUT: Duration = Duration::from_secs(1800);

/// One worktree in git's list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Worktree {
    pub path: PathBuf,
    /// The checked-out commit.
    pub head: Option<String>,
    /// The checked-out branch; `None` if HEAD is detached.
    pub branch: Option<String>,
    /// True if this entry is the bare repository.
    pub bare: bool,
    /// True if git considers the worktree gone.
    pub prunable: bool,
}

impl Git {
    /// Adds a worktree at `path` on the new branch `branch`, which begins at `start`.
    pub fn worktree_add(&self, path: &Path, branch: &str, start: &str) -> Result<(), GitError> {
        self.add_worktree(&["--no-track", "-b", branch], path, start)
    }

    pub fn worktree_add_detached(&self, path: &Path, start: &str) -> Result<(), GitError> {
        self.add_worktree(&["--detach"], path, start)
    }

    fn add_worktree(&self, how: &[&str], path: &Path, start: &str) -> Result<(), GitError> {
        let call = self.plumbing(["worktree", "add", "--quiet"]).args(how);
        call.args([path])
            .args([start])
            .limit(CHECKOUT_TIMEOUT)
            .run()
    }

    /// Returns true for a worktree that shares its repository with others.
    pub fn is_linked_worktree(&self) -> Result<bool, GitError> {
        let call = self.plumbing(["rev-parse", "--absolute-git-dir"]);
        let git_dir = PathBuf::from(call.text()?);
        Ok(git_dir.canonicalize().ok() != self.common_dir()?.canonicalize().ok())
    }

    /// Lists all worktrees, the main one or the bare repository first.
    pub fn worktree_list(&self) -> Result<Vec<Worktree>, GitError> {
        let finished = self
            .plumbing(["worktree", "list", "--porcelain", "-z"])
            .finish_checked()?;
        let text = String::from_utf8_lossy(&finished.stdout).into_owned();
        let mut all = Vec::new();
        for block in text.split("\0\0").filter(|block| !block.is_empty()) {
            let mut tree = Worktree::default();
            for line in block.split('\0') {
                match line.split_once(' ').unwrap_or((line, "")) {
                    ("worktree", path) => tree.path = PathBuf::from(path),
                    ("HEAD", id) if id.bytes().any(|byte| byte != b'0') => {
                        tree.head = Some(id.to_owned());
                    }
                    ("branch", name) => {
                        tree.branch = name.strip_prefix("refs/heads/").map(str::to_owned);
                    }
                    ("bare", _) => tree.bare = true,
                    ("prunable", _) => tree.prunable = true,
                    _ => {}
                }
            }
            all.push(tree);
        }
        Ok(all)
    }

    /// Removes a worktree. Without `force`, git refuses to remove one with changes. With `force`,
    /// the caller must have saved the changes.
    pub fn worktree_remove(&self, path: &Path, force: bool) -> Result<(), GitError> {
        let mut call = self.plumbing(["worktree", "remove"]);
        if force {
            call = call.args(["--force"]);
        }
        call.args([path]).limit(CHECKOUT_TIMEOUT).run()
    }

    /// Prunes worktrees whose folder is gone.
    pub fn worktree_prune(&self) -> Result<(), GitError> {
        self.plumbing(["worktree", "prune"]).run()
    }
}
