//! Reads the SQLite database of another bd with the program `sqlite3`.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Map, Value, json};

use super::issue::parse_instant;
use super::{ForeignBeads, ForeignError};
use crate::bead::record;
use kit::sys::exec::{ChildCommand, ExecError};

/// Columns that hold truth values.
const FLAG_COLUMNS: [&str; 4] = ["ephemeral", "pinned", "is_template", "crystallizes"];
/// Columns that hold JSON.
const JSON_COLUMNS: [&str; 4] = ["metadata", "waiters", "bonded_from", "validations"];
/// Columns that are meaningless outside the database.
const DROPPED_COLUMNS: [&str; 1] = ["content_hash"];
/// Settings that a store needs and that may be only in the database.
const STORE_SETTINGS: [&str; 5] = [
    "issue_prefix",
    "types.custom",
    "status.custom",
    "allowed_prefixes",
    "mail.delegate",
];
/// The prefixes of the names of values from `bd kv` and `bd remember`.
const VALUE_PREFIX: &str = "kv.";

/// The contents of a database.
#[derive(Debug, Default)]
pub struct ForeignDatabase {
    pub found: ForeignBeads,
    pub settings: BTreeMap<String, String>,
}

/// Reads a database without changing it.
pub fn read_database(file: &Path) -> Result<ForeignDatabase, ForeignError> {
    let mut database = ForeignDatabase::default();
    let tables: Vec<String> =
        run_query(file, "SELECT name FROM sqlite_master WHERE type = 'table'")?
            .iter()
            .map(|row| text_of(row, "name"))
            .collect();
    let read_rows = |table: &str| {
        // Older databases have fewer tables.
        if tables.iter().any(|existing| existing == table) {
            run_query(file, &format!("SELECT * FROM {table}"))
        } else {
            Ok(Vec::new())
        }
    };
    let mut parts: BTreeMap<String, Map<String, Value>> = BTreeMap::new();
    for table in ["labels", "dependencies", "comments"] {
        for row in read_rows(table)? {
            let id = text_of(&row, "issue_id");
            let cell = if table == "labels" {
                row["label"].clone()
            } else {
                normalize_row(row)
                    .map_err(|reason| sqlite_error(file, format!("{table} of {id}: {reason}")))?
            };
            let list = parts
                .entry(id)
                .or_default()
                .entry(table)
                .or_insert(json!([]));
            if let Value::Array(list) = list {
                list.push(cell);
            }
        }
    }
    if !tables.iter().any(|table| table == "issues") {
        let none = "it has no table `issues`".to_owned();
        return Err(sqlite_error(file, none));
    }
    for row in read_rows("issues")? {
        let id = text_of(&row, "id");
        let build_error = |reason: String| sqlite_error(file, format!("the bead {id}: {reason}"));
        let Value::Object(mut object) = normalize_row(row).map_err(build_error)? else {
            continue;
        };
        object.extend(parts.remove(&id).into_iter().flatten());
        let edges = object
            .get("dependencies")
            .and_then(Value::as_array)
            .map_or(0, Vec::len);
        database.found.edges += edges;
        database.found.fields.extend(object.keys().cloned());
        let line = Value::Object(object).to_string();
        let bead =
            record::parse_bead(line.as_bytes()).map_err(|error| build_error(error.to_string()))?;
        database.found.ids.insert(id.clone(), id);
        database.found.beads.push(Box::new(bead));
    }
    database.settings = select_settings(&read_rows("config")?);
    Ok(database)
}

/// Selects the settings to import.
fn select_settings(rows: &[Value]) -> BTreeMap<String, String> {
    let pairs = rows
        .iter()
        .map(|row| (text_of(row, "key"), text_of(row, "value")));
    pairs
        .filter(|(key, value)| {
            let is_needed = STORE_SETTINGS.contains(&key.as_str()) || key.starts_with(VALUE_PREFIX);
            is_needed && !value.is_empty()
        })
        .collect()
}

fn text_of(row: &Value, key: &str) -> String {
    row[key].as_str().unwrap_or("").to_owned()
}

fn sqlite_error(file: &Path, reason: String) -> ForeignError {
    ForeignError::Sqlite {
        file: file.display().to_string(),
        reason,
    }
}

fn run_query(file: &Path, sql: &str) -> Result<Vec<Value>, ForeignError> {
    let run = ChildCommand::new("sqlite3")
        .args(["-readonly", "-json"])
        .arg(file)
        .arg(sql)
        .cap(1 << 31)
        .run();
    let done = run.map_err(|error| match error {
        ExecError::Missing { .. } => ForeignError::NoSqlite,
        error => sqlite_error(file, error.to_string()),
    })?;
    if !done.is_success() {
        return Err(sqlite_error(file, done.error_text().trim().to_owned()));
    }
    let text = done.text();
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    serde_json::from_str(&text).map_err(|error| sqlite_error(file, error.to_string()))
}

/// Converts a row to a record: drops empty values, and converts truth values, JSON and times.
fn normalize_row(row: Value) -> Result<Value, String> {
    let Value::Object(object) = row else {
        return Ok(row);
    };
    let mut clean = Map::new();
    for (key, value) in object {
        let is_empty = value.is_null() || value == "" || (value == 0 && key != "priority");
        if is_empty || DROPPED_COLUMNS.contains(&key.as_str()) {
            continue;
        }
        let value = match value {
            _ if FLAG_COLUMNS.contains(&key.as_str()) => json!(true),
            Value::String(text) if JSON_COLUMNS.contains(&key.as_str()) => {
                match serde_json::from_str::<Value>(&text) {
                    Ok(tree) if tree == json!({}) || tree == json!([]) => continue,
                    Ok(tree) => tree,
                    Err(_) => json!(text),
                }
            }
            Value::String(text) if is_time(&key) => {
                let time =
                    normalize_time(&text).ok_or_else(|| format!("{key} \"{text}\" is no time"))?;
                json!(time)
            }
            value => value,
        };
        let key = if key == "timeout_ns" {
            "timeout".to_owned()
        } else {
            key
        };
        clean.insert(key, value);
    }
    Ok(Value::Object(clean))
}

fn is_time(key: &str) -> bool {
    key.ends_with("_at") || matches!(key, "defer_until" | "last_activity")
}

/// Converts a time to RFC 3339. A valid time keeps its zone.
fn normalize_time(text: &str) -> Option<String> {
    match text.parse::<jiff::Timestamp>() {
        Ok(_) => Some(text.replacen(' ', "T", 1)),
        Err(_) => Some(parse_instant(text)?.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_databases_are_parsed() {
        for (text, wanted) in [
            ("2026-01-02 03:04:05", "2026-01-02T03:04:05Z"),
            ("2026-01-02 03:04:05.6+01:00", "2026-01-02T03:04:05.6+01:00"),
            ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z"),
            ("2026-01-02 03:04:05.6 +0000 UTC", "2026-01-02T03:04:05.6Z"),
            (
                "2026-01-01 19:04:05 -0800 PST m=+0.1",
                "2026-01-02T03:04:05Z",
            ),
        ] {
            assert_eq!(normalize_time(text).as_deref(), Some(wanted));
        }
    }
}
