//! Lists the settings of the town or a rig with their values.

use serde::Serialize;
use serde_json::Value;

use crate::patrol::rule::{self, RULES};
use crate::town::config::{Setting, SettingsLayers, key};

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
            other => other.to_string(),
        }
    }
}
