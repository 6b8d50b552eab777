//! Owns rebasing: in a detached worktree of its own, so that nobody's tree is touched, and always taken
//! back on a conflict. Merge drivers run, hooks do not.

use std::time::Duration;

use super::{Git, GitError};

/// How long a rebase may take.
const LIMIT: Duration = Duration::from_secs(1800);

/// How a rebase ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RebaseOutcome {
    /// All commits were placed; this is the new tip. It is reachable from no ref yet.
    Done(String),
    /// A commit did not fit.
    Conflict {
        /// The files in conflict.
        files: Vec<String>,
        /// What git said, and the conflicting parts as a diff.
        detail: String,
    },
}

impl Git {
    /// Places the commits of `upstream..tip` on top of `onto`.
    ///
    /// 1. Where they already stand there, the tip is the answer.
    /// 2. Else a detached worktree at the tip, the rebase, its new tip or its conflict.
    /// 3. The worktree is removed, whatever happened.
    pub fn rebase(&self, onto: &str, upstream: &str, tip: &str) -> Result<RebaseOutcome, GitError> {
        if self.resolve(onto)? == self.resolve(upstream)? && self.is_ancestor(onto, tip)? {
            let id = self.plumbing(["rev-parse", "--verify", tip]).text()?;
            return Ok(RebaseOutcome::Done(id));
        }
        let common = self.common_dir()?;
        let scratch = tempfile::Builder::new()
            .prefix("rebase-")
            .tempdir_in(&common)
            .map_err(|error| Self::file_error(&common, error))?;
        let path = scratch.path().join("tree");
        let outcome = self
            .worktree_add_detached(&path, tip)
            .and_then(|()| self.beside(&path).rebase_here(onto, upstream));
        // The tree was ours alone and holds nothing but the rebase.
        self.worktree_remove(&path, true).ok();
        drop(scratch);
        self.worktree_prune()?;
        outcome
    }

    fn rebase_here(&self, onto: &str, upstream: &str) -> Result<RebaseOutcome, GitError> {
        let call = self.plumbing([
            "-c",
            "rebase.autoStash=false",
            "-c",
            "rebase.autoSquash=false",
        ]);
        let call = call.args(["-c", "rebase.updateRefs=false", "-c", "core.editor=true"]);
        let call = call.args(["rebase", "--quiet", "--merge", "--onto", onto, upstream]);
        let command = call.words();
        let finished = call.limit(LIMIT).finish()?;
        if finished.ok() {
            let id = self.plumbing(["rev-parse", "--verify", "HEAD"]).text()?;
            return Ok(RebaseOutcome::Done(id));
        }
        let files = self.conflicted();
        let outcome = if files.is_empty() {
            Err(self.failure(&command, &finished))
        } else {
            let said = [finished.text(), finished.error_text()].join("\n");
            let diff = self.conflict_diff();
            let detail = format!("{}\n\n{diff}", said.trim());
            Ok(RebaseOutcome::Conflict { files, detail })
        };
        // The whole worktree goes next; an abort that fails changes nothing.
        self.plumbing(["rebase", "--abort"]).done().ok();
        outcome
    }

    fn conflicted(&self) -> Vec<String> {
        self.plumbing(["diff", "--name-only", "--diff-filter=U", "-z"])
            .records()
            .unwrap_or_default()
    }

    fn conflict_diff(&self) -> String {
        self.plumbing(["diff", "--no-color", "--no-ext-diff", "--diff-filter=U"])
            .cap(32 * 1024)
            .text()
            .unwrap_or_default()
    }
}
