//! Records the change of a setting as an event, without values that may hold a secret: a command line
//! can have a password in it.

use serde_json::Value;

use crate::town::config::key::{SettingKind, find_key};
use crate::town::config::{self, ChangeError, SettingsLayer, SettingsLayers};
use crate::town::event::event;
use crate::town::{Rig, Town};

/// The text for a value that may hold a secret.
const HIDDEN: &str = "(not shown)";

/// The text for a setting without a value.
const NO_VALUE: &str = "no value";

/// Defines an agent in the town's settings, or removes it.
pub fn change_agent(town: &Town, name: &str, agent: Option<Value>) -> Result<(), ChangeError> {
    // A command line and variables of an agent may hold a secret.
    let after = if agent.is_some() { HIDDEN } else { NO_VALUE };
    config::change_agent(town, name, agent)?;
    town.record_event(&event!(SettingChanged,
        key: format!("agents.{name}"), place: "the town", before: HIDDEN, after: after,
    ));
    Ok(())
}

/// Returns the value that counts, as an event may show it.
pub(super) fn read_shown_value(town: &Town, rig: Option<&Rig>, key: &str) -> String {
    let setting = SettingsLayers::load(town, rig)
        .ok()
        .and_then(|layers| layers.get(key));
    let kind = find_key(key).map(|key| &key.kind);
    match (setting.map(|setting| setting.value), kind) {
        (None | Some(Value::Null), _) => NO_VALUE.to_owned(),
        (Some(Value::String(text)), Some(SettingKind::Text)) => {
            // Every other text may be a command line.
            let is_name = text
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"_./{}-".contains(&byte));
            if is_name { text } else { HIDDEN.to_owned() }
        }
        (Some(Value::String(text)), Some(_)) => text,
        (Some(value), Some(_)) => value.to_string(),
        (Some(_), None) => HIDDEN.to_owned(),
    }
}

/// Records that a setting was changed. `before` is the value that counted until then.
pub(super) fn record_change(
    town: &Town,
    rig: Option<&Rig>,
    layer: SettingsLayer,
    key: &str,
    before: &str,
) {
    let place = match (rig, layer) {
        (None, _) => "the town".to_owned(),
        (Some(rig), SettingsLayer::Settings) => format!("rig {}", rig.name()),
        (Some(rig), SettingsLayer::Local) => format!("rig {} on this machine", rig.name()),
    };
    let after = read_shown_value(town, rig, key);
    town.record_event(&event!(SettingChanged,
        key: key, place: place, before: before, after: after,
    ));
}
