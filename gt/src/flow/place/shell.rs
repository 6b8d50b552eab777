//! Installs and removes the shell integration, `gt shell`: a block of lines in the start file of a
//! shell that sets `GT_TOWN_ROOT` and `GT_RIG` while the shell is in a town.
//!
//! The block has no text of a town or a repository. Its function reads the two values from `gt
//! shell place`, as data, each time the folder changes. Removing the block restores the file byte
//! for byte. A state file in the form of the original switches the integration off and on.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use jiff::Timestamp;
use kit::sys::{Env, file};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::record::state_file;
use crate::town;
use crate::town::{RigRegistry, TownLayout};

/// The lines around the block. Those of the original are the same.
const BLOCK_MARKS: [&str; 2] = [
    "# --- Gas Town Integration (managed by gt) ---",
    "# --- End Gas Town ---",
];

/// The second line of a block whose installation added a line break before it.
const NO_BREAK: &str = "# The line before had no line break.";
/// The second line of a block whose installation made the file.
const NEW_FILE: &str = "# This file was made for these lines.";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Shell {
    Bash,
    Zsh,
    Fish,
}

impl Shell {
    pub const WORDS: [&str; 3] = ["bash", "zsh", "fish"];
    const ALL: [Self; 3] = [Self::Bash, Self::Zsh, Self::Fish];

    /// Returns the shell of a name. None for an unknown name.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|shell| shell.word() == word)
    }

    /// Returns the user's shell. None for another one.
    pub fn of_user(env: &Env) -> Option<Self> {
        let name = Path::new(env.get("SHELL")?).file_name()?;
        Self::parse(name.to_str()?)
    }

    pub fn word(self) -> &'static str {
        match self {
            Self::Bash => "bash",
            Self::Zsh => "zsh",
            Self::Fish => "fish",
        }
    }

    /// Returns the file that the shell reads when it starts for a user.
    pub fn start_file(self, env: &Env) -> PathBuf {
        match self {
            Self::Bash => env.make_absolute("~/.bashrc"),
            Self::Zsh => env.folder_named_by("ZDOTDIR", "~").join(".zshrc"),
            Self::Fish => env
                .folder_named_by("XDG_CONFIG_HOME", "~/.config")
                .join("fish/config.fish"),
        }
    }

    fn template(self) -> &'static str {
        match self {
            Self::Bash => include_str!("../../../templates/shell/bash.sh"),
            Self::Zsh => include_str!("../../../templates/shell/zsh.sh"),
            Self::Fish => include_str!("../../../templates/shell/fish.fish"),
        }
    }
}

/// A start file, with or without the block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StartFile {
    pub shell: Shell,
    pub file: PathBuf,
    /// True if the file has the block now.
    pub installed: bool,
    /// True if the file was changed.
    pub changed: bool,
}

/// Returns the start file of each shell.
pub fn list_start_files(env: &Env) -> Vec<StartFile> {
    Shell::ALL
        .into_iter()
        .map(|shell| {
            let path = shell.start_file(env);
            StartFile {
                shell,
                installed: has_block(&path),
                file: path,
                changed: false,
            }
        })
        .collect()
}

/// Returns true if a file has the block.
pub(crate) fn has_block(path: &Path) -> bool {
    let text = file::read_file_if_exists(path).ok().flatten();
    text.is_some_and(|text| cut_block(&text).is_some())
}

