//! Reads and writes files in commits without a checkout, and maintains a branch beside the branches
//! that users work on.
//!
//! No index and no work tree is touched. A tree is built in a temporary index that is removed
//! afterwards.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::run::split_records;
use super::{Git, GitError};

/// The name prefix of the temporary index folders, in the repository's own folder.
const INDEX_PREFIX: &str = "beads-index-";

/// The age from which a temporary index is considered left by a killed process.
const LEFTOVER_AGE: Duration = Duration::from_secs(3600);

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
        remove_stale_indexes(scratch.path());
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

/// Removes the indexes that killed processes left. Their age is relative to the folder that was
/// created just now.
fn remove_stale_indexes(new_folder: &Path) {
    let changed = |path: &Path| fs::metadata(path).and_then(|meta| meta.modified());
    let (Ok(now), Some(common)) = (changed(new_folder), new_folder.parent()) else {
        return;
    };
    for entry in fs::read_dir(common).into_iter().flatten().flatten() {
        let path = entry.path();
        let is_scratch = entry
            .file_name()
            .to_string_lossy()
            .starts_with(INDEX_PREFIX);
        // An index from the future is not old.
        let age = changed(&path)
            .ok()
            .and_then(|then| now.duration_since(then).ok());
        if is_scratch && age.is_some_and(|age| age > LEFTOVER_AGE) {
            // An index that cannot be removed only takes space.
            fs::remove_dir_all(&path).ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    #[test]
    fn only_old_leftovers_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let make = |name: &str| {
            let path = folder.path().join(name);
            fs::create_dir(&path).unwrap();
            path
        };
        let (own, young) = (make("beads-index-own"), make("beads-index-young"));
        let (old, other) = (make("beads-index-old"), make("objects"));
        for path in [&old, &other] {
            let file = fs::File::open(path).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        }
        remove_stale_indexes(&own);
        assert!(own.exists() && young.exists() && other.exists() && !old.exists());
    }
}
