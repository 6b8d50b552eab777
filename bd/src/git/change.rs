//! Owns changes to refs, index and work tree of one repository.

use std::time::Duration;

use super::{Git, GitError, Identity};

/// How long a commit may take, the repository's own hooks included.
const HOOKED: Duration = Duration::from_secs(600);

impl Git {
    /// Sets a ref, if it is now what was seen: `None` for not there.
    pub fn update_ref(&self, name: &str, new: &str, old: Option<&str>) -> Result<(), GitError> {
        let old = old.unwrap_or_default();
        self.plumbing(["update-ref", "--create-reflog", name, new, old])
            .done()
            .map(drop)
    }

    /// Removes a ref, if it is now what was seen.
    pub fn delete_ref(&self, name: &str, old: &str) -> Result<(), GitError> {
        self.plumbing(["update-ref", "-d", name, old])
            .done()
            .map(drop)
    }

    /// Removes a local branch, if its tip is what was seen. What only it reached is for the caller to
    /// have looked after.
    pub fn delete_branch(&self, branch: &str, tip: &str) -> Result<(), GitError> {
        self.delete_ref(&format!("refs/heads/{branch}"), tip)
    }

    /// Makes a new branch at `start` and checks it out. Local changes are carried along, or git
    /// refuses.
    pub fn switch_new_branch(&self, branch: &str, start: &str) -> Result<(), GitError> {
        self.plumbing(["switch", "--quiet", "--no-track", "-c", branch, start])
            .done()
            .map(drop)
    }

    /// Checks a branch out.
    pub fn switch(&self, branch: &str) -> Result<(), GitError> {
        self.plumbing(["switch", "--quiet", branch])
            .done()
            .map(drop)
    }

    /// Checks a commit out without a branch.
    pub fn checkout_detach(&self, id: &str) -> Result<(), GitError> {
        self.plumbing(["checkout", "--quiet", "--detach", id])
            .done()
            .map(drop)
    }

    /// Sets branch, index and tracked files to `id`. What was there is for the caller to have saved.
    pub fn reset_hard(&self, id: &str) -> Result<(), GitError> {
        self.plumbing(["reset", "--quiet", "--hard", id])
            .done()
            .map(drop)
    }

    /// Removes untracked files and folders; ignored files and nested repositories stay.
    pub fn clean(&self) -> Result<(), GitError> {
        self.plumbing(["clean", "--quiet", "-f", "-d"])
            .done()
            .map(drop)
    }

    /// Puts everything that is not ignored into the index.
    pub fn add_all(&self) -> Result<(), GitError> {
        self.plumbing(["add", "--all"]).done().map(drop)
    }

    /// Commits the index as an agent does: the repository's hooks run. Returns the new commit.
    pub fn commit_index(&self, message: &str) -> Result<String, GitError> {
        self.command(["commit", "--quiet", "--cleanup=verbatim", "-F", "-"])
            .stdin(message)
            .limit(HOOKED)
            .done()?;
        self.plumbing(["rev-parse", "HEAD"]).text()
    }

    /// Writes a commit object. No hook runs and no ref moves.
    pub fn commit_tree(
        &self,
        tree: &str,
        parents: &[&str],
        message: &str,
        author: &Identity,
    ) -> Result<String, GitError> {
        self.commit_tree_by(tree, parents, message, (author, author))
    }

    /// The same for a commit that someone else wrote than the one who commits it.
    pub fn commit_tree_by(
        &self,
        tree: &str,
        parents: &[&str],
        message: &str,
        (author, committer): (&Identity, &Identity),
    ) -> Result<String, GitError> {
        let parents = parents.iter().flat_map(|parent| ["-p", parent]);
        self.plumbing(["commit-tree", tree])
            .args(parents)
            .env("GIT_AUTHOR_NAME", &author.name)
            .env("GIT_AUTHOR_EMAIL", &author.email)
            .env("GIT_COMMITTER_NAME", &committer.name)
            .env("GIT_COMMITTER_EMAIL", &committer.email)
            .stdin(message)
            .text()
    }

    /// Tells git to leave these tracked files alone, whatever is on the disk.
    pub fn set_skip_worktree(&self, paths: &[&str]) -> Result<(), GitError> {
        if paths.is_empty() {
            return Ok(());
        }
        self.plumbing(["update-index", "--skip-worktree", "-z", "--stdin"])
            .stdin(paths.join("\0"))
            .done()
            .map(drop)
    }

    /// Which files at or below these paths the index holds.
    pub fn tracked(&self, paths: &[&str]) -> Result<Vec<String>, GitError> {
        self.plumbing(["--literal-pathspecs", "ls-files", "-z", "--"])
            .args(paths)
            .records()
    }

    /// Makes `path`, a file or a folder, what it is in `rev`: in the index and in the work tree, gone
    /// where `rev` does not have it.
    pub fn restore_from(&self, rev: &str, path: &str) -> Result<(), GitError> {
        let there = self
            .plumbing(["ls-tree", "--name-only", rev, "--", path])
            .text()?;
        if there.is_empty() && self.tracked(&[path])?.is_empty() {
            return Ok(());
        }
        self.plumbing(["--literal-pathspecs", "restore", "--quiet", "--staged"])
            .args(["--worktree", "--ignore-skip-worktree-bits", "--source", rev])
            .args(["--", path])
            .done()
            .map(drop)
    }
}
