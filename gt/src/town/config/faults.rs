//! Finds the faults of settings: values of a wrong type or out of range, keys that nothing reads,
//! gates in places that are not read.
//!
//! A fault that may have turned off a limit, a gate or another safety rule stops all starts and
//! merges until it is corrected. For any other wrong value the built-in one applies, and the fault
//! is reported.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

use kit::sys::foreign;
use kit::ui::cut;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::error::SettingPlace;
use super::key::{self, SettingKey, SettingPlacement};
use super::{RigSettings, SettingsError, SettingsLayers, elsewhere};
use crate::town::{Rig, RigLayout, Town};

const QUEUE_PART: &str = "merge_queue";

/// The longest text of a wrong value in a message, in characters.
const MAX_SHOWN_VALUE: usize = 60;

/// The most changed characters in a name that is taken for a misspelling of another.
const MAX_TYPING_ERRORS: usize = 2;

/// A fault of the settings.
#[derive(Debug)]
pub struct SettingFault {
    pub error: SettingsError,
    pub effect: FaultEffect,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultEffect {
    /// Nothing is started or merged until it is corrected.
    Stop,
    /// The author of the settings expects an effect that they do not have.
    Warning,
    /// The key has no effect here, and nothing is lost by that.
    Note,
}

/// Fails if a fault of the settings stops starts and merges in a rig.
pub fn check_guards(rig: &Rig) -> Result<(), SettingsError> {
    // No label of the rig's bead can be a fault, so its beads are not read.
    SettingsLayers::load_for_town(rig.town())?
        .with_rig(rig, None)?
        .check_guards(Some(rig))
}

/// Fails if a fault of the town's settings stops starts and merges everywhere.
pub fn check_town_guards(town: &Town) -> Result<(), SettingsError> {
    SettingsLayers::load_for_town(town)?.check_guards(None)
}

impl SettingsLayers {
    /// Fails with the first fault that stops starts and merges.
    pub fn check_guards(&self, rig: Option<&RigLayout>) -> Result<(), SettingsError> {
        let faults = self.find_faults(rig);
        match faults
            .into_iter()
            .find(|fault| fault.effect == FaultEffect::Stop)
        {
            Some(fault) => Err(fault.error),
            None => Ok(()),
        }
    }

    /// Returns the faults of all layers, those of the highest file first. `rig` is the rig of the
    /// layers.
    pub fn find_faults(&self, rig: Option<&RigLayout>) -> Vec<SettingFault> {
        let mut faults = Vec::new();
        for (path, file) in self.files() {
            let mut finder = FaultFinder {
                path,
                above: &[],
                layers: self,
                faults: &mut faults,
            };
            finder.check_places(file, |key| format!("{QUEUE_PART}.{key}"));
            for (part, value) in file.as_object().into_iter().flatten() {
                finder.check_value(&[part], value);
            }
        }
        let mut finder = FaultFinder {
            path: self.local_path(),
            above: &["values"],
            layers: self,
            faults: &mut faults,
        };
        for (name, value) in self.local_values() {
            let parts: Vec<&str> = name.split('.').collect();
            finder.check_value(&parts, value);
        }
        faults.extend(self.find_wrong_variables());
        if let Some(rig) = rig {
            faults.extend(self.find_gate_faults(rig));
            let is_stopped = faults.iter().any(|fault| fault.effect == FaultEffect::Stop);
            // Values of a wrong type are known by now.
            if let Some(error) = (!is_stopped)
                .then(|| {
                    let settings = RigSettings::parse(self, rig)?;
                    settings.gates(rig)?;
                    settings.sandbox.jail(rig)
                })
                .and_then(Result::err)
            {
                let effect = FaultEffect::Stop;
                faults.push(SettingFault { error, effect });
            }
        }
        faults
    }

