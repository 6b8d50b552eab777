//! Checks the keys below `merge_queue` strictly before each merge, because an ignored key may be a
//! gate that was meant to run. Also lists the keys without effect.
//!
//! Each key of existing towns is supported, refused with its replacement, or has no effect on the
//! merged result. An unknown key that looks like a gate stops the merge. Any other is only listed.
//! Settings elsewhere stay lenient.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::key::{self, KEYS};
use super::{LandingRoute, MergeStrategy, RigSettings, SettingsError, SettingsLayers};
use crate::town::{Rig, RigLayout};

const QUEUE: &str = "merge_queue";

/// Keys of existing towns that do not affect the merged result, or that this program does not need.
const NO_EFFECT: &[&str] = &[
    "gates_parallel",
    "integration_branch_auto_land",
    "integration_branch_polecat_enabled",
    "integration_branch_refinery_enabled",
    "integration_branches",
    "judgment_enabled",
    "max_concurrent",
    "max_retry_count",
    "push_retry_count",
    "push_retry_delay_ms",
    "retry_flaky_tests",
    "review_depth",
    "stale_claim_timeout",
];

/// Keys of existing towns, with their supported values and the replacement for any other value.
const FIXED: &[(&str, &[&str], &str)] = &[
    (
        "auto_push",
        &["true"],
        "set merge_queue.auto_merge to false, and each request waits for you",
    ),
    (
        "on_conflict",
        &["assign_back", "auto_rebase"],
        "it rebases, and makes a task of a conflict; use assign_back or auto_rebase",
    ),
    (
        "require_clean_merge",
        &["true"],
        "it merges nothing that conflicts; set it to true or take it out",
    ),
];

/// Parts of other versions that ask for something that this one does not do, with the replacement.
const REFUSED_PARTS: &[(&str, &str)] = &[(
    "git_auth",
    "git asks its own credential helpers; set credential.helper in your git configuration",
)];

/// Parts of the settings files of existing towns that are not in the table of settings.
const OTHER_PARTS: &[&str] = &[
    "agent_email_domain",
    "agents",
    "cli_theme",
    "convoy",
    "cost_tier",
    "crew",
    "crew_agents",
    "disabled_patrols",
    "env_vars",
    "feed_curator",
    "max_polecats_per_rig",
    "operational",
    "refinery",
    "role_effort",
    "runtime",
    "scheduler",
    "theme",
    "type",
    "version",
    "web_timeouts",
    "worker_agents",
    "worker_status",
];

/// The keys of a gate. `phase` is from existing towns.
const OF_A_GATE: &[&str] = &["cache", "cmd", "parallel", "phase", "retry", "timeout"];

/// A key below `merge_queue` without effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnusedKey {
    pub path: PathBuf,
    pub key: String,
    /// The most similar known key, if this one is unknown.
    pub near: Option<String>,
    /// The replacement for a key of other versions that has no effect here.
    pub instead: Option<&'static str>,
}

impl UnusedKey {
    /// Returns true if whoever wrote the key expects an effect.
    pub fn is_wrong(&self) -> bool {
        self.near.is_some() || self.instead.is_some()
    }
}

impl fmt::Display for UnusedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, key) = (self.path.display(), &self.key);
        if let Some(instead) = self.instead {
            return write!(f, "{path}: {key} has no effect here: {instead}");
        }
        match &self.near {
            None => write!(f, "{path}: {key} has no effect here"),
            Some(near) => write!(
                f,
                "{path}: there is no setting {key}: the nearest is {near}"
            ),
        }
    }
}

/// Refuses the first entry in a rig's files that must stop its merges: a gate that would be
/// ignored, or a request that the queue does not support. Returns the keys without effect.
pub fn check_merge_queue(rig: &Rig) -> Result<Vec<UnusedKey>, SettingsError> {
    check_layers(rig, &SettingsLayers::load(rig.town(), Some(rig))?)
}

