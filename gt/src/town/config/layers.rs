//! Reads settings in layers, highest first: environment, the local ("wisp") layer of this machine,
//! the labels of the rig's bead as far as [`LabelEffect`] permits, the rig's settings, the town's
//! settings, built-in. (A command's flag takes precedence over all. The command handles it.)
//!
//! A key that is blocked in the local layer has no value in the layers below it. The layers of a
//! [`SettingKind::Sum`] add up. Unknown content of files is ignored, and a change preserves every
//! other key.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

use bd::store::Snapshot;
use jiff::SignedDuration;
use kit::json::strip_byte_order_mark;
use kit::sys::foreign;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::key::{self, LabelEffect, SettingKey, SettingKind, SettingPlacement};
use super::{SettingPlace, SettingsError};
use crate::town::{Rig, Town};

/// The longest duration that a setting can have.
const MAX_DURATION: SignedDuration = SignedDuration::from_hours(24 * 365);

/// The origin of a setting's value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingOrigin {
    Environment(String),
    /// The local layer of this machine.
    Local(PathBuf),
    /// Blocked in the local layer.
    Blocked(PathBuf),
    /// A label of the rig's bead.
    Bead(String),
    Rig(PathBuf),
    Town(PathBuf),
    BuiltIn,
    /// The layers that add up, highest first.
    Layers(Vec<LayerAddend>),
}

/// The value of one layer of a [`SettingKind::Sum`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LayerAddend {
    pub origin: SettingOrigin,
    pub value: i64,
}

impl fmt::Display for SettingOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Environment(variable) => write!(f, "environment: {variable}"),
            Self::Local(path) => write!(f, "local: {}", path.display()),
            Self::Blocked(path) => write!(f, "blocked: {}", path.display()),
            Self::Bead(id) => write!(f, "bead: {id}"),
            Self::Rig(path) => write!(f, "rig: {}", path.display()),
            Self::Town(path) => write!(f, "town: {}", path.display()),
            Self::BuiltIn => f.write_str("built-in"),
            Self::Layers(addends) => {
                for (index, addend) in addends.iter().enumerate() {
                    let separator = if index == 0 { "" } else { " + " };
                    write!(f, "{separator}{} ({})", addend.value, addend.origin)?;
                }
                Ok(())
            }
        }
    }
}

/// A setting's value with its origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    pub name: String,
    /// The value. `null` for none.
    pub value: Value,
    pub origin: SettingOrigin,
}

/// A value of a settings file.
#[derive(Debug, Clone)]
pub struct StoredSetting<'a> {
    pub path: &'a Path,
    /// The full name.
    pub name: String,
    pub value: &'a Value,
}

impl StoredSetting<'_> {
    /// Returns the value as a JSON text. None if the file does not have the setting.
    pub fn text(&self) -> Option<String> {
        (!self.value.is_null()).then(|| self.value.to_string())
    }
}

/// The layers for one rig or for the town, read once.
#[derive(Debug, Clone, Default)]
pub struct SettingsLayers {
    env: kit::sys::Env,
    local: LocalLayer,
    local_path: PathBuf,
    bead: String,
    labels: Vec<(String, String)>,
    rig: Option<(PathBuf, Value)>,
    town: (PathBuf, Value),
}

/// The local layer of a rig, as in its file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct LocalLayer {
    values: Map<String, Value>,
    blocked: BTreeSet<String>,
}

impl SettingsLayers {
    /// Reads the layers for a rig, or those of the town alone.
    pub fn load(town: &Town, rig: Option<&Rig>) -> Result<Self, SettingsError> {
        let town_layers = Self::load_for_town(town)?;
        let Some(rig) = rig else {
            return Ok(town_layers);
        };
        // An unreadable store is reported elsewhere and must not make the settings fail.
        let beads = rig.store().ok().and_then(|store| store.snapshot().ok());
        town_layers.with_rig(rig, beads.as_ref())
    }

