//! Reads and writes files in commits without a checkout, and maintains a branch beside the branches
//! that users work on.
//!
//! No index and no work tree is touched. A tree is built in a temporary index that is removed
//! afterwards.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::run::split_records;
use super::{Git, GitError};

/// The name prefix of the temporary index folders, in the repository's own folder.
const INDEX_PREFIX: &str = "beads-index-";

/// A file in a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeEntry {
    /// The mode as git writes it.
    pub mode: String,
    /// The id of the content.
    pub id: String,
    /// The size in bytes; 0 for an entry that is not a file.
    pub size: u64,
}

/// The files of a commit by path.
pub type TreeEntries = BTreeMap<String, TreeEntry>;

/// Parses a record of `git ls-tree -l -z`. None if its path is not UTF-8, because such a path could
/// not be written back unchanged.
fn parse_entry(record: &[u8]) -> Option<(String, TreeEntry)> {
    let (facts, path) = std::str::from_utf8(record).ok()?.split_once('\t')?;
    let mut facts = facts.split_ascii_whitespace();
    let mode = facts.next()?.to_owned();
    let id = facts.nth(1)?.to_owned();
    let size = facts.next()?.parse().unwrap_or(0);
    Some((path.to_owned(), TreeEntry { mode, id, size }))
}

impl Git {
    pub fn entries(&self, rev: &str) -> Result<TreeEntries, GitError> {
        self.entries_below(rev, "")
    }

    /// Returns the files of a commit at or below a path. An empty path means all files.
    pub fn entries_below(&self, rev: &str, path: &str) -> Result<TreeEntries, GitError> {
        let below = (!path.is_empty()).then_some(path);
        let call = self
            .plumbing(["--literal-pathspecs", "ls-tree", "-r", "-l", "-z"])
            .args(["--full-tree", rev, "--"])
            .args(below);
        let command = call.command_line();
        let mut entries = TreeEntries::new();
        for record in split_records(&call.finish_checked()?.stdout) {
            let Some((path, entry)) = parse_entry(record) else {
                let output = String::from_utf8_lossy(record).into_owned();
                return Err(GitError::Unreadable { command, output });
            };
            entries.insert(path, entry);
        }
        Ok(entries)
    }

    /// Reads the content with this id.
    pub fn blob(&self, id: &str) -> Result<Vec<u8>, GitError> {
        Ok(self
            .plumbing(["cat-file", "blob", id])
            .finish_checked()?
            .stdout)
    }

    /// Writes content to the repository and returns its id.
    pub fn write_blob(&self, content: &[u8]) -> Result<String, GitError> {
        self.plumbing(["hash-object", "-w", "-t", "blob", "--no-filters", "--stdin"])
            .stdin(content)
            .text()
    }

    /// Writes a tree of these files to the repository and returns its id.
    pub fn write_entries(&self, entries: &TreeEntries) -> Result<String, GitError> {
        let mut lines = Vec::new();
        for (path, entry) in entries {
            lines.extend_from_slice(format!("{} {}\t{path}", entry.mode, entry.id).as_bytes());
            lines.push(0);
        }
        self.write_tree_lines(lines)
    }

    /// Writes the tree of files in the format of `git ls-tree -z` and returns its id.
    pub(super) fn write_tree_lines(&self, lines: Vec<u8>) -> Result<String, GitError> {
        let scratch = self.create_scratch(INDEX_PREFIX)?;
        let index = scratch.path().join("index");
        self.plumbing(["update-index", "-z", "--index-info"])
            .env("GIT_INDEX_FILE", &index)
            .stdin(lines)
            .finish_checked()?;
        self.plumbing(["write-tree", "--missing-ok"])
            .env("GIT_INDEX_FILE", &index)
            .text()
    }

    pub fn tree_of(&self, commit: &str) -> Result<String, GitError> {
        let tree = format!("{commit}^{{tree}}");
        self.plumbing(["rev-parse", "--verify", "--end-of-options", &tree])
            .text()
    }

    /// Updates one branch of a remote in `refs/remotes`, and nothing else.
    pub fn fetch_branch(&self, remote: &str, branch: &str) -> Result<(), GitError> {
        let refspec = format!("+refs/heads/{branch}:refs/remotes/{remote}/{branch}");
        let only = ["--no-tags", "--no-recurse-submodules"];
        self.fetch_refs(remote, &[&only[..], &["--", remote, &refspec]].concat())
    }

    /// Returns the worktree in which a branch is checked out.
    pub fn checked_out_worktree(&self, branch: &str) -> Result<Option<PathBuf>, GitError> {
        let all = self.worktree_list()?;
        Ok(all
            .into_iter()
            .find(|tree| !tree.bare && !tree.prunable && tree.branch.as_deref() == Some(branch))
            .map(|tree| tree.path))
    }

    /// Returns the remotes that have a branch according to `refs/remotes`, sorted.
    pub fn remotes_with_branch(&self, branch: &str) -> Result<Vec<String>, GitError> {
        let mut names = self.remotes()?;
        names.sort();
        let mut having = Vec::new();
        for name in names {
            if self
                .resolve(&format!("refs/remotes/{name}/{branch}"))?
                .is_some()
            {
                having.push(name);
            }
        }
        Ok(having)
    }
}
