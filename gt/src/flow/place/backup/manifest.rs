//! The table of contents of a backup, `manifest.json` in its commit.

use std::path::PathBuf;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// The version of the format. A restore refuses a newer one.
pub(crate) const VERSION: u32 = 1;

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Manifest {
    pub version: u32,
    /// The name and the creation time of the town, which identify it.
    pub town: TownId,
    /// The town's folder.
    pub root: PathBuf,
    pub saved_at: Timestamp,
    pub repositories: Vec<SavedRepository>,
    pub files: Vec<SavedFile>,
    /// Folders without a file.
    pub folders: Vec<String>,
    /// Descriptions of what the backup does not have.
    pub left_out: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TownId {
    pub name: String,
    pub created_at: String,
}

/// A repository of the town. Its refs are the file `refs/<number>` of the backup.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct SavedRepository {
    /// The folder, relative to the town. Empty for the repository of the town's own folder.
    pub path: String,
    pub bare: bool,
    /// The checked-out state. For a bare repository, its branch alone.
    pub head: SavedHead,
    /// The commits of the stash list and their messages, newest first.
    pub stashes: Vec<(String, String)>,
    /// Worktrees outside of the repository's folder.
    pub worktrees: Vec<SavedHead>,
}

/// The checked-out state of a work tree.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct SavedHead {
    /// The folder of the work tree, relative to the town.
    pub path: String,
    /// The branch. None if HEAD is detached.
    pub branch: Option<String>,
    /// The commit. None if the branch has no commit yet.
    pub commit: Option<String>,
    /// The rescue commit of the uncommitted work.
    pub unsaved: Option<String>,
    /// True if the work tree reads the rig's beads.
    pub provisioned: bool,
}

/// A file of the town. Its content is the file of this name below `files/` of the backup.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct SavedFile {
    pub path: String,
    /// The permission bits.
    pub mode: u32,
    /// The target of a symbolic link. A link has no content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// The number of parts of a big file, which is a folder with the parts in the backup.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parts: Option<usize>,
}

/// Returns the name in the backup for a path of the town. Git refuses some names in a commit, such
/// as `.git`.
pub(crate) fn encode_path(path: &str) -> String {
    let encoded: Vec<String> = path
        .split('/')
        .map(|name| {
            let lower = name.to_lowercase();
            let is_special = [".g", "git~", "%"]
                .iter()
                .any(|start| lower.starts_with(start));
            if is_special || !name.is_ascii() {
                format!("%{name}")
            } else {
                name.to_owned()
            }
        })
        .collect();
    format!("files/{}", encoded.join("/"))
}

/// Returns the name of a part of a big file in the backup.
pub(crate) fn encode_part(path: &str, number: usize) -> String {
    format!("{}/{number:08}", encode_path(path))
}
