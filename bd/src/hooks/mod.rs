//! Git hooks that keep commits and beads together: `pre-commit` takes the beads along, `post-merge` and `post-checkout`
//! report what they brought.
//!
//! A hook that is there already is moved to `NAME.before-bd` and runs first. Uninstalling moves it back, byte for byte.
//! Settings of git are never changed.

pub mod settings;
pub mod tools;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::git::{Git, GitError};
use kit::sys::file;

const SHIM: &str = include_str!("../../templates/git-hook.sh");

/// What our hooks have in their second line.
const MARK: &str = "# bd-shim";

/// Before the version in a hook of ours.
const VERSION: &str = "# bd-hooks-version: ";

/// The hooks.
pub const NAMES: [&str; 3] = ["pre-commit", "post-merge", "post-checkout"];

/// Why a hook was left alone.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the names of the fields say it")]
pub enum HookError {
    /// There is a hook, and something where it would be kept.
    #[error("{} is a hook of yours, and {} is there already: move one of them away", hook.display(), before.display())]
    BothThere { hook: PathBuf, before: PathBuf },
    /// A file could not be read or written.
    #[error("cannot use {}", path.display())]
    File {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    /// Git could not be asked.
    #[error(transparent)]
    Git(#[from] GitError),
}

/// One hook and its state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitHook {
    /// Its name.
    pub name: &'static str,
    /// The version of bd that installed it; `None` if it is not ours.
    pub version: Option<String>,
    /// Whether there is one, of ours or another.
    pub exists: bool,
    /// Whether it runs another one first.
    pub is_chained: bool,
}

/// The hooks of a repository as they are now.
pub fn read_hooks(git: &Git) -> Result<Vec<GitHook>, HookError> {
    let folder = hooks_folder(git)?;
    NAMES
        .into_iter()
        .map(|name| read_hook(&folder, name))
        .collect()
}

/// Installs the hooks that are missing or older. Gives the names of those that run another one first.
pub fn install_git_hooks(git: &Git, version: &str) -> Result<Vec<&'static str>, HookError> {
    let folder = hooks_folder(git)?;
    let hooks: Result<Vec<GitHook>, HookError> = NAMES
        .into_iter()
        .map(|name| read_hook(&folder, name))
        .collect();
    let hooks = hooks?;
    // Nothing is changed where one of them cannot be.
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

/// Removes the hooks of ours and puts those back that were there before. Gives the names of ours.
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
    // Other calls turn hooks off, which is a place of theirs, too.
    let call = git.command(["rev-parse", "--path-format=absolute", "--git-path", "hooks"]);
    call.text().map(PathBuf::from)
}

/// Where a hook is, and where the one is that was there before.
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