    /// Returns the faults of environment variables that set a setting.
    fn find_wrong_variables(&self) -> Vec<SettingFault> {
        key::all_keys()
            .iter()
            .filter(|key| key.layered)
            .filter_map(|key| {
                let variable = super::setting_key::variable_name(key.name);
                let text = self.variable(&variable)?;
                if key.parse(text).is_some() {
                    return None;
                }
                Some(SettingFault {
                    error: SettingsError::BadValue {
                        place: SettingPlace::Environment(variable),
                        key: key.name.to_owned(),
                        text: shorten(text),
                        expected: key.describe_expected(),
                    },
                    effect: effect_of(key),
                })
            })
            .collect()
    }

    /// Returns the gates of a rig without a command or with a wrong path, and those in the file
    /// from which older programs read them.
    fn find_gate_faults(&self, rig: &RigLayout) -> Vec<SettingFault> {
        let mut faults = Vec::new();
        let old_path = rig.config();
        // Other errors in this file do not concern gates.
        let old_file = super::layers::read_settings_tree(&old_path).unwrap_or(Value::Null);
        let mut finder = FaultFinder {
            path: &old_path,
            above: &[],
            layers: self,
            faults: &mut faults,
        };
        let name_right_place =
            |key: &str| format!("{QUEUE_PART}.{key} in {}", rig.settings().display());
        finder.check_places(&old_file, name_right_place);
        let queue = old_file.get(QUEUE_PART).and_then(Value::as_object);
        if let Some(found) = queue.and_then(|queue| queue.keys().find(|key| has_gates(key))) {
            finder.add_misplaced(&format!("{QUEUE_PART}.{found}"), name_right_place(found));
        }
        let merged = self.merged();
        let gates = merged[QUEUE_PART]["gates"].as_object();
        for (name, gate) in gates.into_iter().flatten() {
            let command = gate["cmd"].as_str();
            if command.is_none_or(|command| command.trim().is_empty()) {
                let path = self
                    .files()
                    .find(|(_, file)| !file[QUEUE_PART]["gates"][name].is_null())
                    .map_or_else(|| rig.settings(), |(path, _)| path.to_owned());
                let key = format!("{QUEUE_PART}.gates.{name}");
                faults.push(SettingFault {
                    error: SettingsError::NoCommand {
                        place: place_in_file(&path, &[], &key),
                        key,
                    },
                    effect: FaultEffect::Stop,
                });
            }
        }
        faults
    }
}

/// Collects the faults of one file.
struct FaultFinder<'a> {
    path: &'a Path,
    /// The keys above the settings in the file.
    above: &'a [&'a str],
    layers: &'a SettingsLayers,
    faults: &'a mut Vec<SettingFault>,
}

