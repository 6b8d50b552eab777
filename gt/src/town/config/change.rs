//! Changes one key in one settings file and preserves the rest.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::SettingsError;
use super::faults::{find_similar_setting, is_unread};
use super::key::{self, SettingPlacement};
use super::layers::{old_name_of, read_settings_tree};
use super::settings_file::{NoPlace, SettingsFile, shorten_line};
use crate::town::identity::{Address, WorkerNameError, check_worker_name};
use crate::town::lock::{Lock, LockError};
use crate::town::{Rig, Town};

/// The layer to change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingsLayer {
    /// The settings file of the rig, or of the town without a rig.
    Settings,
    /// The local layer of a rig on this machine.
    Local,
}

#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    #[error(
        "there is no setting `{name}`{}: gt config list shows them",
        describe_near(near.as_deref())
    )]
    Unknown {
        name: String,
        /// The most similar setting.
        near: Option<String>,
    },
    /// The name is in the file, and the program reads it or a part of it.
    #[error("`{name}` in {} is no single setting and stays: gt config list shows them", path.display())]
    Kept { name: String, path: PathBuf },
    /// The value is invalid for the setting.
    #[error("`{text}` is no value for {name}: it must be {expected}")]
    BadValue {
        name: String,
        text: String,
        expected: String,
    },
    /// The name of a new member of a family is invalid.
    #[error(
        "`{}` in {family} is not a valid name: it must be {expected}",
        shorten_line(member)
    )]
    BadMember {
        family: &'static str,
        member: String,
        expected: String,
    },
    #[error("{name} cannot be set there: {reason}")]
    WrongPlace { name: String, reason: &'static str },
    /// One of the names is invalid for a polecat.
    #[error(transparent)]
    Name(#[from] WorkerNameError),
    /// The setting is blocked in the local layer.
    #[error("{name} is blocked in {}: unblock it first with `gt config unset --local`", path.display())]
    Blocked { name: String, path: PathBuf },
    #[error(transparent)]
    NoPlace(#[from] NoPlace),
    #[error(transparent)]
    Settings(#[from] SettingsError),
    #[error(transparent)]
    Busy(#[from] LockError),
}

impl ChangeError {
    /// Describes a name that no setting has.
    pub fn unknown(name: &str) -> Self {
        Self::Unknown {
            name: name.to_owned(),
            near: find_similar_setting(name),
        }
    }
}

fn describe_near(near: Option<&str>) -> String {
    near.map_or_else(String::new, |near| format!(" (did you mean {near}?)"))
}

/// Keeps other processes from changing the settings, for a change that depends on their values.
pub fn lock_settings(town: &Town) -> Result<Lock, LockError> {
    Lock::take(&town.layout.registry_lock(), Duration::from_secs(30))
}

/// Sets a key. `None` removes it. Returns the changed file.
pub fn change_setting(
    town: &Town,
    rig: Option<&Rig>,
    layer: SettingsLayer,
    name: &str,
    text: Option<&str>,
) -> Result<PathBuf, ChangeError> {
    change_locked_setting(&lock_settings(town)?, town, rig, layer, name, text)
}

/// Sets a key under the lock of the settings. `None` removes it. Returns the changed file.
pub fn change_locked_setting(
    _lock: &Lock,
    town: &Town,
    rig: Option<&Rig>,
    layer: SettingsLayer,
    name: &str,
    text: Option<&str>,
) -> Result<PathBuf, ChangeError> {
    let Some(key) = key::find_key(name) else {
        let path = rig.map_or_else(|| town.layout.settings(), |rig| rig.settings());
        return match (layer, text) {
            (SettingsLayer::Settings, None) => remove_unknown(path, name),
            _ => Err(ChangeError::unknown(name)),
        };
    };
    let refuse_place = |reason| {
        Err(ChangeError::WrongPlace {
            name: name.to_owned(),
            reason,
        })
    };
    match (rig, layer, key.scope) {
        (_, SettingsLayer::Local, _) if !key.layered => {
            return refuse_place("it stands in settings files only");
        }
        (None, SettingsLayer::Local, _) => {
            return refuse_place("the local layer belongs to a rig: say which with --rig");
        }
        (Some(_), _, SettingPlacement::Town) => {
            return refuse_place("it is the whole town's: use --town");
        }
        (None, _, SettingPlacement::RigOnly) => {
            return refuse_place("it belongs to a rig: say which with --rig");
        }
        _ => {}
    }
    let value = text
        .map(|text| {
            key.parse(text).ok_or_else(|| ChangeError::BadValue {
                name: name.to_owned(),
                text: text.to_owned(),
                expected: key.describe_expected(),
            })
        })
        .transpose()?;
    if name == "namepool.names" {
        check_polecat_names(rig, value.as_ref())?;
    }
    let path = match (layer, rig) {
        (SettingsLayer::Local, Some(rig)) => {
            let path = town.layout.wisp_config(rig.name());
            change_local(&path, rig.name(), name, value)?;
            return Ok(path);
        }
        (_, Some(rig)) => rig.settings(),
        (_, None) => town.layout.settings(),
    };
    let mut file = SettingsFile::read(&path)?;
    match value {
        Some(value) => file.put(rig.map(|rig| rig.name()), name, value)?,
        None => {
            remove_value(&mut file.tree, name);
            // The name of other versions would count then.
            if let Some(old) = old_name_of(name).filter(|_| rig.is_none()) {
                remove_value(&mut file.tree, old);
            }
        }
    }
    file.write()?;
    Ok(path)
}

/// Removes a key that nothing reads from a settings file. Returns the file.
fn remove_unknown(path: PathBuf, name: &str) -> Result<PathBuf, ChangeError> {
    let mut file = SettingsFile::read(&path)?;
    let parts: Vec<&str> = name.split('.').collect();
    let value = parts.split_first().and_then(|(first, rest)| {
        rest.iter()
            .try_fold(file.tree.get(*first)?, |above, part| above.get(part))
    });
    let Some(value) = value else {
        return Err(ChangeError::unknown(name));
    };
    // A value in the place of an object is read by nothing, and in the way of settings below it.
    let is_in_the_way =
        !value.is_object() && key::all_keys().iter().any(|key| key.is_below(&parts));
    if !is_in_the_way && !is_unread(&parts, value) {
        let name = name.to_owned();
        return Err(ChangeError::Kept { name, path });
    }
    remove_value(&mut file.tree, name);
    file.write()?;
    Ok(path)
}

/// Checks the names of a namepool. The town's list applies to rigs with unknown names, so it may
/// not contain the name of any other kind of worker.
fn check_polecat_names(rig: Option<&Rig>, names: Option<&Value>) -> Result<(), WorkerNameError> {
    let rig = rig.map_or("rig", |rig| rig.name());
    let names = names.and_then(Value::as_array).into_iter().flatten();
    for name in names.filter_map(Value::as_str) {
        check_worker_name(&Address::Polecat(rig.to_owned(), name.to_owned()), [rig])?;
    }
    Ok(())
}

/// Returns the agents that the town's settings define, by name.
pub fn read_agents(town: &Town) -> Result<BTreeMap<String, Value>, SettingsError> {
    let mut tree = read_settings_tree(&town.layout.settings())?;
    let agents = tree.get_mut("agents").and_then(Value::as_object_mut);
    Ok(agents.map(std::mem::take).into_iter().flatten().collect())
}

/// Defines an agent in the town's settings. `None` removes it.
pub fn change_agent(town: &Town, name: &str, agent: Option<Value>) -> Result<(), ChangeError> {
    let _held = lock_settings(town)?;
    let mut file = SettingsFile::read(&town.layout.settings())?;
    let agents = file.object_at("agents", &format!("the agent {name}"))?;
    match agent {
        Some(agent) => {
            agents.insert(name.to_owned(), agent);
        }
        None => {
            agents.shift_remove(name);
        }
    }
    Ok(file.write()?)
}

/// Sets a value in the local layer of a rig that is no setting of the table. `None` removes it.
pub(in crate::town) fn change_local_value(
    rig: &Rig,
    name: &str,
    value: Option<Value>,
) -> Result<(), ChangeError> {
    let layout = &rig.town().layout;
    let _held = Lock::take(&layout.registry_lock(), Duration::from_secs(30))?;
    change_local(&layout.wisp_config(rig.name()), rig.name(), name, value)
}

fn change_local(
    path: &Path,
    rig: &str,
    name: &str,
    value: Option<Value>,
) -> Result<(), ChangeError> {
    let mut file = SettingsFile::read(path)?;
    file.tree.entry("rig").or_insert_with(|| json!(rig));
    file.object_at("values", name)?;
    let blocked = file.tree.entry("blocked").or_insert_with(|| json!([]));
    let is_blocked = blocked
        .as_array()
        .is_some_and(|all| all.iter().any(|blocked_name| blocked_name == name));
    match value {
        Some(_) if is_blocked => {
            let name = name.to_owned();
            let path = path.to_owned();
            return Err(ChangeError::Blocked { name, path });
        }
        Some(value) => {
            file.object_at("values", name)?
                .insert(name.to_owned(), value);
        }
        None => {
            if let Some(all) = blocked.as_array_mut() {
                all.retain(|blocked_name| blocked_name != name);
            }
            file.object_at("values", name)?.shift_remove(name);
        }
    }
    Ok(file.write()?)
}

/// Removes the value at a dotted path, and each object above it that is empty then: an empty gate
/// would stop all merges.
fn remove_value(tree: &mut Map<String, Value>, name: &str) {
    let Some((part, rest)) = name.split_once('.') else {
        tree.shift_remove(name);
        return;
    };
    if let Some(inner) = tree.get_mut(part).and_then(Value::as_object_mut) {
        remove_value(inner, rest);
        if inner.is_empty() {
            tree.shift_remove(part);
        }
    }
}
