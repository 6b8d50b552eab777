//! Writes the hook files, which make an agent program call `gt`.
//!
//! A program with a flag for its settings file (Claude Code) has the file beside the worktrees
//! (`<rig>/polecats/.claude/settings.json`). Any other program reads a file in its working folder.
//! So does any program in a crew member's clone, where a user may start it by hand. Git ignores
//! that file, and a tracked one is never written. Existing content is preserved key by key, and
//! missing hooks are added.

use std::io;
use std::path::{Path, PathBuf};

use bd::git::GitError;
use kit::json::strip_byte_order_mark;
use kit::sys::{file, foreign};
use serde_json::{Map, Value};

use super::RuntimePreset;
use crate::town::TownLayout;
use crate::town::identity::Address;
use crate::town::sandbox_git::open_tree;

const LOCAL_HOOKS: &str = include_str!("../../../templates/settings/claude-local.json");

/// The kinds of hooks: the name, and the hooks of each role.
const HOOK_KINDS: &[(&str, &str)] = &[
    (
        "claude",
        include_str!("../../../templates/settings/claude.json"),
    ),
    (
        "codex",
        include_str!("../../../templates/settings/codex.json"),
    ),
    (
        "gemini",
        include_str!("../../../templates/settings/gemini.json"),
    ),
];

/// The additional settings of polecats: the kind, and the settings.
const POLECAT_SETTINGS: (&str, &str) = (
    "claude",
    include_str!("../../../templates/settings/claude-polecat.json"),
);

/// The kind whose file is a generated program, which is replaced as a whole.
const PLUGIN_KIND: (&str, &str) = (
    "opencode",
    include_str!("../../../templates/settings/opencode.js"),
);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookFile {
    pub path: PathBuf,
    /// The worktree that contains the file, and its path there.
    pub inside: Option<(PathBuf, String)>,
}

#[derive(Debug, thiserror::Error)]
pub enum HookFileError {
    #[error("cannot use {}", path.display())]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    /// The file is not a settings file.
    #[error("{} is not valid: {cause}", path.display())]
    Invalid {
        path: PathBuf,
        // Named in the message, so that it is not printed twice.
        cause: serde_json::Error,
    },
    /// Git cannot be made to ignore the file.
    #[error(transparent)]
    Git(#[from] GitError),
}

/// Ensures that the agent's hook file contains our hooks, and returns it. `None` for a program
/// without hooks, for users, and for a file that is tracked or behind a symbolic link.
pub fn ensure_hook_file(
    layout: &TownLayout,
    address: &Address,
    preset: &RuntimePreset,
    home: &Path,
) -> Result<Option<HookFile>, HookFileError> {
    let Some(hooks) = locate_hook_file(layout, address, preset, home) else {
        return Ok(None);
    };
    if let Some((tree, file)) = &hooks.inside
        && !exclude_from_git(tree, file)?
    {
        return Ok(None);
    }
    if preset.hooks == PLUGIN_KIND.0 {
        write_if_changed(&hooks.path, PLUGIN_KIND.1.as_bytes())?;
    }
    for ours in role_hooks(preset, address) {
        add_hooks(&hooks.path, ours)?;
    }
    Ok(Some(hooks))
}

/// Returns the hook file of an agent. None for a program without hooks, and for users.
pub(super) fn locate_hook_file(
    layout: &TownLayout,
    address: &Address,
    preset: &RuntimePreset,
    home: &Path,
) -> Option<HookFile> {
    let is_known =
        preset.hooks == PLUGIN_KIND.0 || HOOK_KINDS.iter().any(|kind| kind.0 == preset.hooks);
    let folder = hook_folder(layout, address).filter(|_| is_known)?;
    let is_crew = matches!(address, Address::Crew(..));
    if !preset.settings_flag.is_empty() && !is_crew {
        return Some(HookFile {
            path: folder.join(".claude/settings.json"),
            inside: None,
        });
    }
    let file = preset.hooks_local.clone();
    (!file.is_empty()).then(|| HookFile {
        path: home.join(&file),
        inside: Some((home.to_owned(), file)),
    })
}

/// Makes git ignore a file of a worktree. Returns false for a file that is tracked or behind a
/// symbolic link.
fn exclude_from_git(tree: &Path, file: &str) -> Result<bool, HookFileError> {
    let is_linked = Path::new(file).ancestors().any(|part| {
        !part.as_os_str().is_empty()
            && tree
                .join(part)
                .symlink_metadata()
                .is_ok_and(|seen| seen.is_symlink())
    });
    if is_linked {
        return Ok(false);
    }
    if !tree.join(".git").exists() {
        return Ok(true);
    }
    let git = open_tree(tree)?;
    if !git.tracked(&[file])?.is_empty() {
        return Ok(false);
    }
    git.exclude(&format!("/{file}"))?;
    Ok(true)
}

/// Returns the hooks that a hook file lacks. None if the file does not exist.
pub(super) fn find_missing_hooks(
    path: &Path,
    preset: &RuntimePreset,
    address: &Address,
) -> Result<Option<Vec<String>>, HookFileError> {
    if preset.hooks == PLUGIN_KIND.0 {
        return Ok(read_bytes(path)?.map(|found| {
            if found == PLUGIN_KIND.1.as_bytes() {
                Vec::new()
            } else {
                vec!["the plugin is of another version of gt".to_owned()]
            }
        }));
    }
    let Some(found) = read_hook_settings(path)? else {
        return Ok(None);
    };
    let build_error = |source| build_invalid_error(path, source);
    let mut missing = Vec::new();
    for ours in role_hooks(preset, address) {
        let ours: Value = serde_json::from_str(ours).map_err(build_error)?;
        let lacks = list_missing(&found, &ours, "");
        missing.extend(lacks.map_err(|why| build_error(serde::de::Error::custom(why)))?);
    }
    Ok(Some(missing))
}

/// Returns the settings for a role.
fn role_hooks(preset: &RuntimePreset, address: &Address) -> Vec<&'static str> {
    let (polecat_kind, polecat_settings) = POLECAT_SETTINGS;
    let is_polecat = matches!(address, Address::Polecat(..));
    let additional = (is_polecat && preset.hooks == polecat_kind).then_some(polecat_settings);
    HOOK_KINDS
        .iter()
        .filter(|(kind, _)| *kind == preset.hooks)
        .map(|(_, hooks)| *hooks)
        .chain(additional)
        .collect()
}