/// Does the same for layers that were read.
pub(super) fn check_layers(
    rig: &RigLayout,
    layers: &SettingsLayers,
) -> Result<Vec<UnusedKey>, SettingsError> {
    let mut unused = Vec::new();
    for (path, file) in layers.files() {
        check_places(path, file)?;
        unused.extend(find_misspelt_parts(path, file));
        check_file(path, file, &mut unused)?;
    }
    check_old_file(rig)?;
    for name in layers.local_names() {
        if let Some(below) = name.strip_prefix("merge_queue.")
            && key::find_key(name).is_none()
        {
            check_key(layers.local_path(), below, &mut unused)?;
        }
    }
    let merged = layers.merged();
    check_name(layers, rig, "strategy", MergeStrategy::NAMES)?;
    check_name(layers, rig, "merge_strategy", LandingRoute::NAMES)?;
    for (name, gate) in find_gates(&merged).into_iter().flatten() {
        let command = gate.get("cmd").and_then(Value::as_str).unwrap_or_default();
        if command.trim().is_empty() {
            let has = |file: &Value| find_gates(file).is_some_and(|gates| gates.contains_key(name));
            let place = layers.files().find(|(_, file)| has(file));
            return Err(SettingsError::NoCommand {
                path: place.map_or_else(|| rig.settings(), |(path, _)| path.to_owned()),
                key: format!("{QUEUE}.gates.{name}"),
            });
        }
    }
    RigSettings::from_layers(layers, rig)?.gates(rig)?;
    Ok(unused)
}

impl SettingsLayers {
    /// Returns the misspelt keys of the files that stop no merge.
    pub fn find_misspelt_keys(&self) -> Vec<UnusedKey> {
        let mut unused = Vec::new();
        for (path, file) in self.files() {
            unused.extend(find_misspelt_parts(path, file));
            // An error stops the merges of a rig and is reported there.
            check_file(path, file, &mut unused).ok();
        }
        unused.retain(UnusedKey::is_wrong);
        unused
    }
}

/// Returns the misspelt parts of a settings file that stop no merge, such as `patrols`.
fn find_misspelt_parts(path: &Path, file: &Value) -> Vec<UnusedKey> {
    let known: BTreeSet<&str> = KEYS
        .iter()
        .filter_map(|key| key.name.split('.').next())
        .chain(OTHER_PARTS.iter().copied())
        .collect();
    let known: Vec<&str> = known.into_iter().collect();
    let parts = file.as_object().into_iter().flat_map(Map::keys);
    parts
        .filter(|part| !is_misspelt_queue(part))
        .filter_map(|part| {
            let found = |near: Option<&str>, instead| UnusedKey {
                path: path.to_owned(),
                key: part.clone(),
                near: near.map(str::to_owned),
                instead,
            };
            if let Some((_, instead)) = REFUSED_PARTS.iter().find(|(name, _)| name == part) {
                return Some(found(None, Some(*instead)));
            }
            if known.contains(&part.as_str()) || part.len() <= 3 {
                return None;
            }
            let near = find_nearest(part, &known);
            let distance = strsim::levenshtein(&part.to_ascii_lowercase(), near);
            (distance <= 2).then(|| found(Some(near), None))
        })
        .collect()
}

/// Returns true if the name of a part looks like `merge_queue`.
fn is_misspelt_queue(part: &str) -> bool {
    part != QUEUE && strsim::levenshtein(&part.to_ascii_lowercase(), QUEUE) <= 2
}

/// Refuses a value of a setting that has only these values.
fn check_name(
    layers: &SettingsLayers,
    rig: &RigLayout,
    name: &str,
    names: &[&str],
) -> Result<(), SettingsError> {
    let get = |tree: &Value| {
        let value = tree.get(QUEUE)?.get(name)?.as_str();
        value.map(str::to_owned)
    };
    let Some(text) = get(&layers.merged()).filter(|text| !names.contains(&text.as_str())) else {
        return Ok(());
    };
    let place = layers.files().find(|(_, file)| get(file).is_some());
    Err(SettingsError::BadValue {
        path: place.map_or_else(|| rig.settings(), |(path, _)| path.to_owned()),
        key: format!("{QUEUE}.{name}"),
        text,
        expected: format!("one of {}", names.join(", ")),
    })
}

/// Refuses gates in places that are not read.
fn check_places(path: &Path, file: &Value) -> Result<(), SettingsError> {
    let parts = file.as_object().into_iter().flat_map(Map::keys);
    if let Some(part) = parts.into_iter().find(|part| is_misspelt_queue(part)) {
        return Err(SettingsError::UnknownKey {
            path: path.to_owned(),
            key: part.clone(),
            near: QUEUE.to_owned(),
        });
    }
    for (above, tree) in [("", Some(file)), ("refinery.", file.get("refinery"))] {
        let Some(tree) = tree.and_then(Value::as_object) else {
            continue;
        };
        if let Some(key) = tree.keys().find(|key| has_gates(key)) {
            return Err(SettingsError::Misplaced {
                path: path.to_owned(),
                key: format!("{above}{key}"),
                to: format!("{QUEUE}.{key}"),
            });
        }
    }
    Ok(())
}