    /// Reads the layers for a rig whose beads were read.
    pub fn load_for_rig(rig: &Rig, beads: &Snapshot) -> Result<Self, SettingsError> {
        Self::load_for_town(rig.town())?.with_rig(rig, Some(beads))
    }

    /// Reads the layers of the town alone.
    pub(super) fn load_for_town(town: &Town) -> Result<Self, SettingsError> {
        let path = town.layout.settings();
        let value = read_settings_tree(&path)?;
        Ok(Self {
            env: town.env.clone(),
            town: (path, value),
            ..Self::default()
        })
    }

    /// Adds the layers of a rig above the town's. `beads` are the rig's, if they are readable.
    pub(super) fn with_rig(
        mut self,
        rig: &Rig,
        beads: Option<&Snapshot>,
    ) -> Result<Self, SettingsError> {
        let layers = &mut self;
        layers.local_path = rig.town().layout.wisp_config(rig.name());
        layers.local =
            serde_json::from_value(read_settings_tree(&layers.local_path)?).map_err(|source| {
                SettingsError::Invalid {
                    path: layers.local_path.clone(),
                    cause: source,
                }
            })?;
        layers.rig = Some((rig.settings(), read_settings_tree(&rig.settings())?));
        layers.bead = format!("{}-rig-{}", rig.prefix(), rig.name());
        let bead = beads.and_then(|beads| beads.get(&layers.bead));
        layers.labels = bead.map_or_else(Vec::new, |bead| {
            bead.labels
                .iter()
                .filter_map(|label| {
                    let (name, value) = label.split_once(':')?;
                    Some((name.to_owned(), value.to_owned()))
                })
                .collect()
        });
        Ok(self)
    }

    /// Returns a setting's value from the highest layer that has it.
    pub fn get(&self, name: &str) -> Option<Setting> {
        let key = key::find_key(name)?;
        let above = if key.layered {
            self.find_above_files(key, name)
        } else {
            None
        };
        let (value, origin) = above.unwrap_or_else(|| self.find_in_files(key, name));
        Some(Setting {
            name: name.to_owned(),
            value,
            origin,
        })
    }

    /// Returns all settings: those of the table, and the members of its families that are set.
    pub fn all(&self) -> Vec<Setting> {
        let mut names: BTreeSet<String> = key::all_keys()
            .iter()
            .filter(|key| !key.name.contains('*'))
            .map(|key| key.name.to_owned())
            .collect();
        for file in self.rig.iter().map(|(_, file)| file).chain([&self.town.1]) {
            collect_names(file, "", &mut names);
        }
        names.extend(
            self.local
                .values
                .keys()
                .filter(|name| key::find_key(name).is_some())
                .cloned(),
        );
        names.iter().filter_map(|name| self.get(name)).collect()
    }

    /// Returns the settings as one tree, as if they were in one file: the town's, then the rig's,
    /// then the layers above. Without built-in values and wrong ones.
    pub fn merged(&self) -> Value {
        let mut tree = self.town.1.clone();
        let name = "max_polecats";
        if value_at(&tree, name).is_none()
            && let Some(value) = old_name_of(name).and_then(|old| value_at(&self.town.1, old))
        {
            put_value(&mut tree, name, value.clone());
        }
        if let Some((_, rig)) = &self.rig {
            merge_over(&mut tree, rig);
        }
        let fixed_names = key::all_keys().iter().map(|key| key.name);
        for name in fixed_names
            .filter(|name| !name.contains('*'))
            .chain(self.local.values.keys().map(String::as_str))
            .chain(self.local.blocked.iter().map(String::as_str))
        {
            let Some(key) = key::find_key(name).filter(|key| key.layered) else {
                continue;
            };
            if let Some((value, _)) = self.find_above_files(key, name) {
                put_value(&mut tree, name, value);
            }
        }
        for key in key::all_keys() {
            if value_at(&tree, key.name).is_some_and(|value| !key.is_valid(value)) {
                put_value(&mut tree, key.name, Value::Null);
            }
        }
        tree
    }

