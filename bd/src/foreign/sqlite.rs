//! The SQLite database of another bd, read by the program `sqlite3`.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Map, Value, json};

use super::{ForeignBeads, ForeignError};
use crate::bead::record;
use crate::sys::exec::{Exec, ExecError};

/// Columns that hold truth values.
const SWITCHES: [&str; 4] = ["ephemeral", "pinned", "is_template", "crystallizes"];
/// Columns that hold JSON.
const TREES: [&str; 4] = ["metadata", "waiters", "bonded_from", "validations"];
/// Columns of no use outside of the database.
const DROPPED: [&str; 1] = ["content_hash"];
/// Settings that a store needs and only the database may have.
const SETTINGS: [&str; 4] = [
    "issue_prefix",
    "types.custom",
    "status.custom",
    "allowed_prefixes",
];

/// What a database holds.
#[derive(Debug, Default)]
pub struct Database {
    /// The beads, wisps too.
    pub found: ForeignBeads,
    /// The settings, by name.
    pub settings: BTreeMap<String, String>,
}

/// Whether a file begins as a database does.
pub fn is_database(bytes: &[u8]) -> bool {
    bytes.starts_with(b"SQLite format 3\0")
}

/// Reads a database; it is not changed.
pub fn read(file: &Path) -> Result<Database, ForeignError> {
    let mut database = Database::default();
    let mut parts: BTreeMap<String, Map<String, Value>> = BTreeMap::new();
    let mut attach = |table: &str, key: &str, cell: fn(Value) -> Value| {
        // Older databases have fewer tables.
        for row in rows(file, table).unwrap_or_default() {
            let id = row["issue_id"].as_str().unwrap_or_default().to_owned();
            let list = parts.entry(id).or_default().entry(key).or_insert(json!([]));
            if let Value::Array(list) = list {
                list.push(cell(row));
            }
        }
    };
    attach("labels", "labels", |row| row["label"].clone());
    attach("dependencies", "dependencies", cleaned);
    attach("comments", "comments", cleaned);
    for row in rows(file, "issues")? {
        let Value::Object(mut object) = cleaned(row) else {
            continue;
        };
        let id = object
            .get("id")
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned();
        object.extend(parts.remove(&id).unwrap_or_default());
        let edges = object
            .get("dependencies")
            .and_then(Value::as_array)
            .map_or(0, Vec::len);
        database.found.edges += edges;
        database.found.fields.extend(object.keys().cloned());
        let line = Value::Object(object).to_string();
        if let Ok(bead) = record::parse(line.as_bytes()) {
            database.found.ids.insert(id.clone(), id);
            database.found.beads.push(bead);
        }
    }
    for row in rows(file, "config").unwrap_or_default() {
        let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
        if SETTINGS.contains(&text("key").as_str()) && !text("value").is_empty() {
            database.settings.insert(text("key"), text("value"));
        }
    }
    Ok(database)
}

fn rows(file: &Path, table: &str) -> Result<Vec<Value>, ForeignError> {
    let failed = |reason: String| ForeignError::Sqlite {
        file: file.display().to_string(),
        reason,
    };
    let run = Exec::new("sqlite3")
        .args(["-readonly", "-json"])
        .arg(file)
        .arg(format!("SELECT * FROM {table}"))
        .cap(1 << 31)
        .run();
    let done = run.map_err(|error| match error {
        ExecError::Missing { .. } => ForeignError::NoSqlite,
        error => failed(error.to_string()),
    })?;
    if !done.ok() {
        return Err(failed(done.error_text().trim().to_owned()));
    }
    let text = done.text();
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    serde_json::from_str(&text).map_err(|error| failed(error.to_string()))
}

/// A row as a record has it: without what is empty, with truth values, JSON and times as such.
fn cleaned(row: Value) -> Value {
    let Value::Object(object) = row else {
        return row;
    };
    let mut clean = Map::new();
    for (key, value) in object {
        let is_empty = value.is_null() || value == "" || (value == 0 && key != "priority");
        if is_empty || DROPPED.contains(&key.as_str()) {
            continue;
        }
        let value = match value {
            _ if SWITCHES.contains(&key.as_str()) => json!(true),
            Value::String(text) if TREES.contains(&key.as_str()) => {
                match serde_json::from_str::<Value>(&text) {
                    Ok(tree) if tree == json!({}) || tree == json!([]) => continue,
                    Ok(tree) => tree,
                    Err(_) => json!(text),
                }
            }
            Value::String(text) if is_time(&key) => json!(time(&text)),
            value => value,
        };
        let key = if key == "timeout_ns" {
            "timeout".to_owned()
        } else {
            key
        };
        clean.insert(key, value);
    }
    Value::Object(clean)
}

fn is_time(key: &str) -> bool {
    key.ends_with("_at") || matches!(key, "defer_until" | "last_activity")
}

/// `2026-01-02 03:04:05.6+00:00` as RFC 3339.
fn time(text: &str) -> String {
    let text = text
        .split(" m=")
        .next()
        .unwrap_or(text)
        .trim_end_matches(" UTC");
    let mut text = text.replacen(' ', "T", 1).replace(" +0000", "Z");
    let has_zone =
        text.ends_with('Z') || text.get(10..).is_some_and(|rest| rest.contains(['+', '-']));
    if !has_zone {
        text.push('Z');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_databases_are_read() {
        for (text, wanted) in [
            ("2026-01-02 03:04:05", "2026-01-02T03:04:05Z"),
            ("2026-01-02 03:04:05.6+01:00", "2026-01-02T03:04:05.6+01:00"),
            ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z"),
            ("2026-01-02 03:04:05.6 +0000 UTC", "2026-01-02T03:04:05.6Z"),
        ] {
            assert_eq!(time(text), wanted);
        }
    }
}
