//! Finds git's own folders without starting git, because every command needs them.

use std::fs;
use std::path::{Path, PathBuf};

/// The folders of a repository.
#[derive(Debug)]
pub(crate) struct GitFolders {
    /// The root of the work tree.
    pub root: PathBuf,
    /// The folder of this work tree's `HEAD`.
    pub git_dir: PathBuf,
    /// The folder that all worktrees share.
    pub common: PathBuf,
}

/// Returns the folders of the repository that contains a folder; `None` outside a repository.
pub(crate) fn find_git_folders(folder: &Path) -> Option<GitFolders> {
    let root = folder.ancestors().find(|top| top.join(".git").exists())?;
    let mut git_dir = root.join(".git");
    let mut common = git_dir.clone();
    if git_dir.is_file() {
        let text = fs::read_to_string(&git_dir).ok()?;
        git_dir = root.join(text.strip_prefix("gitdir:")?.trim());
        common = match fs::read_to_string(git_dir.join("commondir")) {
            Ok(name) => fs::canonicalize(git_dir.join(name.trim())).ok()?,
            Err(_) => git_dir.clone(),
        };
    }
    let root = root.to_owned();
    Some(GitFolders {
        root,
        git_dir,
        common,
    })
}

impl GitFolders {
    /// Returns true if git accepts the folder as a repository. Otherwise git searches further up.
    pub(super) fn is_repository(&self) -> bool {
        self.git_dir.join("HEAD").exists() && self.common.join("objects").exists()
    }
}