    /// Returns a setting's value from the highest layer, or the built-in one if that value is
    /// invalid.
    pub fn valid_value(&self, name: &str) -> Value {
        let Some(key) = key::find_key(name) else {
            return Value::Null;
        };
        match self.get(name) {
            Some(set) if key.is_valid(&set.value) => set.value,
            _ => key.built_in_value(),
        }
    }

    /// Returns a setting's value from the highest layer, or the error of a wrong one.
    pub fn checked_value(&self, name: &str) -> Result<Value, SettingsError> {
        let key = key::find_key(name);
        match self.get(name).zip(key) {
            Some((set, key)) if !set.value.is_null() && !key.is_valid(&set.value) => {
                Err(SettingsError::BadValue {
                    place: self.place_of(&set),
                    key: name.to_owned(),
                    text: set.value.to_string(),
                    expected: key.describe_expected(),
                })
            }
            Some((set, _)) => Ok(set.value),
            None => Ok(Value::Null),
        }
    }

    fn place_of(&self, set: &Setting) -> SettingPlace {
        match &set.origin {
            SettingOrigin::Environment(variable) => SettingPlace::Environment(variable.clone()),
            SettingOrigin::Local(path)
            | SettingOrigin::Blocked(path)
            | SettingOrigin::Rig(path)
            | SettingOrigin::Town(path) => SettingPlace::in_file(path),
            SettingOrigin::Bead(_) | SettingOrigin::BuiltIn | SettingOrigin::Layers(_) => {
                SettingPlace::in_file(self.town_path())
            }
        }
    }

    /// Returns the number of a setting. A missing value is zero.
    pub fn number(&self, name: &str) -> u64 {
        self.valid_value(name).as_u64().unwrap_or(0)
    }

    /// Returns true if a flag is set.
    pub fn flag(&self, name: &str) -> bool {
        self.valid_value(name) == true
    }

    /// Returns the text of a setting. None for a missing or an empty one.
    pub fn text(&self, name: &str) -> Option<String> {
        match self.valid_value(name) {
            Value::String(text) if !text.is_empty() => Some(text),
            _ => None,
        }
    }

