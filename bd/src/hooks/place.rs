//! The place of a repository's hooks, and the owner of the scripts there.
//!
//! Scripts in the clone's own git folder are private to the clone. Scripts in the work tree come
//! with the repository and run in every clone, so a change of them affects colleagues, who may not
//! have bd.

use std::path::{Path, PathBuf};

use kit::sys::file::find_real_path;

use crate::git::{Git, GitError};

/// The settings files of lefthook, which rewrites the scripts in the clone's git folder.
const LEFTHOOK_FILES: [&str; 6] = [
    "lefthook.yml",
    ".lefthook.yml",
    "lefthook.yaml",
    ".lefthook.yaml",
    "lefthook.toml",
    "lefthook.json",
];

/// The place from which git runs a repository's hooks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookPlace {
    /// The folder in the clone's git folder. Git never tracks it.
    Clone { folder: PathBuf },
    /// Scripts in the work tree, which `core.hooksPath` names or husky runs.
    Project {
        /// The folder of the scripts that people edit.
        folder: PathBuf,
        /// True if a script needs no `#!` line, because husky runs it.
        is_husky: bool,
    },
    /// The settings file of a program that writes the scripts of the clone.
    Lefthook { settings: PathBuf },
    /// A folder outside the repository, which other repositories use too.
    Shared { folder: PathBuf },
}

impl HookPlace {
    /// Finds the place for the repository of a folder.
    pub fn find(git: &Git) -> Result<Self, GitError> {
        let top = git.top().ok();
        let folder = hooks_folder(git, top.as_deref())?;
        let real_folder = find_real_path(&folder);
        if real_folder.starts_with(find_real_path(&git.common_dir()?)) {
            let lefthook = top.and_then(|top| {
                LEFTHOOK_FILES
                    .iter()
                    .map(|name| top.join(name))
                    .find(|path| path.is_file())
            });
            return Ok(match lefthook {
                Some(settings) => Self::Lefthook { settings },
                None => Self::Clone { folder },
            });
        }
        let Some(top) = top.filter(|top| real_folder.starts_with(find_real_path(top))) else {
            return Ok(Self::Shared { folder });
        };
        // Husky runs the generated scripts in `.husky/_`, which run those in `.husky`.
        let husky = [folder.as_path(), folder.parent().unwrap_or(&top)]
            .into_iter()
            .find(|folder| folder.file_name().is_some_and(|name| name == ".husky"));
        Ok(Self::Project {
            is_husky: husky.is_some(),
            folder: husky.unwrap_or(&folder).to_owned(),
        })
    }
}

/// Returns the folder of the hooks that git runs.
fn hooks_folder(git: &Git, top: Option<&Path>) -> Result<PathBuf, GitError> {
    // A relative `core.hooksPath` is relative to the top of the work tree.
    let root = top.map_or_else(|| git.clone(), |top| git.in_folder(top));
    // Other calls disable hooks by pointing git to another hooks folder.
    let call = root.command(["rev-parse", "--path-format=absolute", "--git-path", "hooks"]);
    call.text().map(PathBuf::from)
}
