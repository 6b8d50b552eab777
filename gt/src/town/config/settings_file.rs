//! One settings file that is changed: the value of a key is replaced, and the numbers that stay keep
//! their digits.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use kit::json::strip_byte_order_mark;
use kit::sys::{file, foreign};
use kit::ui::cut;
use kit::ui::escape::{escape_line, quote_for_shell};
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::SettingsError;

/// The longest text of a value in a message, in characters.
const MAX_SHOWN_VALUE: usize = 200;

/// A value that is no object, in a place where a setting needs one.
#[derive(Debug, thiserror::Error)]
#[error(
    "{name} cannot be set in {}: {in_the_way} is {value} there, and {name} would replace it. \
     Remove it first, or set another name:\n{}",
    path.display(),
    command.as_deref().unwrap_or("gt config list")
)]
pub struct NoPlace {
    /// The setting that was to be set.
    pub name: String,
    pub path: PathBuf,
    /// The key above it.
    pub in_the_way: String,
    /// The value of that key, for a message.
    pub value: String,
    /// The command that removes that key.
    pub command: Option<String>,
}

/// The content of a settings file, to be changed and written.
pub(super) struct SettingsFile {
    path: PathBuf,
    /// The text as it was read. None if there was no file.
    text: Option<String>,
    pub(super) tree: Map<String, Value>,
}

impl SettingsFile {
    /// Reads a settings file. A missing file is an empty one.
    pub(super) fn read(path: &Path) -> Result<Self, SettingsError> {
        let build_invalid_error = |cause| SettingsError::Invalid {
            path: path.to_owned(),
            cause,
        };
        let bytes = foreign::read_small_file(path).map_err(|source| SettingsError::Io {
            path: path.to_owned(),
            source,
        })?;
        let Some(bytes) = bytes else {
            return Ok(Self {
                path: path.to_owned(),
                text: None,
                tree: Map::new(),
            });
        };
        let raw: Box<RawValue> =
            serde_json::from_slice(strip_byte_order_mark(&bytes)).map_err(build_invalid_error)?;
        Ok(Self {
            path: path.to_owned(),
            tree: serde_json::from_str(raw.get()).map_err(build_invalid_error)?,
            text: Some(raw.get().to_owned()),
        })
    }

    /// Sets the value at a dotted path and creates missing parents. Fails if a parent has a value
    /// that is no object, because that value would be lost.
    pub(super) fn put(
        &mut self,
        rig: Option<&str>,
        name: &str,
        value: Value,
    ) -> Result<(), NoPlace> {
        let (above, last) = match name.rsplit_once('.') {
            Some((above, last)) => (above.split('.').collect(), last),
            None => (Vec::new(), name),
        };
        let mut place = &mut self.tree;
        for (index, part) in above.iter().enumerate() {
            let inner = place.entry((*part).to_owned()).or_insert(Value::Null);
            if inner.is_null() {
                *inner = Value::Object(Map::new());
            }
            place = match inner {
                Value::Object(map) => map,
                other => {
                    let in_the_way = above.get(..=index).unwrap_or(&above).join(".");
                    return Err(NoPlace {
                        name: name.to_owned(),
                        path: self.path.clone(),
                        value: show(other),
                        command: Some(command_to_remove(rig, &in_the_way)),
                        in_the_way,
                    });
                }
            };
        }
        place.insert(last.to_owned(), value);
        Ok(())
    }

    /// Returns the object of a key. A missing one is created.
    pub(super) fn object_at(
        &mut self,
        part: &str,
        name: &str,
    ) -> Result<&mut Map<String, Value>, NoPlace> {
        let path = &self.path;
        let inner = self.tree.entry(part.to_owned()).or_insert(Value::Null);
        if inner.is_null() {
            *inner = Value::Object(Map::new());
        }
        match inner {
            Value::Object(map) => Ok(map),
            other => Err(NoPlace {
                name: name.to_owned(),
                path: path.clone(),
                in_the_way: part.to_owned(),
                value: show(other),
                command: None,
            }),
        }
    }

    /// Writes the file. A number that was not changed keeps its digits.
    pub(super) fn write(&self) -> Result<(), SettingsError> {
        let path = &self.path;
        let build_io_error = |source| SettingsError::Io {
            path: path.clone(),
            source,
        };
        let tree = Value::Object(self.tree.clone());
        let kept = KeptNumbers {
            value: &tree,
            before: self.text.as_deref(),
        };
        let mut text =
            serde_json::to_string_pretty(&kept).map_err(|source| SettingsError::Invalid {
                path: path.clone(),
                cause: source,
            })?;
        text.push('\n');
        if let Some(folder) = path.parent() {
            file::create_folder(folder, 0o755).map_err(build_io_error)?;
        }
        // Users may link their settings from another folder. The file may hold secrets.
        let path = file::follow_link(path);
        file::hide_from_others(&path).map_err(build_io_error)?;
        file::replace_file(&path, text.as_bytes(), 0o600).map_err(build_io_error)
    }
}