    /// Returns the texts of a list.
    pub fn list(&self, name: &str) -> Vec<String> {
        let value = self.valid_value(name);
        value
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|text| text.as_str().map(str::to_owned))
            .collect()
    }

    /// Returns the sum of a setting's layers. A missing or blocked value is zero.
    pub fn sum(&self, name: &str) -> i64 {
        self.valid_value(name).as_i64().unwrap_or(0)
    }

    /// Returns a duration. A missing value is zero.
    pub fn duration(&self, name: &str) -> SignedDuration {
        let time = self.text(name).and_then(|text| text.parse().ok());
        time.unwrap_or(SignedDuration::ZERO).min(MAX_DURATION)
    }

    /// Returns the settings of the rig, or of the town without a rig, that name an agent, with its
    /// name.
    pub fn list_named_agents(&self) -> Vec<(String, String)> {
        let (own, file) = match &self.rig {
            Some((_, file)) => ("agent", file),
            None => ("default_agent", &self.town.1),
        };
        let roles = file["role_agents"].as_object().into_iter().flatten();
        std::iter::once((own.to_owned(), &file[own]))
            .chain(roles.map(|(role, agent)| (format!("role_agents.{role}"), agent)))
            .filter_map(|(key, agent)| {
                let agent = agent.as_str().filter(|agent| !agent.is_empty())?;
                Some((key, agent.to_owned()))
            })
            .collect()
    }

    /// Returns every value below a part of the files.
    pub fn values_below(&self, part: &str) -> Vec<StoredSetting<'_>> {
        let mut found = Vec::new();
        for (path, file) in self.files() {
            let mut open: Vec<(String, &Value)> = Vec::new();
            open.extend(file.get(part).map(|tree| (part.to_owned(), tree)));
            while let Some((name, value)) = open.pop() {
                match value {
                    Value::Object(map) => {
                        open.extend(
                            map.iter()
                                .map(|(key, value)| (format!("{name}.{key}"), value)),
                        );
                    }
                    value => found.push(StoredSetting { path, name, value }),
                }
            }
        }
        found.extend(
            self.local
                .values
                .iter()
                .filter(|(name, _)| name.split('.').next() == Some(part))
                .map(|(name, value)| StoredSetting {
                    path: self.local_path(),
                    name: name.clone(),
                    value,
                }),
        );
        found
    }

    /// Returns the settings files, the higher one first.
    pub(super) fn files(&self) -> impl Iterator<Item = (&Path, &Value)> {
        self.rig
            .iter()
            .chain([&self.town])
            .map(|(path, file)| (path.as_path(), file))
    }

    /// Returns the settings file of the rig, or of the town without a rig, and the value of a
    /// setting in it, in the town's file also under the name of other versions. The value is `null`
    /// if the file does not have the setting.
    pub fn stored_setting<'a>(&'a self, name: &str) -> StoredSetting<'a> {
        let (path, file) = self.rig.as_ref().unwrap_or(&self.town);
        let old_name = old_name_of(name).filter(|_| self.rig.is_none());
        StoredSetting {
            path,
            name: name.to_owned(),
            value: value_at(file, name)
                .or_else(|| value_at(file, old_name?))
                .unwrap_or(&Value::Null),
        }
    }

    pub(super) fn local_values(&self) -> &Map<String, Value> {
        &self.local.values
    }

    pub(in crate::town) fn town_path(&self) -> &Path {
        &self.town.0
    }

    pub(super) fn rig_path(&self) -> Option<&Path> {
        self.rig.as_ref().map(|(path, _)| path.as_path())
    }

    pub(super) fn variable(&self, name: &str) -> Option<&str> {
        self.env.get(name)
    }

    pub(super) fn local_path(&self) -> &Path {
        &self.local_path
    }

    fn find_above_files(&self, key: &SettingKey, name: &str) -> Option<(Value, SettingOrigin)> {
        let variable = super::setting_key::variable_name(name);
        let by_env = self.env.get(&variable).and_then(|text| key.parse(text));
        if let Some(value) = by_env {
            return Some((value, SettingOrigin::Environment(variable)));
        }
        if self.local.blocked.contains(name) {
            return Some((Value::Null, SettingOrigin::Blocked(self.local_path.clone())));
        }
        if key.kind == SettingKind::Sum {
            return self.add_layers(key, name);
        }
        if let Some(value) = self.local.values.get(name) {
            return Some((value.clone(), SettingOrigin::Local(self.local_path.clone())));
        }
        let (_, text) = self.labels.iter().find(|(label, _)| label == name)?;
        let value = key.parse(text)?;
        let is_allowed = match key.labels {
            LabelEffect::None => false,
            LabelEffect::Any => true,
            LabelEffect::Lower => {
                let limit = self.find_in_files(key, name).0;
                value
                    .as_u64()
                    .zip(limit.as_u64())
                    .is_some_and(|(label, limit)| label <= limit)
            }
        };
        is_allowed.then(|| (value, SettingOrigin::Bead(self.bead.clone())))
    }

    /// Adds up the values of a setting in the local layer, the labels and the files. None if no
    /// layer has one.
    fn add_layers(&self, key: &SettingKey, name: &str) -> Option<(Value, SettingOrigin)> {
        let local = self.local.values.get(name).cloned();
        let label = self.labels.iter().find(|(label, _)| label == name);
        let label = label.and_then(|(_, text)| key.parse(text));
        let files = self.files().map(|(path, file)| {
            let origin = if path == self.town.0 {
                SettingOrigin::Town(path.to_owned())
            } else {
                SettingOrigin::Rig(path.to_owned())
            };
            (origin, value_at(file, name).cloned())
        });
        let layers = [
            (SettingOrigin::Local(self.local_path.clone()), local),
            (SettingOrigin::Bead(self.bead.clone()), label),
        ];
        let addends: Vec<LayerAddend> = layers
            .into_iter()
            .chain(files)
            .filter_map(|(origin, value)| {
                let value = value?.as_i64()?;
                Some(LayerAddend { origin, value })
            })
            .collect();
        let sum = addends
            .iter()
            .fold(0_i64, |sum, addend| sum.saturating_add(addend.value));
        (!addends.is_empty()).then(|| (Value::from(sum), SettingOrigin::Layers(addends)))
    }

    /// Returns a setting's value from the highest file, or the built-in one.
    fn find_in_files(&self, key: &SettingKey, name: &str) -> (Value, SettingOrigin) {
        if let Some((path, file)) = &self.rig
            && key.scope != SettingPlacement::Town
            && let Some(value) = value_at(file, name)
        {
            return (value.clone(), SettingOrigin::Rig(path.clone()));
        }
        let (path, file) = &self.town;
        if let Some(value) = value_at(file, name).filter(|_| key.scope != SettingPlacement::RigOnly)
        {
            return (value.clone(), SettingOrigin::Town(path.clone()));
        }
        if let Some(value) = old_name_of(name).and_then(|old| value_at(file, old)) {
            return (value.clone(), SettingOrigin::Town(path.clone()));
        }
        let built_in = match key.default {
            "" => Value::Null,
            _ => key.built_in_value(),
        };
        (built_in, SettingOrigin::BuiltIn)
    }

    /// Returns the labels of the rig's bead that name a setting and have no effect.
    pub fn ignored_labels(&self) -> impl Iterator<Item = String> {
        self.labels
            .iter()
            .filter(|(name, _)| {
                key::find_key(name).is_some_and(|key| key.labels != LabelEffect::Any)
                    && !self
                        .get(name)
                        .is_some_and(|set| matches!(set.origin, SettingOrigin::Bead(_)))
            })
            .map(|(name, value)| format!("{name}:{value}"))
    }
}

