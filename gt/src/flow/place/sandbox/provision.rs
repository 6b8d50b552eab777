//! Gives a worktree what it needs beside the repository's files: the rig's beads, exclusions, the
//! carried files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use bd::git::{Git, GitError};
use kit::sys::{ConfinedFolder, file};

use super::{SandboxError, shared_hooks};
use crate::flow::place::carry::{ChangedCopies, ReplacedCopy, carry_files};
use crate::flow::place::unsaved::TOWN_PATTERNS;
use crate::town::RigLayout;
use crate::town::config::SandboxSettings;

/// Folders of a sandbox that belong to the town, even if the repository has files of these names.
pub(super) const OUR_FOLDERS: [&str; 2] = [".beads", ".gt"];

/// Files and folders of a repository that agent programs execute, or that name what they execute:
/// hooks, settings, MCP servers, plugins.
const EXECUTED_FILES: [&str; 36] = [
    ".amp/plugins",
    ".amp/settings.json",
    ".augment/hooks",
    ".augment/settings.json",
    ".augment/settings.local.json",
    ".claude/hooks",
    ".claude/plugins",
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".codex/config.toml",
    ".codex/hooks",
    ".codex/hooks.json",
    ".codex/rules",
    ".copilot/mcp-config.json",
    ".cursor/cli.json",
    ".cursor/hooks",
    ".cursor/hooks.json",
    ".cursor/mcp.json",
    ".gemini/.env",
    ".gemini/extensions",
    ".gemini/hooks",
    ".gemini/settings.json",
    ".github/copilot/settings.json",
    ".github/copilot/settings.local.json",
    ".github/hooks",
    ".github/mcp.json",
    ".mcp.json",
    ".opencode/opencode.json",
    ".opencode/opencode.jsonc",
    ".opencode/plugin",
    ".opencode/plugins",
    ".opencode/tool",
    ".opencode/tools",
    ".vscode/mcp.json",
    "opencode.json",
    "opencode.jsonc",
];

/// Files and folders of a repository that agents read. They are texts, except for
/// [`EXECUTED_FILES`].
const TEXT_FILES: [&str; 7] = [
    ".claude",
    ".cursor/rules",
    ".github/copilot-instructions.md",
    ".opencode",
    "AGENTS.md",
    "CLAUDE.md",
    "GEMINI.md",
];

/// Connects a worktree of a rig to the rig's beads, keeps beads files in it out of git, and copies
/// the carried files.
pub(crate) fn provision_worktree(
    rig: &RigLayout,
    git: &Git,
) -> Result<Vec<ReplacedCopy>, SandboxError> {
    for pattern in TOWN_PATTERNS {
        git.exclude(pattern)?;
    }
    let tracked = git.tracked(&[".beads"])?;
    if tracked.is_empty() {
        git.exclude(".beads/")?;
    }
    git.set_skip_worktree(&tracked)?;
    for folder in OUR_FOLDERS {
        replace_folder(git, folder)?;
    }
    shared_hooks::install_shared_hooks(rig).map_err(SandboxError::at(&rig.repo()))?;
    let inside = ConfinedFolder::open(git.folder())?;
    let target = format!("{}\n", rig.beads().display());
    inside.write(".beads/redirect", target.as_bytes(), 0o644)?;
    Ok(carry_files(rig, git.folder(), ChangedCopies::Replace)?)
}

/// Removes whatever blocks the name of a town folder in a worktree. Tracked files stay in every
/// commit, because git is told to skip its own copies.
fn replace_folder(git: &Git, folder: &str) -> Result<(), SandboxError> {
    let path = git.folder().join(folder);
    if fs::symlink_metadata(&path).map_or(true, |meta| meta.is_dir()) {
        return Ok(());
    }
    if git.tracked(&[folder])?.is_empty() {
        // Not in any commit, so it is kept under another name.
        let aside = git.folder().with_file_name(format!("left{folder}"));
        return fs::rename(&path, aside).map_err(SandboxError::at(&path));
    }
    git.set_skip_worktree(&[folder])?;
    file::remove_file(&path).map_err(SandboxError::at(&path))
}

/// Removes the repository's own files for agents from a worktree as the settings demand, and
/// returns the removed files. They stay in every commit, because git skips its own copies.
pub(super) fn hide_agent_files(
    git: &Git,
    settings: &SandboxSettings,
) -> Result<Vec<PathBuf>, SandboxError> {
    let mut files = tracked_agent_files(git)?;
    files.retain(|path| {
        if is_executed_file(path) {
            settings.hide_executed_files.unwrap_or(true)
        } else {
            settings.hide_agent_files == Some(true)
        }
    });
    git.set_skip_worktree(&files)?;
    for name in &files {
        let path = git.folder().join(name);
        remove_tracked(&path).map_err(SandboxError::at(&path))?;
    }
    Ok(files)
}

/// Lets git write the files again that [`hide_agent_files`] removed, at the next reset.
pub(super) fn unhide_agent_files(git: &Git) -> Result<(), GitError> {
    git.clear_skip_worktree(&tracked_agent_files(git)?)
}

/// Returns the tracked files for agents. A link or submodule in place of a folder counts, because
/// it brings the files that the folder would have.
fn tracked_agent_files(git: &Git) -> Result<Vec<PathBuf>, GitError> {
    let names: Vec<&str> = EXECUTED_FILES.iter().chain(&TEXT_FILES).copied().collect();
    let mut tops: Vec<&str> = names
        .iter()
        .filter_map(|name| name.split('/').next())
        .collect();
    tops.sort_unstable();
    tops.dedup();
    let mut files = git.tracked(&tops)?;
    files.retain(|path| names.iter().any(|name| path.starts_with(name)) || is_executed_file(path));
    Ok(files)
}

fn is_executed_file(path: &Path) -> bool {
    EXECUTED_FILES
        .iter()
        .any(|name| path.starts_with(name) || Path::new(name).starts_with(path))
}

/// Removes a tracked file, or the work tree of a submodule.
fn remove_tracked(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(path),
        Ok(_) => file::remove_file(path),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}
