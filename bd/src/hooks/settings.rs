//! Inserts hooks into the JSON settings of an agent. They are inserted as text, so that removing
//! them restores the original bytes.

use std::collections::HashMap;

use serde_json::Value;
use serde_json::value::RawValue;

/// The reason why settings cannot be changed.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// The settings are not JSON.
    #[error("not a JSON object")]
    NotJson(#[source] serde_json::Error),
    /// The hooks do not have the form that the agent reads.
    #[error("\"{0}\" is not of the form that the agent reads")]
    Form(String),
}

/// The position after an opening bracket.
struct InsertionPoint {
    at: usize,
    is_empty: bool,
}

/// Returns the value of a key in a JSON object, as a slice of its text.
fn find_member<'a>(object: &'a str, key: &str) -> Result<Option<&'a str>, SettingsError> {
    let members: HashMap<String, &RawValue> =
        serde_json::from_str(object).map_err(SettingsError::NotJson)?;
    Ok(members.get(key).map(|raw| raw.get()))
}

fn find_insertion_point(
    text: &str,
    part: &str,
    open: char,
    name: &str,
) -> Result<InsertionPoint, SettingsError> {
    let inner = part
        .trim_start()
        .strip_prefix(open)
        .ok_or_else(|| SettingsError::Form(name.to_owned()))?;
    // The slice lies within the text, so the distance of their starts is its position.
    let at = inner.as_ptr() as usize - text.as_ptr() as usize;
    let rest = inner.trim_start();
    Ok(InsertionPoint {
        at,
        is_empty: rest.starts_with(['}', ']']),
    })
}

fn hook_entry(command: &str) -> String {
    format!(r#"{{"matcher": "", "hooks": [{{"type": "command", "command": "{command}"}}]}}"#)
}

/// Returns the three forms of an inserted hook. They depend on the existing content: the event,
/// other hooks, or nothing.
fn hook_forms(event: &str, command: &str) -> [String; 3] {
    let entry = hook_entry(command);
    [
        format!("\n      {entry}"),
        format!("\n    \"{event}\": [{entry}]"),
        format!("\n  \"hooks\": {{\"{event}\": [{entry}]}}"),
    ]
}

/// Returns true if the settings run a command at an event.
pub fn has_hook(text: &str, event: &str, command: &str) -> bool {
    let settings: Value = serde_json::from_str(text).unwrap_or(Value::Null);
    let groups = settings["hooks"][event].as_array();
    let mut hooks = groups.into_iter().flatten();
    hooks.any(|group| {
        let mut hooks = group["hooks"].as_array().into_iter().flatten();
        hooks.any(|hook| hook["command"] == command)
    })
}

/// Returns the settings with a command added to an event.
pub fn add_hook(text: &str, event: &str, command: &str) -> Result<String, SettingsError> {
    if has_hook(text, event, command) {
        return Ok(text.to_owned());
    }
    let [in_event, in_hooks, at_top] = hook_forms(event, command);
    let (place, new) = match find_member(text, "hooks")? {
        None => (find_insertion_point(text, text, '{', "settings")?, at_top),
        Some(hooks) => match find_member(hooks, event)? {
            None => (find_insertion_point(text, hooks, '{', "hooks")?, in_hooks),
            Some(groups) => (find_insertion_point(text, groups, '[', event)?, in_event),
        },
    };
    let comma = if place.is_empty { "" } else { "," };
    let (before, after) = text.split_at(place.at);
    Ok(format!("{before}{new}{comma}{after}"))
}

/// Returns the settings without an inserted hook. Settings without it in its inserted form stay
/// unchanged.
pub fn remove_hook(text: &str, event: &str, command: &str) -> String {
    // The form without the event's name comes last, because it may occur at another event too.
    for form in hook_forms(event, command).into_iter().rev() {
        for form in [format!("{form},"), form] {
            if let Some((before, after)) = text.split_once(form.as_str()) {
                return format!("{before}{after}");
            }
        }
    }
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hook_is_added_and_removed_without_a_trace() {
        for text in [
            "{\n}\n",
            "{}",
            "{\"a\": 1}",
            "{\n\t\"a\": 1,\n\t\"hooks\": {}\n}",
            "{ \"hooks\": { \"Stop\": [] }, \"z\": \"\\u00e9\" }\n",
            "{\"hooks\": {\"SessionStart\": []}}",
            "{\"hooks\": {\"SessionStart\": [{\"hooks\": [{\"command\": \"x\"}]}]}}",
        ] {
            let with = add_hook(text, "SessionStart", "bd prime").unwrap();
            assert!(has_hook(&with, "SessionStart", "bd prime"), "{with}");
            assert!(serde_json::from_str::<Value>(&with).is_ok(), "{with}");
            let both = add_hook(&with, "PreCompact", "bd prime").unwrap();
            assert!(has_hook(&both, "PreCompact", "bd prime"), "{both}");
            let without = remove_hook(&both, "PreCompact", "bd prime");
            assert_eq!(remove_hook(&without, "SessionStart", "bd prime"), text);
        }
    }

    #[test]
    fn a_file_that_is_not_valid_settings_is_refused() {
        for text in ["", "[]", "{", "{\"hooks\": []}", "{\"hooks\": {\"A\": {}}}"] {
            assert!(add_hook(text, "A", "x").is_err(), "{text}");
        }
    }
}
