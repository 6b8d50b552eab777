//! Owns the settings files that make an agent program call `gt`: its hooks.
//!
//! They lie beside the work trees (`<rig>/polecats/.claude/settings.json`), never in a repository, and are
//! given to the program by a flag. What stands in such a file already is kept, key by key; what of ours is
//! missing is added.

use std::io;
use std::path::{Path, PathBuf};

use bd::sys::file;
use serde_json::{Map, Value};

use super::Preset;
use crate::town::Layout;
use crate::town::identity::Address;

const CLAUDE: &str = include_str!("../../../templates/settings/claude.json");
const CLAUDE_POLECAT: &str = include_str!("../../../templates/settings/claude-polecat.json");
const LOCAL: &str = include_str!("../../../templates/settings/claude-local.json");

/// Why a settings file was not written.
#[derive(Debug, thiserror::Error)]
pub enum HookFileError {
    /// The file cannot be read or written.
    #[error("cannot use {}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The file holds something that is no settings.
    #[error("{} is not valid: {source}", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// Where and why.
        source: serde_json::Error,
    },
}

/// Makes sure that the agent's settings file holds our hooks, and returns it. `None` for a program that
/// runs none, and for people.
pub fn ensure(
    layout: &Layout,
    address: &Address,
    preset: &Preset,
) -> Result<Option<PathBuf>, HookFileError> {
    let Some(path) = path(layout, address, preset) else {
        return Ok(None);
    };
    for ours in of_role(address) {
        add(&path, ours)?;
    }
    Ok(Some(path))
}

/// Where the settings of an agent are; none for a program that runs no hooks, and for people.
pub(super) fn path(layout: &Layout, address: &Address, preset: &Preset) -> Option<PathBuf> {
    let folder = folder(layout, address).filter(|_| preset.hooks == "claude")?;
    Some(folder.join(".claude/settings.json"))
}

/// What the settings of an agent lack of ours; none where there is no such file.
pub(super) fn missing(
    path: &Path,
    address: &Address,
) -> Result<Option<Vec<String>>, HookFileError> {
    let Some(found) = read(path)? else {
        return Ok(None);
    };
    let invalid = |source| invalid(path, source);
    let mut missing = Vec::new();
    for ours in of_role(address) {
        let ours: Value = serde_json::from_str(ours).map_err(invalid)?;
        let lacks = lacks(&found, &ours, "");
        missing.extend(lacks.map_err(|why| invalid(serde::de::Error::custom(why)))?);
    }
    Ok(Some(missing))
}

/// What belongs into the settings of a role.
fn of_role(address: &Address) -> &'static [&'static str] {
    match address {
        Address::Polecat(..) => &[CLAUDE, CLAUDE_POLECAT],
        _ => &[CLAUDE],
    }
}

/// Makes sure that a program which reads its own folder's settings, and is therefore not given them by
/// a flag, does not ask about permissions: for that it wants a file of another name.
pub fn ensure_local(home: &Path) -> Result<(), HookFileError> {
    add(&home.join(".claude/settings.local.json"), LOCAL)
}

/// What a settings file holds; nothing where there is none.
fn read(path: &Path) -> Result<Option<Value>, HookFileError> {
    let bytes = file::read(path).map_err(|source| HookFileError::Io {
        path: path.to_owned(),
        source,
    })?;
    let value = bytes.map(|bytes| serde_json::from_slice(&bytes));
    value.transpose().map_err(|source| invalid(path, source))
}

fn invalid(path: &Path, source: serde_json::Error) -> HookFileError {
    HookFileError::Invalid {
        path: path.to_owned(),
        source,
    }
}

/// Adds to a settings file what it lacks of ours.
fn add(path: &Path, ours: &str) -> Result<(), HookFileError> {
    let invalid = |source| invalid(path, source);
    let ours: Value = serde_json::from_str(ours).map_err(invalid)?;
    let found = read(path)?.unwrap_or_else(|| Value::Object(Map::new()));
    let merged = merge(found.clone(), &ours);
    if merged == found {
        return Ok(());
    }
    let io = |source| HookFileError::Io {
        path: path.to_owned(),
        source,
    };
    if let Some(parent) = path.parent() {
        file::make_folder(parent, 0o755).map_err(io)?;
    }
    let mut text = serde_json::to_string_pretty(&merged).map_err(invalid)?;
    text.push('\n');
    file::replace(path, text.as_bytes(), 0o600).map_err(io)
}

/// The folder above an agent's work trees.
fn folder(layout: &Layout, address: &Address) -> Option<PathBuf> {
    let above = |path: PathBuf| path.parent().map(Path::to_owned);
    match address {
        Address::Overseer => None,
        Address::Mayor => Some(layout.mayor()),
        Address::Deacon | Address::Boot | Address::Dog(_) => Some(layout.deacon()),
        Address::Witness(rig) => Some(layout.rig(rig).witness()),
        Address::Refinery(rig) => above(layout.rig(rig).refinery()),
        Address::Polecat(rig, _) => Some(layout.rig(rig).polecats()),
        Address::Crew(rig, name) => above(layout.rig(rig).crew(name)),
    }
}