/// Returns the name of a setting in the town's file of other versions.
pub(super) fn old_name_of(name: &str) -> Option<&'static str> {
    (name == "max_polecats").then_some("max_polecats_per_rig")
}

/// Returns the value at a dotted path. `null` counts as missing.
fn value_at<'a>(tree: &'a Value, name: &str) -> Option<&'a Value> {
    let found = name
        .split('.')
        .try_fold(tree, |tree, part| tree.get(part))?;
    (!found.is_null()).then_some(found)
}

/// Sets the value at a dotted path and creates missing parents.
pub(super) fn put_value(tree: &mut Value, name: &str, value: Value) {
    let mut place = tree;
    for part in name.split('.') {
        if !place.is_object() {
            *place = Value::Object(Map::new());
        }
        place = &mut place[part];
    }
    *place = value;
}

/// Merges one tree over another: objects are merged, any other value is replaced.
fn merge_over(below: &mut Value, above: &Value) {
    match (below, above) {
        (Value::Object(below), Value::Object(above)) => {
            for (key, value) in above {
                merge_over(below.entry(key.clone()).or_insert(Value::Null), value);
            }
        }
        (_, Value::Null) => {}
        (below, above) => *below = above.clone(),
    }
}

/// Collects the names in a file that the table has.
fn collect_names(tree: &Value, above: &str, names: &mut BTreeSet<String>) {
    let Value::Object(map) = tree else { return };
    for (part, value) in map {
        let name = if above.is_empty() {
            part.clone()
        } else {
            format!("{above}.{part}")
        };
        if key::find_key(&name).is_some() {
            names.insert(name);
        } else {
            collect_names(value, &name, names);
        }
    }
}

/// Reads a settings file. A missing file is an empty one.
pub(super) fn read_settings_tree(path: &Path) -> Result<Value, SettingsError> {
    let bytes = foreign::read_small_file(path).map_err(|source| SettingsError::Io {
        path: path.to_owned(),
        source,
    })?;
    match bytes {
        None => Ok(Value::Object(Map::new())),
        Some(bytes) => serde_json::from_slice(strip_byte_order_mark(&bytes)).map_err(|source| {
            SettingsError::Invalid {
                path: path.to_owned(),
                cause: source,
            }
        }),
    }
}
