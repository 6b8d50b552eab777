//! Changes refs, index and work tree of one repository.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::run::join_paths;
use super::{Git, GitError, Identity};

/// The time limit of a commit, including the repository's own hooks.
const COMMIT_TIMEOUT: Duration = Duration::from_secs(600);

/// The author of a commit, and the identity that creates it.
#[derive(Debug, Clone, Copy)]
pub struct CommitIdentities<'a> {
    pub author: &'a Identity,
    pub committer: &'a Identity,
}

impl Git {
    /// Sets a ref, if its current value is `old`. `None` means that the ref must not exist.
    pub fn update_ref(&self, name: &str, new: &str, old: Option<&str>) -> Result<(), GitError> {
        let old = old.unwrap_or_default();
        self.plumbing(["update-ref", "--create-reflog", name, new, old])
            .run()
    }

    /// Deletes a ref, if its current value is `old`.
    pub fn delete_ref(&self, name: &str, old: &str) -> Result<(), GitError> {
        self.plumbing(["update-ref", "-d", name, old]).run()
    }

    /// Deletes a local branch, if its tip is `tip`. The caller must preserve the commits that only
    /// this branch reaches.
    pub fn delete_branch(&self, branch: &str, tip: &str) -> Result<(), GitError> {
        self.delete_ref(&format!("refs/heads/{branch}"), tip)
    }

    /// Creates a branch at `start` and checks it out. Local changes are kept, or git refuses.
    pub fn switch_new_branch(&self, branch: &str, start: &str) -> Result<(), GitError> {
        self.plumbing(["switch", "--quiet", "--no-track", "-c", branch, start])
            .run()
    }

    pub fn switch(&self, branch: &str) -> Result<(), GitError> {
        self.plumbing(["switch", "--quiet", branch]).run()
    }

    /// Checks out a commit without a branch.
    pub fn checkout_detach(&self, id: &str) -> Result<(), GitError> {
        self.plumbing(["checkout", "--quiet", "--detach", id]).run()
    }

    /// Resets branch, index and tracked files to `id`. The caller must save the previous state.
    pub fn reset_hard(&self, id: &str) -> Result<(), GitError> {
        self.plumbing(["reset", "--quiet", "--hard", id]).run()
    }

    /// Removes untracked files and folders. Ignored files and nested repositories stay.
    pub fn clean(&self) -> Result<(), GitError> {
        self.plumbing(["clean", "--quiet", "-f", "-d"]).run()
    }

    /// Adds all files that are not ignored to the index.
    pub fn add_all(&self) -> Result<(), GitError> {
        self.plumbing(["add", "--all"]).run()
    }

    /// Commits the index as an agent does: the repository's hooks run. Returns the new commit.
    pub fn commit_index(&self, message: &str) -> Result<String, GitError> {
        self.command(["commit", "--quiet", "--cleanup=verbatim", "-F", "-"])
            .stdin(message)
            .limit(COMMIT_TIMEOUT)
            .finish_checked()?;
        self.plumbing(["rev-parse", "HEAD"]).text()
    }

    /// Writes a commit object. No hook runs and no ref moves.
    pub fn commit_tree(
        &self,
        tree: &str,
        parents: &[&str],
        message: impl AsRef<[u8]>,
        author: &Identity,
    ) -> Result<String, GitError> {
        self.commit_tree_as(
            tree,
            parents,
            message,
            CommitIdentities {
                author,
                committer: author,
            },
        )
    }

    /// Like [`Self::commit_tree`], with an author who is not the committer.
    pub fn commit_tree_as(
        &self,
        tree: &str,
        parents: &[&str],
        message: impl AsRef<[u8]>,
        identities: CommitIdentities<'_>,
    ) -> Result<String, GitError> {
        let CommitIdentities { author, committer } = identities;
        let parents = parents.iter().flat_map(|parent| ["-p", parent]);
        self.plumbing(["commit-tree", tree])
            .args(parents)
            .env("GIT_AUTHOR_NAME", &author.name)
            .env("GIT_AUTHOR_EMAIL", &author.email)
            .env("GIT_COMMITTER_NAME", &committer.name)
            .env("GIT_COMMITTER_EMAIL", &committer.email)
            .stdin(message.as_ref())
            .text()
    }

    /// Sets the skip-worktree bit on tracked files, so that git ignores their state on disk.
    pub fn set_skip_worktree(&self, paths: &[impl AsRef<Path>]) -> Result<(), GitError> {
        self.change_skip_worktree("--skip-worktree", paths)
    }

    /// Clears the skip-worktree bit of tracked files.
    pub fn clear_skip_worktree(&self, paths: &[impl AsRef<Path>]) -> Result<(), GitError> {
        self.change_skip_worktree("--no-skip-worktree", paths)
    }

    fn change_skip_worktree(
        &self,
        option: &str,
        paths: &[impl AsRef<Path>],
    ) -> Result<(), GitError> {
        if paths.is_empty() {
            return Ok(());
        }
        self.plumbing(["update-index", option, "-z", "--stdin"])
            .stdin(join_paths(paths))
            .run()
    }

    /// Returns the files at or below these paths that are in the index.
    pub fn tracked(&self, paths: &[&str]) -> Result<Vec<PathBuf>, GitError> {
        self.plumbing(["--literal-pathspecs", "ls-files", "-z", "--"])
            .args(paths)
            .paths()
    }
}
