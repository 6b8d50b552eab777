//! Reads the rig's repository at its target, as last fetched. No working tree is used: the clone
//! for reading stays at the commit at which the rig was added.

use std::io;
use std::path::{Path, PathBuf};

use crate::sys;

/// The target branch of a rig in its bare repository.
pub struct RigTarget {
    repository: PathBuf,
    commit: String,
}

impl RigTarget {
    /// Finds the target of the rig at `root`. None if `root` is no rig or has no commit.
    pub fn find(root: &Path) -> Option<Self> {
        let repository = root.join(".repo.git");
        if !repository.is_dir() {
            return None;
        }
        let id = ["refs/remotes/origin/HEAD^{commit}", "HEAD^{commit}"]
            .iter()
            .find_map(|name| {
                sys::run_git(&repository, &["rev-parse", "--quiet", "--verify", name]).ok()
            })?;
        let commit = String::from_utf8_lossy(&id).trim().to_owned();
        Some(Self { repository, commit })
    }

    /// Returns the paths of the files at or below a folder.
    pub fn list_paths(&self, folder: &str) -> io::Result<Vec<String>> {
        let args = ["ls-tree", "-r", "-z", "--name-only", &self.commit, "--"];
        let mut args = args.to_vec();
        args.extend(Some(folder).filter(|folder| !folder.is_empty()));
        let listed = sys::run_git(&self.repository, &args)?;
        Ok(listed
            .split(|byte| *byte == 0)
            .filter_map(|path| std::str::from_utf8(path).ok())
            .filter(|path| !path.is_empty())
            .map(str::to_owned)
            .collect())
    }

    /// Reads a file as text. Fails if it is not UTF-8.
    pub fn read_text(&self, path: &str) -> io::Result<String> {
        let object = format!("{}:{path}", self.commit);
        let bytes = sys::run_git(&self.repository, &["cat-file", "blob", &object])?;
        String::from_utf8(bytes).map_err(io::Error::other)
    }

    /// Writes all files to an empty folder.
    pub fn export(&self, folder: &Path) -> io::Result<()> {
        sys::export_tree(&self.repository, &self.commit, folder)
    }

    /// The commit, for messages.
    pub fn commit(&self) -> &str {
        &self.commit
    }
}