fn command_to_remove(rig: Option<&str>, name: &str) -> String {
    let scope = match rig {
        Some(rig) => format!("--rig {}", quote_for_shell(rig)),
        None => "--town".to_owned(),
    };
    format!("gt config unset {scope} {}", quote_for_shell(name))
}

fn show(value: &Value) -> String {
    shorten_line(&value.to_string())
}

/// Returns the escaped begin of a text, for a message.
pub(super) fn shorten_line(text: &str) -> String {
    let text = escape_line(text);
    let shown = cut::first_characters(&text, MAX_SHOWN_VALUE);
    if shown.len() < text.len() {
        format!("{shown}...")
    } else {
        text
    }
}

/// A value that is written with the digits that its numbers had before: `2.50` stays, and so does a
/// number that is too long for this program.
struct KeptNumbers<'a> {
    value: &'a Value,
    /// The JSON text of the value before the change. None if there was none.
    before: Option<&'a str>,
}

impl Serialize for KeptNumbers<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.value {
            Value::Object(map) => {
                let before: HashMap<String, &RawValue> = parse_before(self.before);
                let mut object = serializer.serialize_map(Some(map.len()))?;
                for (key, value) in map {
                    let before = before.get(key).map(|raw| raw.get());
                    object.serialize_entry(key, &KeptNumbers { value, before })?;
                }
                object.end()
            }
            Value::Array(values) => {
                let before: Vec<&RawValue> = parse_before(self.before);
                let mut array = serializer.serialize_seq(Some(values.len()))?;
                for (index, value) in values.iter().enumerate() {
                    let before = before.get(index).map(|raw| raw.get());
                    array.serialize_element(&KeptNumbers { value, before })?;
                }
                array.end()
            }
            Value::Number(number) => {
                let is_same = |text: &&str| {
                    serde_json::from_str::<serde_json::Number>(text)
                        .is_ok_and(|before| before == *number)
                };
                match self.before.filter(is_same) {
                    Some(text) => RawValue::from_string(text.to_owned())
                        .map_err(serde::ser::Error::custom)?
                        .serialize(serializer),
                    None => number.serialize(serializer),
                }
            }
            other => other.serialize(serializer),
        }
    }
}

/// Returns the parts of a value before the change. None if it was another kind of value.
fn parse_before<'a, T: serde::Deserialize<'a> + Default>(before: Option<&'a str>) -> T {
    before
        .and_then(|text| serde_json::from_str(text).ok())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn file_with(folder: &Path, text: &str) -> SettingsFile {
        let path = folder.join("config.json");
        std::fs::write(&path, text).unwrap();
        SettingsFile::read(&path).unwrap()
    }

    #[test]
    fn numbers_that_are_not_changed_keep_their_digits() {
        let folder = tempfile::tempdir().unwrap();
        let text = "{\n  \"big\": 123456789012345678901234567890,\n  \"budget\": {\n    \"rig\": 2.50,\n    \"day\": 1e2\n  },\n  \"list\": [\n    -0,\n    1.10\n  ]\n}\n";
        let mut file = file_with(folder.path(), text);
        file.put(None, "budget.day", json!(7)).unwrap();
        file.write().unwrap();
        let written = std::fs::read_to_string(folder.path().join("config.json")).unwrap();
        assert_eq!(written, text.replace("1e2", "7"));
    }

    #[test]
    fn a_value_in_the_way_of_a_setting_stays_and_is_named() {
        let folder = tempfile::tempdir().unwrap();
        for (text, name, value) in [
            (
                r#"{"namepool":["ann","bob"]}"#,
                "namepool.style",
                r#"namepool is ["ann","bob"]"#,
            ),
            (
                r#"{"theme":"oc\u001bean"}"#,
                "theme.name",
                "theme is \"oc\\u001bean\"",
            ),
            (
                r#"{"merge_queue":{"gates":0}}"#,
                "merge_queue.gates.a.cmd",
                "merge_queue.gates is 0",
            ),
        ] {
            let mut file = file_with(folder.path(), text);
            let refused = file.put(Some("web"), name, json!("x")).unwrap_err();
            let shown = refused.to_string();
            let key = value.split(' ').next().unwrap();
            let command = format!("\ngt config unset --rig web {key}");
            assert!(
                shown.contains(value) && shown.ends_with(&command) && shown.contains("config.json"),
                "{shown}"
            );
        }
        let mut file = file_with(folder.path(), r#"{"budget":null}"#);
        file.put(None, "budget.day", json!(5)).unwrap();
        assert_eq!(Value::Object(file.tree), json!({"budget": {"day": 5}}));
        let list = folder.path().join("list.json");
        std::fs::write(&list, "[1]").unwrap();
        assert!(SettingsFile::read(&list).is_err());
    }
}
