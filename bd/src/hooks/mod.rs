//! Git hooks that keep commits and beads together: `pre-commit` adds the beads to the commit,
//! `post-merge` and `post-checkout` report changed beads.
//!
//! An existing hook is moved to `NAME.before-bd` and runs first. Uninstalling moves it back, byte
//! for byte. Settings of git are never changed.

pub mod settings;
pub mod tools;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::git::{Git, GitError};
use kit::sys::file;

const SHIM: &str = include_str!("../../templates/git-hook.sh");

/// The text in the second line of our hooks.
const MARK: &str = "# bd-shim";

/// The text before the version in our hooks.
const VERSION: &str = "# bd-hooks-version: ";

/// The names of the hooks.
pub const NAMES: [&str; 3] = ["pre-commit", "post-merge", "post-checkout"];

/// The reason why a hook was left unchanged.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the names of the fields say it")]
pub enum HookError {
    /// A hook exists, and so does a file under the name that would preserve it.
    #[error("{} is a hook of yours, and {} is there already: move one of them away", hook.display(), before.display())]
    BothThere { hook: PathBuf, before: PathBuf },
    /// A file could not be read or written.
    #[error("cannot use {}", path.display())]
    File {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    /// The git command failed.
    #[error(transparent)]
    Git(#[from] GitError),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitHook {
    pub name: &'static str,
    /// The version of bd that installed the hook; `None` if the hook is not ours.
    pub version: Option<String>,
    /// True if a hook exists, ours or another.
    pub exists: bool,
    /// True if the hook runs another one first.
    pub is_chained: bool,
}

/// Returns the current state of a repository's hooks.
pub fn read_hooks(git: &Git) -> Result<Vec<GitHook>, HookError> {
    let folder = hooks_folder(git)?;
    NAMES
        .into_iter()
        .map(|name| read_hook(&folder, name))
        .collect()
}

/// Installs missing hooks and updates older ones. Returns the names of the hooks that run another
/// one first.
pub fn install_git_hooks(git: &Git, version: &str) -> Result<Vec<&'static str>, HookError> {
    let folder = hooks_folder(git)?;
    let hooks = NAMES
        .into_iter()
        .map(|name| read_hook(&folder, name))
        .collect::<Result<Vec<GitHook>, HookError>>()?;
    // All hooks are checked before the first change.
    for hook in &hooks {
        let [path, before] = hook_paths(&folder, hook.name);
        if hook.exists && hook.version.is_none() && before.exists() {
            return Err(HookError::BothThere { hook: path, before });
        }
    }
    file::create_folder(&folder, 0o755).map_err(|error| file_error(&folder, error))?;
    for hook in &hooks {
        let [path, before] = hook_paths(&folder, hook.name);
        if hook.exists && hook.version.is_none() {
            fs::rename(&path, &before).map_err(|error| file_error(&path, error))?;
        }
        let text = SHIM.replace("VERSION", version).replace("HOOK", hook.name);
        file::replace_file(&path, text.as_bytes(), 0o755)
            .map_err(|error| file_error(&path, error))?;
    }
    let chained = NAMES.into_iter();
    Ok(chained
        .filter(|name| hook_paths(&folder, name)[1].exists())
        .collect())
}

/// Removes our hooks and restores the previous ones. Returns the names of the removed hooks.
pub fn uninstall_git_hooks(git: &Git) -> Result<Vec<&'static str>, HookError> {
    let folder = hooks_folder(git)?;
    let mut removed = Vec::new();
    for name in NAMES {
        if read_hook(&folder, name)?.version.is_none() {
            continue;
        }
        let [path, before] = hook_paths(&folder, name);
        let done = if before.exists() {
            fs::rename(&before, &path)
        } else {
            file::remove_file(&path)
        };
        done.map_err(|error| file_error(&path, error))?;
        removed.push(name);
    }
    Ok(removed)
}

fn hooks_folder(git: &Git) -> Result<PathBuf, GitError> {
    // Other calls disable hooks by pointing git to another hooks folder.
    let call = git.command(["rev-parse", "--path-format=absolute", "--git-path", "hooks"]);
    call.text().map(PathBuf::from)
}

/// Returns the path of a hook and the path of the preserved previous hook.
fn hook_paths(folder: &Path, name: &str) -> [PathBuf; 2] {
    [folder.join(name), folder.join(format!("{name}.before-bd"))]
}

fn read_hook(folder: &Path, name: &'static str) -> Result<GitHook, HookError> {
    let [path, before] = hook_paths(folder, name);
    let text = file::read_file_if_exists(&path).map_err(|error| file_error(&path, error))?;
    let is_there = text.is_some();
    let text = String::from_utf8_lossy(&text.unwrap_or_default()).into_owned();
    let is_ours = text
        .lines()
        .nth(1)
        .is_some_and(|line| line.starts_with(MARK));
    let version = text.lines().find_map(|line| line.strip_prefix(VERSION));
    Ok(GitHook {
        name,
        version: is_ours.then(|| version.unwrap_or_default().to_owned()),
        exists: is_there,
        is_chained: is_ours && before.exists(),
    })
}

fn file_error(path: &Path, source: io::Error) -> HookError {
    let path = path.to_owned();
    HookError::File { path, source }
}
