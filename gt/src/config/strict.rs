//! What stands below `merge_queue` is read strictly: a key that nobody knows there may be a gate that was
//! meant to run. What it owns: the list of known keys, and the check before each merge. A key of the era
//! that is left aside on purpose is known; settings elsewhere stay lenient.

use std::path::Path;

use serde_json::{Map, Value};

use super::key::{self, KEYS};
use super::{Layers, SettingsError, Strategy};
use crate::town::{RigLayout, Town};

const QUEUE: &str = "merge_queue";

/// Keys below `merge_queue` that the table of settings does not have: `enabled` and `gates`, and what
/// settings of the era may say that means nothing here.
const OTHERS: &[&str] = &[
    "batch",
    "build_command",
    "enabled",
    "gates",
    "gates_parallel",
    "integration_branch_auto_land",
    "integration_branch_polecat_enabled",
    "integration_branch_refinery_enabled",
    "integration_branches",
    "judgment_enabled",
    "lint_command",
    "max_concurrent",
    "merge_strategy",
    "on_conflict",
    "poll_interval",
    "require_review",
    "retry_flaky_tests",
    "review_depth",
    "setup_command",
    "stale_claim_timeout",
    "typecheck_command",
    "vcs_provider",
];

/// What a gate may have; `phase` is of the era.
const OF_A_GATE: &[&str] = &["cache", "cmd", "phase", "timeout"];

/// Finds the first thing below `merge_queue`, in any file that counts for a rig, that would be passed over:
/// an unknown key, or a gate without a command.
pub fn check_merge_queue(town: &Town, rig: &RigLayout) -> Result<(), SettingsError> {
    let layers = Layers::load(town, Some(rig))?;
    for (path, file) in layers.files() {
        check_file(path, file)?;
    }
    for name in layers.local_names() {
        if let Some(below) = name.strip_prefix("merge_queue.")
            && key::find(name).is_none()
            && !OTHERS.contains(&below)
        {
            let known = queue_keys();
            return Err(unknown(layers.local_path(), QUEUE, below, &known));
        }
    }
    let merged = layers.merged();
    check_strategy(&layers, rig, &merged)?;
    let Some(gates) = gates_of(&merged) else {
        return Ok(());
    };
    for (name, gate) in gates {
        let command = gate.get("cmd").and_then(Value::as_str).unwrap_or_default();
        if command.trim().is_empty() {
            let has = |file: &Value| gates_of(file).is_some_and(|gates| gates.contains_key(name));
            let place = layers.files().find(|(_, file)| has(file));
            return Err(SettingsError::NoCommand {
                path: place.map_or_else(|| rig.settings(), |(path, _)| path.to_owned()),
                key: format!("{QUEUE}.gates.{name}"),
            });
        }
    }
    Ok(())
}

fn check_strategy(layers: &Layers, rig: &RigLayout, merged: &Value) -> Result<(), SettingsError> {
    let get = |tree: &Value| {
        tree.get(QUEUE)?
            .get("strategy")?
            .as_str()
            .map(str::to_owned)
    };
    let Some(text) = get(merged).filter(|text| Strategy::parse(text).is_none()) else {
        return Ok(());
    };
    let place = layers.files().find(|(_, file)| get(file).is_some());
    Err(SettingsError::BadValue {
        path: place.map_or_else(|| rig.settings(), |(path, _)| path.to_owned()),
        key: format!("{QUEUE}.strategy"),
        text,
        expected: format!("one of {}", Strategy::NAMES.join(", ")),
    })
}

fn check_file(path: &Path, file: &Value) -> Result<(), SettingsError> {
    let Some(queue) = file.get(QUEUE).and_then(Value::as_object) else {
        return Ok(());
    };
    check_keys(path, QUEUE, queue, &queue_keys())?;
    for (name, gate) in gates_of(file).into_iter().flatten() {
        if let Some(gate) = gate.as_object() {
            check_keys(path, &format!("{QUEUE}.gates.{name}"), gate, OF_A_GATE)?;
        }
    }
    Ok(())
}

fn gates_of(tree: &Value) -> Option<&Map<String, Value>> {
    tree.get(QUEUE)?.get("gates")?.as_object()
}

/// All keys that may stand right below `merge_queue`.
fn queue_keys() -> Vec<&'static str> {
    let table = KEYS
        .iter()
        .filter_map(|key| key.name.strip_prefix("merge_queue."))
        .filter(|name| !name.contains('.'));
    table.chain(OTHERS.iter().copied()).collect()
}

fn check_keys(
    path: &Path,
    above: &str,
    found: &Map<String, Value>,
    known: &[&str],
) -> Result<(), SettingsError> {
    let odd = found.keys().find(|key| !known.contains(&key.as_str()));
    odd.map_or(Ok(()), |odd| Err(unknown(path, above, odd, known)))
}

fn unknown(path: &Path, above: &str, odd: &str, known: &[&str]) -> SettingsError {
    let near = known.iter().min_by_key(|key| strsim::levenshtein(odd, key));
    SettingsError::UnknownKey {
        path: path.to_owned(),
        key: format!("{above}.{odd}"),
        near: format!("{above}.{}", near.copied().unwrap_or_default()),
    }
}