impl FaultFinder<'_> {
    fn add(&mut self, error: SettingsError, effect: FaultEffect) {
        self.faults.push(SettingFault { error, effect });
    }

    fn place_of(&self, name: &str) -> SettingPlace {
        place_in_file(self.path, self.above, name)
    }

    fn check_value(&mut self, parts: &[&str], value: &Value) {
        // `null` counts as missing.
        if value.is_null() {
            return;
        }
        let name = &*parts.join(".");
        let has_settings_below = key::all_keys().iter().any(|key| key.is_below(parts));
        if let Some(map) = value.as_object()
            && (has_settings_below || elsewhere::has_keys_below(name))
        {
            for (part, value) in map {
                self.check_value(&[parts, &[part]].concat(), value);
            }
            return;
        }
        let key = key::find_key_of_parts(parts).or_else(|| key::find_key(key::current_name(name)));
        if let Some(key) = key {
            return self.check_setting(key, name, value);
        }
        if has_settings_below {
            let is_guard = key::all_keys()
                .iter()
                .any(|key| key.is_below(parts) && key.is_guard);
            let effect = if is_guard {
                FaultEffect::Stop
            } else {
                FaultEffect::Warning
            };
            return self.add_bad_value(name, value, "an object".to_owned(), effect);
        }
        match elsewhere::find_key(name) {
            Some(row) if row.is_read || row.is_met_by(value) => {}
            Some(row) if row.is_harmless() => {
                let place = self.place_of(name);
                let key = name.to_owned();
                self.add(SettingsError::NoEffect { place, key }, FaultEffect::Note);
            }
            Some(row) => {
                let effect = if row.is_guard {
                    FaultEffect::Stop
                } else {
                    FaultEffect::Warning
                };
                let error = SettingsError::Unsupported {
                    place: self.place_of(name),
                    key: name.to_owned(),
                    text: format_wrong_value(value),
                    instead: row.instead,
                };
                self.add(error, effect);
            }
            None => self.add_unknown(parts),
        }
    }

    /// Checks the type and the file of a setting.
    fn check_setting(&mut self, key: &SettingKey, name: &str, value: &Value) {
        if !key.is_valid(value) {
            let expected = key.describe_expected_in_file();
            return self.add_bad_value(name, value, expected, effect_of(key));
        }
        let to = match key.scope {
            SettingPlacement::Town => Some(self.layers.town_path()),
            SettingPlacement::RigOnly => self.layers.rig_path(),
            SettingPlacement::Rig => None,
        };
        if let Some(to) = to.filter(|to| *to != self.path) {
            let error = SettingsError::WrongFile {
                place: self.place_of(name),
                key: name.to_owned(),
                to: to.to_owned(),
            };
            self.add(error, effect_of(key));
        }
    }

    fn add_bad_value(&mut self, name: &str, value: &Value, expected: String, effect: FaultEffect) {
        let error = SettingsError::BadValue {
            place: self.place_of(name),
            key: name.to_owned(),
            text: format_wrong_value(value),
            expected,
        };
        self.add(error, effect);
    }

    /// Adds a key that nothing reads. It stops starts and merges if it may be a guard.
    fn add_unknown(&mut self, parts: &[&str]) {
        let key = parts.join(".");
        let place = self.place_of(&key);
        match find_nearest(parts) {
            Some(near) => {
                let effect = if near.may_be_guard {
                    FaultEffect::Stop
                } else {
                    FaultEffect::Warning
                };
                let near = near.name;
                self.add(SettingsError::UnknownKey { place, key, near }, effect);
            }
            None => self.add(SettingsError::NoEffect { place, key }, FaultEffect::Note),
        }
    }

    /// Reports gates in places that are not read.
    fn check_places(&mut self, file: &Value, name_right_place: impl Fn(&str) -> String) {
        for (above, tree) in [("", file), ("refinery.", &file["refinery"])] {
            let mut keys = tree.as_object().into_iter().flat_map(Map::keys);
            if let Some(found) = keys.find(|key| has_gates(key)) {
                self.add_misplaced(&format!("{above}{found}"), name_right_place(found));
            }
        }
    }

    fn add_misplaced(&mut self, name: &str, to: String) {
        let error = SettingsError::Misplaced {
            place: self.place_of(name),
            key: name.to_owned(),
            to,
        };
        self.add(error, FaultEffect::Stop);
    }
}

/// Returns true if nothing reads a value of a settings file, nor any part of it.
pub(super) fn is_unread(parts: &[&str], value: &Value) -> bool {
    let mut faults = Vec::new();
    let mut finder = FaultFinder {
        path: Path::new(""),
        above: &[],
        layers: &SettingsLayers::default(),
        faults: &mut faults,
    };
    finder.check_value(parts, value);
    let name = parts.join(".");
    let is_of_others = elsewhere::find_key(&name).is_some_and(|row| !row.is_read);
    faults.iter().any(|fault| {
        matches!(
            &fault.error,
            SettingsError::UnknownKey { key, .. }
                | SettingsError::NoEffect { key, .. }
                | SettingsError::Unsupported { key, .. }
                if *key == name
        )
    }) || (is_of_others && !value.is_object())
}

