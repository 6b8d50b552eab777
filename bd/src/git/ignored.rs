//! Finds the files that git ignores on this machine only.

use std::path::PathBuf;

use super::run::{path_of_bytes, split_records};
use super::{Git, GitError};

/// The file whose pattern makes git ignore another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IgnoreSource {
    /// `info/exclude`, which all worktrees of a repository share.
    InfoExclude,
    /// The user's own file, `core.excludesFile`.
    UserFile,
}

/// A file that no `.gitignore` names and git ignores nevertheless.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocallyIgnoredFile {
    /// The path relative to the top of the work tree. A nested repository ends in `/`.
    pub path: PathBuf,
    pub source: IgnoreSource,
    pub pattern: String,
}

impl Git {
    /// Returns the untracked files that git ignores although no `.gitignore` names them.
    pub fn locally_ignored_files(&self) -> Result<Vec<LocallyIgnoredFile>, GitError> {
        let list = ["ls-files", "--others", "--exclude-per-directory=.gitignore"];
        let listed = self.plumbing(list).args(["-z"]).finish_checked()?.stdout;
        if listed.is_empty() {
            return Ok(Vec::new());
        }
        let call = self.plumbing(["check-ignore", "--verbose", "-z", "--stdin"]);
        let Some(finished) = call.stdin(listed).finish_if_found()? else {
            return Ok(Vec::new());
        };
        let exclude = self.common_dir()?.join("info/exclude");
        // Each answer is the source, the line, the pattern and the path. A source may be empty.
        let mut records: Vec<&[u8]> = finished.stdout.split(|byte| *byte == 0).collect();
        records.pop();
        Ok(records
            .chunks_exact(4)
            .filter_map(|answer| {
                let source = self.folder.join(path_of_bytes(answer[0]));
                let pattern = String::from_utf8_lossy(answer[2]).into_owned();
                let is_ignored = !pattern.starts_with('!') && !source.ends_with(".gitignore");
                is_ignored.then(|| LocallyIgnoredFile {
                    path: path_of_bytes(answer[3]),
                    source: if source.canonicalize().ok() == exclude.canonicalize().ok() {
                        IgnoreSource::InfoExclude
                    } else {
                        IgnoreSource::UserFile
                    },
                    pattern,
                })
            })
            .collect())
    }

    /// Returns true if the work tree has files that a `.gitignore` names.
    pub fn has_ignored_files(&self) -> Result<bool, GitError> {
        let list = ["ls-files", "--others", "--ignored", "--directory"];
        let call = self.plumbing(list).args(["--no-empty-directory"]);
        let call = call.args(["--exclude-per-directory=.gitignore", "-z"]);
        let listed = call.finish_checked()?.stdout;
        Ok(split_records(&listed).next().is_some())
    }
}
