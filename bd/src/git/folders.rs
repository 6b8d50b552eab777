//! Owns where git's own folders are, read without git: for what is looked at with every command.

use std::fs;
use std::path::{Path, PathBuf};

/// The folders of a repository.
#[derive(Debug)]
pub(crate) struct GitFolders {
    /// The root of the working tree.
    pub root: PathBuf,
    /// The folder of this work tree's `HEAD`.
    pub own: PathBuf,
    /// The folder that the work trees share.
    pub common: PathBuf,
}

/// The folders of the repository around a folder; `None` outside.
pub(crate) fn find_git_folders(folder: &Path) -> Option<GitFolders> {
    let root = folder.ancestors().find(|top| top.join(".git").exists())?;
    let mut own = root.join(".git");
    let mut common = own.clone();
    if own.is_file() {
        let text = fs::read_to_string(&own).ok()?;
        own = root.join(text.strip_prefix("gitdir:")?.trim());
        common = match fs::read_to_string(own.join("commondir")) {
            Ok(name) => fs::canonicalize(own.join(name.trim())).ok()?,
            Err(_) => own.clone(),
        };
    }
    let root = root.to_owned();
    Some(GitFolders { root, own, common })
}

impl GitFolders {
    /// Whether git takes it for a repository: in one that it does not it looks further above.
    pub(super) fn is_repository(&self) -> bool {
        self.own.join("HEAD").exists() && self.common.join("objects").exists()
    }
}