/// Ensures the settings that keep a program from asking about permissions, for a program that reads
/// its own folder's hook file. For that setting it reads a file of another name.
pub fn ensure_local_settings(home: &Path) -> Result<(), HookFileError> {
    add_hooks(&home.join(".claude/settings.local.json"), LOCAL_HOOKS)
}

/// Reads a settings file. None if it does not exist.
fn read_hook_settings(path: &Path) -> Result<Option<Value>, HookFileError> {
    read_bytes(path)?
        .map(|bytes| serde_json::from_slice(strip_byte_order_mark(&bytes)))
        .transpose()
        .map_err(|source| build_invalid_error(path, source))
}

fn read_bytes(path: &Path) -> Result<Option<Vec<u8>>, HookFileError> {
    foreign::read_small_file(path).map_err(|source| HookFileError::Io {
        path: path.to_owned(),
        source,
    })
}

fn build_invalid_error(path: &Path, cause: serde_json::Error) -> HookFileError {
    HookFileError::Invalid {
        path: path.to_owned(),
        cause,
    }
}

/// Adds the missing hooks to a settings file.
fn add_hooks(path: &Path, ours: &str) -> Result<(), HookFileError> {
    let build_error = |source| build_invalid_error(path, source);
    let ours: Value = serde_json::from_str(ours).map_err(build_error)?;
    let found = read_hook_settings(path)?.unwrap_or_else(|| Value::Object(Map::new()));
    let merged = merge_missing(found.clone(), &ours);
    if merged == found {
        return Ok(());
    }
    let mut text = serde_json::to_string_pretty(&merged).map_err(build_error)?;
    text.push('\n');
    write_if_changed(path, text.as_bytes())
}

/// Writes a hook file, unless it is unchanged.
fn write_if_changed(path: &Path, bytes: &[u8]) -> Result<(), HookFileError> {
    if read_bytes(path)?.is_some_and(|found| found == bytes) {
        return Ok(());
    }
    path.parent()
        .map_or(Ok(()), |parent| file::create_folder(parent, 0o755))
        .and_then(|()| file::replace_file(path, bytes, 0o600))
        .map_err(|source| HookFileError::Io {
            path: path.to_owned(),
            source,
        })
}

/// Returns the folder above an agent's worktrees.
fn hook_folder(layout: &TownLayout, address: &Address) -> Option<PathBuf> {
    match address {
        Address::Overseer => None,
        Address::Mayor => Some(layout.mayor()),
        Address::Deacon | Address::Boot | Address::Dog(_) => Some(layout.deacon()),
        Address::Witness(rig) => Some(layout.rig(rig).witness()),
        Address::Refinery(rig) => layout.rig(rig).refinery().parent().map(Path::to_owned),
        Address::Polecat(rig, _) => Some(layout.rig(rig).polecats()),
        Address::Crew(rig, name) => layout.rig(rig).crew(name).parent().map(Path::to_owned),
    }
}

