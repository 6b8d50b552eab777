//! Git hooks that keep commits and beads together: `pre-commit` adds the beads to the commit,
//! `post-merge` and `post-checkout` report changed beads.
//!
//! In the clone's own hooks folder an existing hook is moved to `NAME.before-bd` and runs first.
//! Uninstalling moves it back, byte for byte. Scripts of the work tree get a marked section, and
//! only on request. Settings of git are never changed.

pub mod place;
pub mod settings;
pub mod tools;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::git::{Git, GitError};
use kit::sys::file;
use kit::sys::section::SectionMarks;

pub use place::HookPlace;

const SHIM_SCRIPT: &str = include_str!("../../templates/git-hook.sh");

/// The text in the second line of our hooks.
const SHIM_MARK: &str = "# bd-shim";

/// The text before the version in our hooks.
const VERSION_MARK: &str = "# bd-hooks-version: ";

/// The line of our hooks that those of other versions of bd do not have.
const CHAIN_LINE: &str = "before=\"$0.before-bd\"";

/// The names of the hooks.
pub const NAMES: [&str; 3] = ["pre-commit", "post-merge", "post-checkout"];

/// The hook that a script of the work tree runs. The others only report.
const TRACKED_HOOK: &str = "pre-commit";

/// The command for a hook script that colleagues without bd run, too.
pub const COMMAND: &str =
    "if command -v bd >/dev/null 2>&1; then bd hook pre-commit \"$@\" || exit $?; fi";

/// The marks of the section in a script of the work tree.
const SECTION_MARKS: SectionMarks = SectionMarks {
    begin: "# BEGIN BEADS HOOK",
    end: "# END BEADS HOOK",
};

/// The reason why a hook was left unchanged.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the names of the fields say it")]
pub enum HookError {
    /// A hook exists, and so does a file under the name that would preserve it.
    #[error("{} is a hook of yours, and {} is there already: move one of them away", hook.display(), before.display())]
    BothThere { hook: PathBuf, before: PathBuf },
    /// The script is not a shell script.
    #[error("{} is not a shell script: run `bd hook pre-commit` in it", path.display())]
    NotShell { path: PathBuf },
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
    pub path: PathBuf,
    /// The version of bd that installed the hook; `None` if the hook is not ours.
    pub version: Option<String>,
    /// True if a hook exists, ours or another.
    pub exists: bool,
    /// True if the hook runs another one first.
    pub is_chained: bool,
    /// True if the hook is ours and was changed since.
    pub is_edited: bool,
}

/// The outcome of an uninstall.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RemovedHooks {
    pub removed: Vec<&'static str>,
    /// The hooks of bd that someone edited. They are unchanged.
    pub edited: Vec<PathBuf>,
}

/// Returns the current state of the hooks at a place: none if another program writes them.
pub fn read_hooks(place: &HookPlace, version: &str) -> Result<Vec<GitHook>, HookError> {
    match place {
        HookPlace::Clone { folder } => NAMES
            .into_iter()
            .map(|name| read_hook(folder, name))
            .collect(),
        HookPlace::Project { folder, .. } => {
            let path = folder.join(TRACKED_HOOK);
            let text = read_text(&path)?;
            let has_command = text.as_deref().is_some_and(calls_bd);
            Ok(vec![GitHook {
                name: TRACKED_HOOK,
                path,
                version: has_command.then(|| version.to_owned()),
                exists: text.is_some(),
                is_chained: false,
                is_edited: false,
            }])
        }
        HookPlace::Lefthook { .. } | HookPlace::Shared { .. } => Ok(Vec::new()),
    }
}

/// Installs missing hooks in the clone's own folder and updates older ones. Calls `announce` with
/// each hook before it changes the hook. Returns the names of the hooks that run another one first.
pub fn install_git_hooks(
    folder: &Path,
    version: &str,
    announce: &dyn Fn(&GitHook),
) -> Result<Vec<&'static str>, HookError> {
    let hooks = NAMES
        .into_iter()
        .map(|name| read_hook(folder, name))
        .collect::<Result<Vec<GitHook>, HookError>>()?;
    // All hooks are checked before the first change.
    for hook in &hooks {
        let [path, before] = hook_paths(folder, hook.name);
        if hook.exists && hook.version.is_none() && before.exists() {
            return Err(HookError::BothThere { hook: path, before });
        }
    }
    file::create_folder(folder, 0o755).map_err(|error| file_error(folder, error))?;
    for hook in hooks.iter().filter(|hook| !hook.is_edited) {
        let [path, before] = hook_paths(folder, hook.name);
        announce(hook);
        if hook.exists && hook.version.is_none() {
            fs::rename(&path, &before).map_err(|error| file_error(&path, error))?;
        }
        let text = format_shim(hook.name, version);
        file::replace_file(&path, text.as_bytes(), 0o755)
            .map_err(|error| file_error(&path, error))?;
    }
    Ok(NAMES
        .into_iter()
        .filter(|name| hook_paths(folder, name)[1].exists())
        .collect())
}