/// Adds to `present` what it lacks of `ours`: keys of objects, elements of lists. Nothing is replaced.
fn merge(present: Value, ours: &Value) -> Value {
    match (present, ours) {
        (Value::Object(mut present), Value::Object(ours)) => {
            for (key, value) in ours {
                let merged = match present.remove(key) {
                    Some(there) => merge(there, value),
                    None => value.clone(),
                };
                present.insert(key.clone(), merged);
            }
            Value::Object(present)
        }
        (Value::Array(mut present), Value::Array(ours)) => {
            for value in ours {
                if !present.iter().any(|there| same_commands(there, value)) {
                    present.push(value.clone());
                }
            }
            Value::Array(present)
        }
        (present, _) => present,
    }
}

/// Whether two hook entries run the same commands, whatever else they say.
pub(super) fn same_commands(one: &Value, other: &Value) -> bool {
    let wanted = commands(other);
    one == other || (!wanted.is_empty() && wanted.iter().all(|w| commands(one).contains(w)))
}

/// What a hook entry runs.
pub(super) fn commands(entry: &Value) -> Vec<String> {
    let hooks = entry.get("hooks").and_then(Value::as_array);
    let hooks = hooks.map(Vec::as_slice).unwrap_or_default();
    let command = |hook: &Value| Some(hook.get("command")?.as_str()?.to_owned());
    hooks.iter().filter_map(command).collect()
}

/// What `found` lacks of `ours`, as paths of keys; hook commands by what they run.
pub(super) fn lacks(found: &Value, ours: &Value, at: &str) -> Result<Vec<String>, String> {
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
                    Some(there) => missing.extend(lacks(there, value, &at)?),
                    None => missing.extend(described(value, &at)),
                }
            }
        }
        (Value::Array(found), Value::Array(ours)) => {
            for value in ours {
                if !found.iter().any(|there| same_commands(there, value)) {
                    missing.extend(described(value, at));
                }
            }
        }
        (Value::Object(_) | Value::Array(_), _) | (_, Value::Object(_) | Value::Array(_)) => {
            return Err(format!(
                "`{at}` is of another kind than agent programs read"
            ));
        }
        // A single value is the person's choice.
        _ => {}
    }
    Ok(missing)
}

/// Hook entries by what they run; any other value by its key.
fn described(value: &Value, at: &str) -> Vec<String> {
    let commands = commands(value);
    if !commands.is_empty() {
        return commands
            .iter()
            .map(|command| format!("{at}: {command}"))
            .collect();
    }
    match value {
        Value::Array(values) => values
            .iter()
            .flat_map(|value| described(value, at))
            .collect(),
        Value::Object(values) => values
            .iter()
            .flat_map(|(key, value)| described(value, &format!("{at}.{key}")))
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
    fn a_polecats_hooks_lie_beside_the_sandboxes() {
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout::new(folder.path());
        let nux = Address::Polecat("web".into(), "nux".into());
        let claude = Preset::named("claude").unwrap();
        let path = ensure(&layout, &nux, &claude).unwrap().unwrap();
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
        ensure(&layout, &Address::Mayor, &claude).unwrap();
        let mayor = read(&folder.path().join("mayor/.claude/settings.json"));
        assert!(mayor["hooks"].get("Stop").is_none(), "a person is there");
        let scripted = Preset::named("scripted").unwrap();
        assert_eq!(ensure(&layout, &nux, &scripted).unwrap(), None);
    }

    #[test]
    fn what_is_there_is_kept_and_ours_is_added_once() {
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout::new(folder.path());
        let claude = Preset::named("claude").unwrap();
        let path = folder.path().join("mayor/.claude/settings.json");
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let own = r#"{"zeta":1,"hooks":{"SessionStart":[{"matcher":"startup","hooks":[{"type":"command","command":"mine"}]}],"Stop":[]}}"#;
        std::fs::write(&path, own).unwrap();
        ensure(&layout, &Address::Mayor, &claude).unwrap();
        let once = read(&path);
        assert_eq!(once["zeta"], 1);
        assert_eq!(once["hooks"]["SessionStart"].as_array().unwrap().len(), 2);
        assert_eq!(once["hooks"]["SessionStart"][0]["matcher"], "startup");
        assert_eq!(once["hooks"]["Stop"], Value::Array(Vec::new()));
        ensure(&layout, &Address::Mayor, &claude).unwrap();
        assert_eq!(read(&path), once);
    }

    #[test]
    fn a_damaged_file_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout::new(folder.path());
        let path = folder.path().join("mayor/.claude/settings.json");
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, "{ not json").unwrap();
        let claude = Preset::named("claude").unwrap();
        let error = ensure(&layout, &Address::Mayor, &claude).unwrap_err();
        assert!(matches!(error, HookFileError::Invalid { .. }));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "{ not json");
    }
}