/// Adds the missing keys of objects and elements of lists from `ours` to `present`. Replaces
/// nothing.
fn merge_missing(present: Value, ours: &Value) -> Value {
    match (present, ours) {
        (Value::Object(mut present), Value::Object(ours)) => {
            for (key, value) in ours {
                let merged = match present.remove(key) {
                    Some(there) => merge_missing(there, value),
                    None => value.clone(),
                };
                present.insert(key.clone(), merged);
            }
            Value::Object(present)
        }
        (Value::Array(mut present), Value::Array(ours)) => {
            for value in ours {
                if !present.iter().any(|there| has_same_commands(there, value)) {
                    present.push(value.clone());
                }
            }
            Value::Array(present)
        }
        (present, _) => present,
    }
}

/// Returns true if two hook entries run the same commands, even if they differ otherwise.
pub(super) fn has_same_commands(entry: &Value, other: &Value) -> bool {
    let wanted = entry_commands(other);
    entry == other
        || (!wanted.is_empty() && wanted.iter().all(|w| entry_commands(entry).contains(w)))
}

/// Returns the commands of a hook entry.
pub(super) fn entry_commands(entry: &Value) -> Vec<String> {
    entry
        .get("hooks")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|hook| Some(hook.get("command")?.as_str()?.to_owned()))
        .collect()
}

/// Returns the parts of `ours` that `found` lacks, as paths of keys. Hook commands are named by
/// their command line.
pub(super) fn list_missing(found: &Value, ours: &Value, at: &str) -> Result<Vec<String>, String> {
    let mut missing = Vec::new();
    match (found, ours) {
        (Value::Object(found), Value::Object(ours)) => {
            for (key, value) in ours {
                let at = if at.is_empty() {
                    key.clone()
                } else {
                    format!("{at}.{key}")
                };
                match found.get(key) {
                    Some(there) => missing.extend(list_missing(there, value, &at)?),
                    None => missing.extend(describe_value(value, &at)),
                }
            }
        }
        (Value::Array(found), Value::Array(ours)) => {
            for value in ours {
                if !found.iter().any(|there| has_same_commands(there, value)) {
                    missing.extend(describe_value(value, at));
                }
            }
        }
        (Value::Object(_) | Value::Array(_), _) | (_, Value::Object(_) | Value::Array(_)) => {
            return Err(format!(
                "`{at}` is of another kind than agent programs read"
            ));
        }
        // A single value is the user's choice.
        _ => {}
    }
    Ok(missing)
}