/// Returns the setting that a mistyped name may mean.
pub(super) fn find_similar_setting(name: &str) -> Option<String> {
    let parts: Vec<&str> = name.split('.').collect();
    // The end of a longer name: `test_command` of `merge_queue.test_command`.
    let end = format!(".{name}");
    if let Some(key) = key::all_keys().iter().find(|key| key.name.ends_with(&end)) {
        return Some(key.name.to_owned());
    }
    let near = find_nearest(&parts)?.name;
    let typing_errors = count_typing_errors(name, &near);
    // The name of a group of settings is none.
    (typing_errors <= MAX_TYPING_ERRORS && key::find_key(&near).is_some()).then_some(near)
}

/// A known key that an unknown one may be meant for.
struct NearestKey {
    name: String,
    /// True if the unknown key may be a limit, a gate or another safety rule.
    may_be_guard: bool,
}

/// Returns the most similar known key with the same parts above. None if the unknown key stands at
/// the top of the file and nothing is similar.
fn find_nearest(parts: &[&str]) -> Option<NearestKey> {
    let (part, above) = parts.split_last()?;
    let (key, nearest) = key::all_keys()
        .iter()
        .filter(|key| key.is_below(above))
        .filter_map(|key| Some((key, key.name.split('.').nth(above.len())?)))
        .filter(|(_, sibling)| *sibling != "*")
        // A guard goes before other keys that are as similar.
        .min_by_key(|(key, sibling)| (count_typing_errors(part, sibling), !key.is_guard))?;
    let typing_errors = count_typing_errors(part, nearest);
    let is_similar = part.len() > 3 && typing_errors <= MAX_TYPING_ERRORS;
    if above.is_empty() && !is_similar {
        return None;
    }
    let is_in_gate = above.starts_with(&[QUEUE_PART, "gates"]);
    let is_called_gate = ["gate", "command", "cmd"]
        .iter()
        .any(|word| part.contains(word));
    let is_near_gate = has_gates(nearest) && typing_errors <= 3;
    let is_in_queue = above == [QUEUE_PART];
    Some(NearestKey {
        name: [above, &[nearest]].concat().join("."),
        may_be_guard: is_in_gate
            || (is_in_queue && (is_near_gate || is_called_gate))
            || (is_similar && key.is_guard),
    })
}

fn count_typing_errors(part: &str, known: &str) -> usize {
    strsim::levenshtein(&part.to_ascii_lowercase(), known)
}

fn effect_of(key: &SettingKey) -> FaultEffect {
    if key.is_guard {
        FaultEffect::Stop
    } else {
        FaultEffect::Warning
    }
}

/// Returns true if a known key below `merge_queue` holds gates.
fn has_gates(key: &str) -> bool {
    key == "gates"
        || (key.ends_with("_command") && key::find_key(&format!("{QUEUE_PART}.{key}")).is_some())
}

/// Formats a value for a message. An object is not shown, because it may hold secrets.
fn format_wrong_value(value: &Value) -> String {
    match value {
        Value::Object(_) => "{...}".to_owned(),
        value => shorten(&value.to_string()),
    }
}

fn shorten(text: &str) -> String {
    let shown = cut::first_characters(text, MAX_SHOWN_VALUE);
    if shown.len() < text.len() {
        format!("{shown}...")
    } else {
        shown.to_owned()
    }
}

/// Returns the place of a setting in a file, with its line if the file can still be read.
fn place_in_file(path: &Path, above: &[&str], name: &str) -> SettingPlace {
    let bytes = foreign::read_small_file(path).ok().flatten();
    let line = bytes
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .and_then(|text| find_line(text.trim_start_matches('\u{feff}'), above, name));
    SettingPlace::File {
        path: path.to_owned(),
        line,
    }
}

