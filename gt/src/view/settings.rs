//! Lists the settings of the town or a rig with their values.

use std::path::PathBuf;

use serde::Serialize;
use serde_json::{Value, json};

use super::bundle::mask_value;
use crate::flow::townwide::setting_change::{ShownSetting, command_to_change};
use crate::patrol::rule::{self, RULES};
use crate::town::config::key::{SettingKey, SettingPlacement};
use crate::town::config::{Setting, SettingsLayers, key};
use crate::town::{Rig, Town};

/// Lists all settings, sorted by name. A family of settings, such as `scheduler.max_per_agent.*`,
/// is listed by its pattern and with the members that are set.
pub fn list_settings(layers: &SettingsLayers) -> Vec<SettingRow> {
    let mut all = layers.all();
    all.retain(|setting| rule::switched_by(&setting.name).is_none());
    all.extend(
        key::all_keys()
            .iter()
            .filter(|key| key.name.contains('*'))
            .filter(|key| !key.name.starts_with(rule::SWITCH))
            .filter_map(|key| layers.get(key.name)),
    );
    all.extend(RULES.iter().map(|rule| rule.switch_setting(layers)));
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all.into_iter().map(SettingRow::from_setting).collect()
}

/// Lists the settings of a rig, or of the town without a rig, as the page shows and changes them.
/// Known secrets are masked.
pub fn list_setting_forms(town: &Town, rig: Option<&Rig>) -> anyhow::Result<Vec<SettingForm>> {
    let layers = SettingsLayers::load(town, rig)?;
    Ok(list_settings(&layers)
        .into_iter()
        .map(|row| SettingForm::new(&layers, rig, row))
        .collect())
}

/// Lists the settings of a rig that have a value. Known secrets are masked.
pub fn list_masked_settings(town: &Town, rig: &Rig) -> anyhow::Result<Vec<SettingRow>> {
    let mut rows = list_settings(&SettingsLayers::load(town, Some(rig))?);
    rows.retain(|row| !row.value.is_null());
    for row in &mut rows {
        row.mask();
    }
    Ok(rows)
}

/// One setting with what a form needs to change it.
#[derive(Debug, Serialize)]
pub struct SettingForm {
    #[serde(flatten)]
    pub row: SettingRow,
    /// The description of the allowed values.
    pub values: String,
    /// The allowed values if there are a few only.
    pub choices: Vec<&'static str>,
    pub default: &'static str,
    pub files: &'static str,
    /// The command that changes it.
    pub command: String,
    /// The file that the page changes. None if only a shell changes the setting, or another file.
    pub change: Option<OfferedSetting>,
}

/// A setting of one file that the page can change.
#[derive(Debug, Serialize)]
pub struct OfferedSetting {
    /// The layer that the file is.
    pub layer: &'static str,
    pub file: PathBuf,
    pub setting: ShownSetting,
}

impl SettingForm {
    fn new(layers: &SettingsLayers, rig: Option<&Rig>, mut row: SettingRow) -> Self {
        let is_masked = row.mask();
        let known = key::find_key(&row.key);
        let offered = known.filter(|key| !is_masked && is_changed_in(key, &row.key, rig));
        let rig_name = rig.map(|rig| rig.name().to_owned());
        Self {
            values: known.map_or_else(String::new, SettingKey::describe_expected),
            choices: known.map_or_else(Vec::new, SettingKey::choices),
            default: known.map_or("", |key| key.default),
            files: known.map_or("", |key| key.scope.describe()),
            command: command_to_change(&row.key, rig_name.as_deref(), Some("VALUE")),
            change: offered.map(|_| {
                let stored = layers.stored_setting(&row.key);
                OfferedSetting {
                    layer: if rig.is_some() { "rig" } else { "town" },
                    file: stored.path.to_owned(),
                    setting: ShownSetting {
                        key: row.key.clone(),
                        rig: rig_name,
                        stored: stored.text(),
                    },
                }
            }),
            row,
        }
    }
}

/// Returns true if the page changes the setting in the file of the rig, or of the town without one.
/// The name of a family is no setting.
fn is_changed_in(key: &SettingKey, name: &str, rig: Option<&Rig>) -> bool {
    let is_in_file = match key.scope {
        SettingPlacement::Town => rig.is_none(),
        SettingPlacement::Rig => true,
        SettingPlacement::RigOnly => rig.is_some(),
    };
    key.is_on_page && is_in_file && !name.contains('*')
}

/// One setting, for text and JSON.
#[derive(Debug, Serialize)]
pub struct SettingRow {
    pub key: String,
    pub value: Value,
    pub origin: String,
    pub meaning: &'static str,
}

impl SettingRow {
    pub fn from_setting(setting: Setting) -> Self {
        Self {
            origin: setting.origin.to_string(),
            meaning: match rule::switched_by(&setting.name) {
                Some(rule) => rule.does,
                None => key::find_key(&setting.name).map_or("", |key| key.meaning),
            },
            key: setting.name,
            value: setting.value,
        }
    }

    /// Masks a known secret, by the name of the setting or in its text. Returns true if it did.
    fn mask(&mut self) -> bool {
        let mut named = json!({ self.key.clone(): self.value });
        mask_value(&mut named);
        let masked = named[&self.key].take();
        let is_masked = masked != self.value;
        self.value = masked;
        is_masked
    }

    /// Returns the name for a terminal. Files may have names with control characters.
    pub fn name(&self) -> String {
        kit::ui::escape::escape_line(&self.key)
    }

    /// Returns the value as a user would write it.
    pub fn text(&self) -> String {
        match &self.value {
            Value::Null => String::new(),
            Value::String(text) => kit::ui::escape::escape_line(text),
            Value::Array(words) => kit::ui::escape::escape_line(
                &words
                    .iter()
                    .filter_map(Value::as_str)
                    .collect::<Vec<_>>()
                    .join(","),
            ),
            other => kit::ui::escape::escape_line(&other.to_string()),
        }
    }
}
