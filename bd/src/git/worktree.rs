//! Owns worktrees: several work trees over one repository.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{Git, GitError};

/// How long a checkout of a large tree may take.
const CHECKOUT: Duration = Duration::from_secs(1800);

/// One worktree as git knows it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Worktree {
    /// Where it is.
    pub path: PathBuf,
    /// The commit it is at.
    pub head: Option<String>,
    /// The branch it is on; none when detached.
    pub branch: Option<String>,
    /// Whether this entry is the bare repository itself.
    pub bare: bool,
    /// Whether git holds it for gone.
    pub prunable: bool,
}

impl Git {
    /// Adds a worktree at `path` on the new branch `branch`, which begins at `start`.
    pub fn worktree_add(&self, path: &Path, branch: &str, start: &str) -> Result<(), GitError> {
        self.add_worktree(&["--no-track", "-b", branch], path, start)
    }

    /// Adds a worktree at `path` without a branch.
    pub fn worktree_add_detached(&self, path: &Path, start: &str) -> Result<(), GitError> {
        self.add_worktree(&["--detach"], path, start)
    }

    fn add_worktree(&self, how: &[&str], path: &Path, start: &str) -> Result<(), GitError> {
        let call = self.plumbing(["worktree", "add", "--quiet"]).args(how);
        call.args([path]).args([start]).limit(CHECKOUT).run()
    }

    /// All worktrees, the main one or the bare repository first.
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

    /// Removes a worktree. Without `force` git refuses one with changes; with it, what was there is for
    /// the caller to have saved.
    pub fn worktree_remove(&self, path: &Path, force: bool) -> Result<(), GitError> {
        let call = self.plumbing(["worktree", "remove"]);
        let call = if force { call.args(["--force"]) } else { call };
        call.args([path]).limit(CHECKOUT).run()
    }

    /// Forgets worktrees whose folder is gone.
    pub fn worktree_prune(&self) -> Result<(), GitError> {
        self.plumbing(["worktree", "prune"]).run()
    }
}
