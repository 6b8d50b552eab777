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
            .run()
    }

    /// Removes a ref, if it is now what was seen.
    pub fn delete_ref(&self, name: &str, old: &str) -> Result<(), GitError> {
        self.plumbing(["update-ref", "-d", name, old]).run()
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
            .run()
    }

    /// Checks a branch out.
    pub fn switch(&self, branch: &str) -> Result<(), GitError> {
        self.plumbing(["switch", "--quiet", branch]).run()
    }

    /// Checks a commit out without a branch.
    pub fn checkout_detach(&self, id: &str) -> Result<(), GitError> {
        self.plumbing(["checkout", "--quiet", "--detach", id]).run()
    }

    /// Sets branch, index and tracked files to `id`. What was there is for the caller to have saved.
    pub fn reset_hard(&self, id: &str) -> Result<(), GitError> {
        self.plumbing(["reset", "--quiet", "--hard", id]).run()
    }

    /// Removes untracked files and folders; ignored files and nested repositories stay.
    pub fn clean(&self) -> Result<(), GitError> {
        self.plumbing(["clean", "--quiet", "-f", "-d"]).run()
    }

    /// Puts everything that is not ignored into the index.
    pub fn add_all(&self) -> Result<(), GitError> {
        self.plumbing(["add", "--all"]).run()
    }

    /// Commits the index as an agent does: the repository's hooks run. Returns the new commit.
    pub fn commit_index(&self, message: &str) -> Result<String, GitError> {
        self.command(["commit", "--quiet", "--cleanup=verbatim", "-F", "-"])
            .stdin(message)
            .limit(HOOKED)
            .finish_checked()?;
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
        self.commit_tree_as(tree, parents, message, (author, author))
    }

    /// The same for a commit that someone else wrote than the one who commits it.
    pub fn commit_tree_as(
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
            .run()
    }

    /// Which files at or below these paths the index holds.
    pub fn tracked(&self, paths: &[&str]) -> Result<Vec<String>, GitError> {
        self.plumbing(["--literal-pathspecs", "ls-files", "-z", "--"])
            .args(paths)
            .records()
    }
}