/// Adds our section to the script of the work tree, or creates the script. Returns the path of the
/// script if it changed.
pub fn install_in_project(folder: &Path, is_husky: bool) -> Result<Option<PathBuf>, HookError> {
    let path = folder.join(TRACKED_HOOK);
    let old = read_text(&path)?;
    let text = match old.as_deref() {
        Some(text) if calls_bd(text) => return Ok(None),
        None if is_husky => String::new(),
        None => "#!/usr/bin/env sh\n".to_owned(),
        Some(text) => text.to_owned(),
    };
    let first = text.lines().next().unwrap_or("");
    let has_interpreter = first.starts_with("#!");
    let is_shell = if has_interpreter {
        names_shell(first)
    } else {
        is_husky
    };
    if !is_shell {
        return Err(HookError::NotShell { path });
    }
    // At the start, because a script may end with `exec` or `exit`.
    let start = if has_interpreter {
        text.find('\n').map_or(text.len(), |at| at + 1)
    } else {
        0
    };
    let (head, rest) = text.split_at(start);
    let section = SECTION_MARKS.insert("", COMMAND);
    let new = format!("{head}{section}{rest}");
    file::replace_file(&path, new.as_bytes(), 0o755).map_err(|error| file_error(&path, error))?;
    Ok(Some(path))
}

/// Removes our hooks from the clone's own folder, and our section from the script of the work tree.
/// Restores the previous hooks.
pub fn uninstall_git_hooks(git: &Git) -> Result<RemovedHooks, HookError> {
    let mut outcome = RemovedHooks::default();
    if let HookPlace::Project { folder, .. } = HookPlace::find(git)?
        && remove_section(&folder.join(TRACKED_HOOK))?
    {
        outcome.removed.push(TRACKED_HOOK);
    }
    // Hooks are also there if `core.hooksPath` was set after the installation.
    let folder = git.common_dir()?.join("hooks");
    for name in NAMES {
        let hook = read_hook(&folder, name)?;
        if hook.version.is_none() {
            continue;
        }
        if hook.is_edited {
            outcome.edited.push(hook.path);
            continue;
        }
        let [path, before] = hook_paths(&folder, name);
        let done = if before.exists() {
            fs::rename(&before, &path)
        } else {
            file::remove_file(&path)
        };
        done.map_err(|error| file_error(&path, error))?;
        outcome.removed.push(name);
    }
    Ok(outcome)
}

/// Returns true if a `#!` line names a shell.
fn names_shell(line: &str) -> bool {
    line.trim_start_matches("#!")
        .split_whitespace()
        .any(|word| {
            let name = word.rsplit('/').next();
            name.is_some_and(|name| ["sh", "bash", "dash", "zsh", "ksh"].contains(&name))
        })
}

/// Removes our section from a script, and the script if nothing else is in it.
fn remove_section(path: &Path) -> Result<bool, HookError> {
    let Some(old) = read_text(path)? else {
        return Ok(false);
    };
    let section = SECTION_MARKS.insert("", COMMAND);
    let Some((head, rest)) = old.split_once(&section) else {
        return Ok(false);
    };
    let new = format!("{head}{rest}");
    let done = if new.is_empty() || new == "#!/usr/bin/env sh\n" {
        file::remove_file(path)
    } else {
        file::replace_file(path, new.as_bytes(), 0o755)
    };
    done.map_err(|error| file_error(path, error))?;
    Ok(true)
}

/// Returns true if a script runs our hook, by our section or by a line that someone added.
fn calls_bd(text: &str) -> bool {
    text.lines()
        .any(|line| !line.trim_start().starts_with('#') && line.contains("bd hook"))
}

fn format_shim(name: &str, version: &str) -> String {
    SHIM_SCRIPT
        .replace("VERSION", version)
        .replace("HOOK", name)
}

/// Returns the path of a hook and the path of the preserved previous hook.
fn hook_paths(folder: &Path, name: &str) -> [PathBuf; 2] {
    [folder.join(name), folder.join(format!("{name}.before-bd"))]
}

fn read_hook(folder: &Path, name: &'static str) -> Result<GitHook, HookError> {
    let [path, before] = hook_paths(folder, name);
    let text = read_text(&path)?;
    let version = text.as_deref().and_then(find_shim_version);
    let is_edited = match (&text, version) {
        (Some(text), Some(version)) => {
            text.contains(CHAIN_LINE) && *text != format_shim(name, version)
        }
        _ => false,
    };
    Ok(GitHook {
        name,
        path,
        version: version.map(str::to_owned),
        exists: text.is_some(),
        is_chained: version.is_some() && before.exists(),
        is_edited,
    })
}

/// Returns the version of the bd that wrote a hook, or `None` for another hook. A hook of bd without
/// a version line has the empty version.
fn find_shim_version(text: &str) -> Option<&str> {
    let mark = text.lines().nth(1)?;
    if !mark.starts_with(SHIM_MARK) {
        return None;
    }
    let version = text
        .lines()
        .find_map(|line| line.strip_prefix(VERSION_MARK));
    Some(version.unwrap_or(""))
}

fn read_text(path: &Path) -> Result<Option<String>, HookError> {
    let bytes = file::read_file_if_exists(path).map_err(|error| file_error(path, error))?;
    Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}

fn file_error(path: &Path, source: io::Error) -> HookError {
    let path = path.to_owned();
    HookError::File { path, source }
}