/// Refuses gates in the rig's `config.json`, from which older programs read them.
fn check_old_file(rig: &RigLayout) -> Result<(), SettingsError> {
    let path = rig.config();
    // Other errors in this file do not concern gates.
    let file = super::layers::read_settings_tree(&path).unwrap_or_default();
    check_places(&path, &file)?;
    let queue = file.get(QUEUE).and_then(Value::as_object);
    let Some(key) = queue.and_then(|queue| queue.keys().find(|key| has_gates(key))) else {
        return Ok(());
    };
    Err(SettingsError::Misplaced {
        path,
        key: format!("{QUEUE}.{key}"),
        to: format!("{QUEUE}.{key} in {}", rig.settings().display()),
    })
}

/// Returns true if a known key below `merge_queue` holds gates.
fn has_gates(key: &str) -> bool {
    key == "gates" || (key.ends_with("_command") && queue_keys().contains(&key))
}

fn check_file(path: &Path, file: &Value, unused: &mut Vec<UnusedKey>) -> Result<(), SettingsError> {
    let Some(queue) = file.get(QUEUE).and_then(Value::as_object) else {
        return Ok(());
    };
    for (key, value) in queue {
        check_key(path, key, unused)?;
        check_value(path, key, value)?;
    }
    for (name, gate) in find_gates(file).into_iter().flatten() {
        if let Some(gate) = gate.as_object() {
            check_gate(path, &format!("{QUEUE}.gates.{name}"), gate)?;
        }
    }
    Ok(())
}

/// Records a key without effect. An unknown key that may be a gate is an error.
fn check_key(path: &Path, found: &str, unused: &mut Vec<UnusedKey>) -> Result<(), SettingsError> {
    let known = queue_keys();
    if known.contains(&found) {
        return Ok(());
    }
    let (path, key) = (path.to_owned(), format!("{QUEUE}.{found}"));
    if NO_EFFECT.contains(&found) {
        unused.push(UnusedKey {
            path,
            key,
            near: None,
            instead: None,
        });
        return Ok(());
    }
    let near = find_nearest(found, &known);
    let is_near = has_gates(near) && strsim::levenshtein(found, near) <= 3;
    let says_so = ["gate", "command", "cmd"]
        .iter()
        .any(|word| found.contains(word));
    let near = format!("{QUEUE}.{near}");
    if is_near || says_so {
        return Err(SettingsError::UnknownKey { path, key, near });
    }
    unused.push(UnusedKey {
        path,
        key,
        near: Some(near),
        instead: None,
    });
    Ok(())
}

fn check_value(path: &Path, key: &str, value: &Value) -> Result<(), SettingsError> {
    let text = match value {
        Value::Null => return Ok(()),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    match FIXED.iter().find(|(name, ..)| *name == key) {
        Some((_, fine, instead)) if !fine.contains(&text.as_str()) => {
            Err(SettingsError::Unsupported {
                path: path.to_owned(),
                key: format!("{QUEUE}.{key}"),
                text,
                instead,
            })
        }
        _ => Ok(()),
    }
}

fn check_gate(path: &Path, above: &str, gate: &Map<String, Value>) -> Result<(), SettingsError> {
    let odd = |key: &&String| !OF_A_GATE.contains(&key.as_str());
    let Some(odd) = gate.keys().find(odd) else {
        return Ok(());
    };
    Err(SettingsError::UnknownKey {
        path: path.to_owned(),
        key: format!("{above}.{odd}"),
        near: format!("{above}.{}", find_nearest(odd, OF_A_GATE)),
    })
}

fn find_nearest<'a>(odd: &str, known: &[&'a str]) -> &'a str {
    let near = known.iter().min_by_key(|key| strsim::levenshtein(odd, key));
    near.copied().unwrap_or_default()
}

fn find_gates(tree: &Value) -> Option<&Map<String, Value>> {
    tree.get(QUEUE)?.get("gates")?.as_object()
}

/// Returns all keys directly below `merge_queue` that have an effect.
fn queue_keys() -> Vec<&'static str> {
    let table = KEYS
        .iter()
        .filter_map(|key| key.name.strip_prefix("merge_queue."))
        .filter(|name| !name.contains('.'));
    let fixed = FIXED.iter().map(|(name, ..)| *name);
    table
        .chain(fixed)
        .chain(["batch", "enabled", "gates"])
        .collect()
}