/// Names hook entries by their command line, and any other value by its key.
fn describe_value(value: &Value, at: &str) -> Vec<String> {
    let commands = entry_commands(value);
    if !commands.is_empty() {
        return commands
            .iter()
            .map(|command| format!("{at}: {command}"))
            .collect();
    }
    match value {
        Value::Array(values) => values
            .iter()
            .flat_map(|value| describe_value(value, at))
            .collect(),
        Value::Object(values) => values
            .iter()
            .flat_map(|(key, value)| describe_value(value, &format!("{at}.{key}")))
            .collect(),
        other => vec![format!("{at}: {other}")],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &Path) -> Value {
        serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
    }

    #[test]
    fn hooks_of_a_polecat_are_stored_beside_the_sandboxes() {
        let folder = tempfile::tempdir().unwrap();
        let layout = TownLayout::new(folder.path());
        let nux = Address::Polecat("web".into(), "nux".into());
        let claude = RuntimePreset::named("claude").unwrap();
        let home = layout.rig("web").sandbox("nux");
        let path = ensure_hook_file(&layout, &nux, &claude, &home)
            .unwrap()
            .unwrap()
            .path;
        assert_eq!(
            path,
            folder.path().join("web/polecats/.claude/settings.json")
        );
        let hooks = &read(&path)["hooks"];
        assert_eq!(
            hooks["SessionStart"][0]["hooks"][0]["command"],
            "gt prime --hook"
        );
        let command = |event: &str| hooks[event][0]["hooks"][0]["command"].clone();
        assert_eq!(command("SessionEnd"), "gt signal end");
        assert_eq!(command("Stop"), "gt signal stop");
        ensure_hook_file(&layout, &Address::Mayor, &claude, &layout.mayor()).unwrap();
        let mayor = read(&folder.path().join("mayor/.claude/settings.json"));
        let stop = &mayor["hooks"]["Stop"][0]["hooks"][0]["command"];
        assert_eq!(stop, "gt signal stop", "mail that came during the turn");
        assert!(mayor.get("permissions").is_none(), "a person is there");
        let scripted = RuntimePreset::named("scripted").unwrap();
        assert_eq!(
            ensure_hook_file(&layout, &nux, &scripted, &home).unwrap(),
            None
        );
    }

    #[test]
    fn a_program_without_a_settings_flag_finds_its_hooks_in_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        let layout = TownLayout::new(folder.path());
        let nux = Address::Polecat("web".into(), "nux".into());
        let max = Address::Crew("web".into(), "max".into());
        let home = folder.path().join("home");
        for (name, address, file, wanted) in [
            ("codex", &nux, ".codex/hooks.json", "gt signal stop"),
            ("gemini", &nux, ".gemini/settings.json", "--context-json"),
            (
                "opencode",
                &max,
                ".opencode/plugin/gastown.js",
                "promptAsync",
            ),
            ("claude", &max, ".claude/settings.local.json", "gt prime"),
        ] {
            let preset = RuntimePreset::named(name).unwrap();
            let hooks = ensure_hook_file(&layout, address, &preset, &home)
                .unwrap()
                .unwrap();
            assert_eq!(hooks.path, home.join(file));
            let text = std::fs::read_to_string(&hooks.path).unwrap();
            assert!(text.contains(wanted), "{name}: {text}");
            let missing = find_missing_hooks(&hooks.path, &preset, address).unwrap();
            assert_eq!(missing, Some(Vec::new()));
        }
    }

    #[test]
    fn a_symlinked_file_is_not_written() {
        let folder = tempfile::tempdir().unwrap();
        let layout = TownLayout::new(folder.path());
        let (home, other) = (folder.path().join("home"), folder.path().join("other"));
        std::fs::create_dir_all(&home).unwrap();
        std::fs::create_dir_all(&other).unwrap();
        std::os::unix::fs::symlink(&other, home.join(".codex")).unwrap();
        let nux = Address::Polecat("web".into(), "nux".into());
        let codex = RuntimePreset::named("codex").unwrap();
        assert_eq!(
            ensure_hook_file(&layout, &nux, &codex, &home).unwrap(),
            None
        );
        assert_eq!(std::fs::read_dir(&other).unwrap().count(), 0);
    }

    #[test]
    fn existing_settings_are_kept_and_our_hooks_are_added_once() {
        let folder = tempfile::tempdir().unwrap();
        let layout = TownLayout::new(folder.path());
        let claude = RuntimePreset::named("claude").unwrap();
        let path = folder.path().join("mayor/.claude/settings.json");
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let own = r#"{"zeta":1,"hooks":{"SessionStart":[{"matcher":"startup","hooks":[{"type":"command","command":"mine"}]}],"SubagentStop":[]}}"#;
        std::fs::write(&path, own).unwrap();
        ensure_hook_file(&layout, &Address::Mayor, &claude, &layout.mayor()).unwrap();
        let once = read(&path);
        assert_eq!(once["zeta"], 1);
        assert_eq!(once["hooks"]["SessionStart"].as_array().unwrap().len(), 2);
        assert_eq!(once["hooks"]["SessionStart"][0]["matcher"], "startup");
        assert_eq!(once["hooks"]["SubagentStop"], Value::Array(Vec::new()));
        ensure_hook_file(&layout, &Address::Mayor, &claude, &layout.mayor()).unwrap();
        assert_eq!(read(&path), once);
    }

    #[test]
    fn a_damaged_file_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let layout = TownLayout::new(folder.path());
        let path = folder.path().join("mayor/.claude/settings.json");
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, "{ not json").unwrap();
        let claude = RuntimePreset::named("claude").unwrap();
        let error =
            ensure_hook_file(&layout, &Address::Mayor, &claude, &layout.mayor()).unwrap_err();
        assert!(matches!(error, HookFileError::Invalid { .. }));
        let said = format!("{:#}", anyhow::Error::from(error));
        assert_eq!(said.matches(" at line ").count(), 1, "{said}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "{ not json");
    }

    #[test]
    fn a_hook_file_of_gigabytes_is_refused_without_reading_it() {
        let folder = tempfile::tempdir().unwrap();
        let layout = TownLayout::new(folder.path());
        let home = folder.path().join("home");
        std::fs::create_dir_all(home.join(".codex")).unwrap();
        let file = std::fs::File::create(home.join(".codex/hooks.json")).unwrap();
        file.set_len(3 << 30).unwrap();
        let nux = Address::Polecat("web".into(), "nux".into());
        let codex = RuntimePreset::named("codex").unwrap();
        let error = ensure_hook_file(&layout, &nux, &codex, &home).unwrap_err();
        let HookFileError::Io { source, .. } = error else {
            panic!("{error:?}");
        };
        assert_eq!(source.kind(), io::ErrorKind::FileTooLarge);
    }
}