/// Adds the block to the start file of a shell, or renews it.
pub fn install_block(env: &Env, shell: Shell) -> anyhow::Result<StartFile> {
    let path = shell.start_file(env);
    let before = read_start_file(&path)?;
    let rest = match &before {
        None => None,
        Some(text) => match cut_block(text) {
            Some(cut) => (!cut.is_new_file).then_some(cut.rest),
            None => Some(text.clone()),
        },
    };
    let text = add_block(rest, shell.template());
    let changed = before.as_ref() != Some(&text);
    if changed {
        let end = file::follow_link(&path);
        end.parent()
            .map_or(Ok(()), |folder| file::create_folder(folder, 0o755))
            .and_then(|()| file::replace_file(&end, &text, file::SHARED))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(StartFile {
        shell,
        file: path,
        installed: true,
        changed,
    })
}

/// Removes the block from the start file of each shell. Returns the changed files.
pub fn remove_blocks(env: &Env) -> anyhow::Result<Vec<StartFile>> {
    let mut changed = Vec::new();
    for shell in Shell::ALL {
        let path = shell.start_file(env);
        if remove_block(&path)? {
            changed.push(StartFile {
                shell,
                file: path,
                installed: false,
                changed: true,
            });
        }
    }
    Ok(changed)
}

/// Removes the block from a file. Returns false if it has none.
pub(crate) fn remove_block(path: &Path) -> anyhow::Result<bool> {
    let Some(cut) = read_start_file(path)?.and_then(|text| cut_block(&text)) else {
        return Ok(false);
    };
    let end = file::follow_link(path);
    let written = if cut.is_new_file {
        file::remove_file(&end)
    } else {
        file::replace_file(&end, &cut.rest, file::SHARED)
    };
    written.with_context(|| format!("cannot write {}", path.display()))?;
    Ok(true)
}

fn read_start_file(path: &Path) -> anyhow::Result<Option<Vec<u8>>> {
    file::read_file_if_exists(path).with_context(|| format!("cannot read {}", path.display()))
}

/// A start file without its block.
struct CutFile {
    rest: Vec<u8>,
    /// True if the file was made for the block, and has nothing else.
    is_new_file: bool,
}

/// Cuts the block out of a text. None if it has no whole block.
fn cut_block(text: &[u8]) -> Option<CutFile> {
    let start = find(text, BLOCK_MARKS[0])?;
    let end = start + find(&text[start..], BLOCK_MARKS[1])? + BLOCK_MARKS[1].len();
    let mut before = &text[..start];
    let block = &text[start..end];
    let after = &text[end..];
    let after = after.strip_prefix(b"\n").unwrap_or(after);
    let has_note = |note| find(block, &format!("\n{note}\n")).is_some();
    if after.is_empty() && has_note(NO_BREAK) {
        before = before.strip_suffix(b"\n").unwrap_or(before);
    }
    let rest = [before, after].concat();
    Some(CutFile {
        is_new_file: rest.is_empty() && has_note(NEW_FILE),
        rest,
    })
}

fn find(text: &[u8], words: &str) -> Option<usize> {
    let words = words.as_bytes();
    text.windows(words.len()).position(|part| part == words)
}

/// Adds the block at the end of a text. None is a file that does not exist.
fn add_block(rest: Option<Vec<u8>>, template: &str) -> Vec<u8> {
    let note = match &rest {
        None => Some(NEW_FILE),
        Some(rest) if !rest.is_empty() && !rest.ends_with(b"\n") => Some(NO_BREAK),
        Some(_) => None,
    };
    let mut text = rest.unwrap_or_default();
    if note == Some(NO_BREAK) {
        text.push(b'\n');
    }
    let note = note.map_or_else(String::new, |note| format!("{note}\n"));
    let block = format!("{}\n{note}{template}{}\n", BLOCK_MARKS[0], BLOCK_MARKS[1]);
    text.extend(block.bytes());
    text
}

/// The state file of the original, `~/.local/state/gastown/state.json`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
struct ShellState {
    /// Missing means yes.
    enabled: Option<bool>,
    #[serde(skip_serializing_if = "String::is_empty")]
    updated_at: String,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

fn state_path(env: &Env) -> PathBuf {
    env.folder_named_by("XDG_STATE_HOME", "~/.local/state")
        .join("gastown/state.json")
}

/// Returns true unless a user disabled the integration.
pub fn is_enabled(env: &Env) -> bool {
    let state: Option<ShellState> = state_file::read_state(&state_path(env)).ok().flatten();
    state.is_none_or(|state| state.enabled != Some(false))
}

/// Enables or disables the integration. Returns true if that is a change.
pub fn set_enabled(env: &Env, enabled: bool, now: Timestamp) -> anyhow::Result<bool> {
    let path = state_path(env);
    let mut state: ShellState = state_file::read_state_or_default(&path)?;
    let changed = (state.enabled != Some(false)) != enabled;
    state.enabled = Some(enabled);
    state.updated_at = now.to_string();
    state_file::write_state(&path, &state)?;
    Ok(changed)
}

/// The place of a shell.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ShellPlace {
    /// The town around the folder. Empty without one.
    pub town: String,
    /// The rig around the folder. Empty without one.
    pub rig: String,
}

/// Returns the place of the working directory. A disabled integration shows none, and neither does
/// a path that is not one line of text.
pub fn find_place(env: &Env) -> ShellPlace {
    let Some(root) = town::find_town_above(env.cwd()).filter(|_| is_enabled(env)) else {
        return ShellPlace::default();
    };
    let Some(town) = root
        .to_str()
        .filter(|path| !path.contains(char::is_control))
    else {
        return ShellPlace::default();
    };
    let layout = TownLayout::new(&root);
    let inside = env.cwd().strip_prefix(&root).ok();
    let first = inside.and_then(|inside| inside.components().next());
    let name = first.and_then(|name| name.as_os_str().to_str());
    // Every prompt calls this: an unreadable registry has no rigs, and `gt doctor` reports it.
    let registry = RigRegistry::load(&layout.rigs_json()).ok();
    let rig =
        name.filter(|name| registry.is_some_and(|registry| registry.rigs.contains_key(*name)));
    ShellPlace {
        town: town.to_owned(),
        rig: rig.unwrap_or("").to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removing_the_block_restores_the_text_byte_for_byte() {
        let texts: [&[u8]; 4] = [b"", b"a\n", b"a", b"\xff\n\n"];
        for text in texts {
            let with = add_block(Some(text.to_vec()), "x\n");
            let cut = cut_block(&with).unwrap();
            assert_eq!((cut.rest.as_slice(), cut.is_new_file), (text, false));
            let more = [&with, b"b".as_slice()].concat();
            let rest = cut_block(&more).unwrap().rest;
            assert!(rest.ends_with(b"b") && !rest.ends_with(b"ab"));
        }
        assert!(cut_block(&add_block(None, "x\n")).unwrap().is_new_file);
    }

    #[test]
    fn a_block_without_its_end_is_left_alone() {
        assert!(cut_block(format!("a\n{}\nb\n", BLOCK_MARKS[0]).as_bytes()).is_none());
        let old = format!("a\n{}\nsource x\n{}\nb\n", BLOCK_MARKS[0], BLOCK_MARKS[1]);
        assert_eq!(cut_block(old.as_bytes()).unwrap().rest, b"a\nb\n");
    }
}