/// Returns the line of a value in a JSON text, from 1 on. A name of the local layer is one key, and
/// the name of a gate may contain dots.
fn find_line(text: &str, above: &[&str], name: &str) -> Option<usize> {
    let mut tree = text;
    for part in above {
        tree = find_member(tree, part)?.1;
    }
    let mut rest = name;
    while !rest.is_empty() {
        let (found, inner) = find_member(tree, rest)?;
        tree = inner;
        rest = rest[found..].trim_start_matches('.');
    }
    let offset = tree.as_ptr() as usize - text.as_ptr() as usize;
    Some(text.get(..offset)?.matches('\n').count() + 1)
}

/// Returns the member of an object with the longest key that begins a dotted name: the length of
/// the key, and the text of the value.
fn find_member<'a>(object: &'a str, name: &str) -> Option<(usize, &'a str)> {
    let members: HashMap<Cow<'a, str>, &'a RawValue> = serde_json::from_str(object).ok()?;
    members
        .into_iter()
        .filter(|(key, _)| {
            name.strip_prefix(&**key)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        })
        .max_by_key(|(key, _)| key.len())
        .map(|(key, value)| (key.len(), value.get()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::key::SettingKind;
    use super::*;
    use crate::testing::TestTown;

    #[test]
    fn the_line_of_a_value_is_found_below_keys_with_dots() {
        let text = "{\n  \"merge_queue\": {\n    \"gates\": {\n      \"a.x\": {\n        \"cmd\": 5\n} } },\n  \"values\": {\"budget.day\": \"5\"}\n}";
        assert_eq!(find_line(text, &[], "merge_queue.gates.a.x.cmd"), Some(5));
        assert_eq!(find_line(text, &["values"], "budget.day"), Some(7));
        assert_eq!(find_line(text, &[], "budget.day"), None);
    }

    /// Returns the faults of a rig's settings file, each with its effect.
    fn faults_of_rig(settings: &Value) -> Vec<(FaultEffect, String)> {
        let place = TestTown::new();
        place.add_rig("web", None).unwrap();
        let rig = place.town.rig("web");
        let text = serde_json::to_string_pretty(settings).unwrap();
        std::fs::write(rig.settings(), text).unwrap();
        list_faults(&place.town, Some(&rig))
    }

    fn list_faults(town: &Town, rig: Option<&Rig>) -> Vec<(FaultEffect, String)> {
        let layers = SettingsLayers::load(town, rig).unwrap();
        layers
            .find_faults(rig.map(|rig| &**rig))
            .into_iter()
            .map(|fault| (fault.effect, fault.error.to_string()))
            .collect()
    }

    fn wrong_values(kind: &SettingKind) -> Vec<Value> {
        match kind {
            SettingKind::Text => vec![json!(5), json!(["a"]), json!({"a": "b"})],
            SettingKind::Flag => vec![json!("true"), json!(1), json!("no")],
            SettingKind::Number(range) => {
                let above = range.end().checked_add(1);
                let mut wrong = vec![json!("1"), json!(-1), json!(1.5), json!(true)];
                wrong.extend(above.map(Value::from));
                wrong
            }
            SettingKind::Port => vec![json!("80"), json!(70_000), json!(-1)],
            SettingKind::Address => vec![json!(5), json!("town.example.net")],
            SettingKind::Sum => vec![json!("1"), json!(1.5)],
            SettingKind::Amount => vec![json!("5"), json!(-1), json!(true)],
            SettingKind::List => vec![json!("a"), json!([1]), json!(true)],
            SettingKind::Duration(lowest) => {
                let mut wrong = vec![json!(5), json!("soon"), json!("-5s")];
                wrong.extend((!lowest.is_zero()).then(|| json!("1ns")));
                wrong
            }
            SettingKind::OneOf(_) => vec![json!(5), json!("other")],
        }
    }

    /// Writes a value below the parts of a name, and a gate with a command around it.
    fn file_with(name: &str, value: &Value) -> Value {
        let mut tree = if name.contains("gates.") {
            json!({"merge_queue": {"gates": {"x": {"cmd": "true"}}}})
        } else {
            json!({})
        };
        super::super::layers::put_value(&mut tree, name, value.clone());
        tree
    }

    #[test]
    fn every_setting_refuses_wrong_values_and_a_guard_stops_the_rig() {
        let place = TestTown::new();
        place.add_rig("web", None).unwrap();
        let rig = place.town.rig("web");
        for key in key::all_keys() {
            let name = key.name.replace('*', "x");
            let of_rig = (key.scope != SettingPlacement::Town).then_some(&rig);
            let path = of_rig.map_or_else(|| place.town.layout.settings(), |rig| rig.settings());
            for value in wrong_values(&key.kind) {
                let text = serde_json::to_string_pretty(&file_with(&name, &value)).unwrap();
                std::fs::write(&path, &text).unwrap();
                let faults = list_faults(&place.town, of_rig);
                let [(effect, error), ..] = &faults[..] else {
                    panic!("{name}: {value} is accepted");
                };
                assert_eq!(*effect, effect_of(key), "{name}: {value}: {error}");
                let line = text.lines().position(|line| {
                    let part = name.rsplit('.').next().unwrap();
                    line.trim_start().starts_with(&format!("\"{part}\""))
                });
                let begin = format!("{}:{}: {name}", path.display(), line.unwrap() + 1);
                assert!(error.starts_with(&begin), "{begin}: {error}");
                assert!(error.contains("; use "), "{error}");
                assert_eq!(check_guards(&rig).is_err(), key.is_guard, "{name}: {value}");
            }
            std::fs::remove_file(&path).ok();
        }
    }

    #[test]
    fn every_misspelt_setting_is_named_and_a_guard_stops_the_rig() {
        for key in key::all_keys() {
            let value = key.parse(key.default).unwrap_or_else(|| json!("x"));
            let (above, last) = key.name.rsplit_once('.').unwrap_or(("", key.name));
            if last == "*" || last.len() <= 3 && above.is_empty() {
                continue;
            }
            let above = above.replace('*', "x");
            let misspelt = format!("{above}.{last}x");
            let faults = faults_of_rig(&file_with(misspelt.trim_start_matches('.'), &value));
            let [(effect, error), ..] = &faults[..] else {
                panic!("{misspelt} is accepted");
            };
            assert_ne!(*effect, FaultEffect::Note, "{misspelt}: {error}");
            if key.is_guard {
                assert_eq!(*effect, FaultEffect::Stop, "{misspelt}: {error}");
            }
            assert!(error.contains("the nearest is"), "{misspelt}: {error}");
        }
    }

    #[test]
    fn keys_of_other_versions_that_lose_a_guard_stop_the_rig() {
        for (settings, words) in [
            (
                json!({"refinery": {"auto_merge": false}}),
                "set merge_queue.auto_merge",
            ),
            (
                json!({"require_review": true}),
                "set merge_queue.require_review",
            ),
            (
                json!({"merge_queue": {"auto_push": false}}),
                "set merge_queue.auto_merge to false",
            ),
            (json!({"merge_queue": 5}), "use an object"),
            (json!({"budget": "5"}), "use an object"),
            (json!({"scheduler": {"max_polecats": 3}}), "move it to"),
        ] {
            let faults = faults_of_rig(&settings);
            let [(effect, error)] = &faults[..] else {
                panic!("{settings}: {faults:?}");
            };
            assert_eq!(*effect, FaultEffect::Stop, "{error}");
            assert!(error.contains(words), "{error}");
        }
        let harmless = json!({"refinery": {"auto_merge": true}, "operational": {"mail": {"x": 1}}});
        for (effect, error) in faults_of_rig(&harmless) {
            assert_eq!(effect, FaultEffect::Note, "{error}");
        }
    }
}
