//! Reads the branch of beads-rs: `state.jsonl`, `notes.jsonl`, `deps.jsonl` and `tombstones.jsonl`.
//!
//! A time is `[milliseconds, counter]`. Labels and edges are sets with the writes that added them;
//! only their members matter here.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::UnreadLine;
use crate::bead::{Bead, record};
use crate::git::{Git, GitError};

/// The branch of beads-rs, here and as other clones see it.
const STORE_BRANCHES: [&str; 2] = ["refs/heads/beads/store", "refs/remotes/origin/beads/store"];

/// The fields with another name here.
pub(super) const RENAMED: [(&str, &str); 7] = [
    ("type", "issue_type"),
    ("_at", "updated_at"),
    ("_by", "updated_by"),
    ("closed_reason", "close_reason"),
    ("notes", "comments"),
    ("deps", "dependencies"),
    ("tombstones", "deleted_at"),
];

/// The fields that have no meaning here.
pub(super) const LEFT_OUT: [(&str, &str); 2] = [
    ("_v", "write stamps of single fields"),
    ("labels.cc", "write stamps of labels"),
];

/// The contents of the branch.
#[derive(Debug, Default)]
pub(super) struct BranchBeads {
    pub beads: Vec<Box<Bead>>,
    pub unread: Vec<UnreadLine>,
}

/// Returns the branch if the repository has one.
pub(super) fn find_branch(git: &Git) -> Result<Option<String>, GitError> {
    for branch in STORE_BRANCHES {
        if git.resolve(branch)?.is_some() && git.file_at(branch, "state.jsonl")?.is_some() {
            return Ok(Some(branch.to_owned()));
        }
    }
    Ok(None)
}

/// Reads the beads of the branch.
pub(super) fn read_branch(git: &Git, branch: &str) -> Result<BranchBeads, GitError> {
    let mut read = BranchBeads::default();
    let comments = read_comments(&read.lines(git, branch, "notes.jsonl")?);
    let edges = read_edges(&read.lines(git, branch, "deps.jsonl")?);
    let mut live = BTreeSet::new();
    for (number, line) in read.lines(git, branch, "state.jsonl")? {
        let id = line["id"].as_str().unwrap_or("").to_owned();
        let object = convert_bead(line, comments.get(&id), edges.get(&id));
        read.add("state.jsonl", number, &object);
        live.insert(id);
    }
    for (number, line) in read.lines(git, branch, "tombstones.jsonl")? {
        // Of two beads with one id, beads-rs buries one.
        if line["id"].as_str().is_some_and(|id| !live.contains(id)) {
            read.add("tombstones.jsonl", number, &convert_tombstone(&line));
        }
    }
    Ok(read)
}

impl BranchBeads {
    /// Reads the lines of a file with their numbers, and records those that are no objects.
    fn lines(
        &mut self,
        git: &Git,
        branch: &str,
        file: &str,
    ) -> Result<Vec<(usize, Value)>, GitError> {
        let Some(text) = git.file_at(branch, file)? else {
            return Ok(Vec::new());
        };
        let mut lines = Vec::new();
        for (index, line) in text.split(|byte| *byte == b'\n').enumerate() {
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            match serde_json::from_slice::<Value>(line) {
                Ok(value) if value.is_object() => lines.push((index + 1, value)),
                Ok(_) => self.skip(file, index + 1, "not an object".to_owned()),
                Err(error) => self.skip(file, index + 1, error.to_string()),
            }
        }
        Ok(lines)
    }

    fn skip(&mut self, file: &str, line: usize, reason: String) {
        let file = file.to_owned();
        self.unread.push(UnreadLine { file, line, reason });
    }

    fn add(&mut self, file: &str, line: usize, object: &Value) {
        match record::parse_bead(object.to_string().as_bytes()) {
            Ok(bead) => self.beads.push(Box::new(bead)),
            Err(error) => self.skip(file, line, error.to_string()),
        }
    }
}

/// Converts a bead. Unknown fields keep their names and values.
fn convert_bead(line: Value, comments: Option<&Vec<Value>>, edges: Option<&Vec<Value>>) -> Value {
    let Value::Object(fields) = line else {
        return line;
    };
    let mut bead = Map::new();
    let mut all_comments: Vec<Value> = Vec::new();
    for (key, value) in fields {
        match key.as_str() {
            "_v" => {}
            "_at" => put_time(&mut bead, "updated_at", &value),
            "_by" => {
                bead.insert("updated_by".to_owned(), value);
            }
            "created_at" | "closed_at" => put_time(&mut bead, &key, &value),
            "type" => {
                bead.insert("issue_type".to_owned(), value);
            }
            "closed_reason" => {
                bead.insert("close_reason".to_owned(), value);
            }
            "labels" => {
                let labels: Vec<Value> = match (&value["entries"], value.as_array()) {
                    (Value::Object(entries), _) => {
                        entries.keys().map(|label| json!(label)).collect()
                    }
                    (_, Some(labels)) => labels.clone(),
                    (_, None) => Vec::new(),
                };
                bead.insert(key, Value::Array(labels));
            }
            "notes" => {
                let notes = value.as_array().into_iter().flatten();
                all_comments.extend(notes.map(convert_note));
            }
            _ => {
                bead.insert(key, value);
            }
        }
    }
    let id = bead.get("id").cloned().unwrap_or(Value::Null);
    for comment in comments.into_iter().flatten() {
        if !all_comments.contains(comment) {
            all_comments.push(comment.clone());
        }
    }
    for (index, comment) in all_comments.iter_mut().enumerate() {
        comment["id"] = json!(index + 1);
        comment["issue_id"] = id.clone();
    }
    if !all_comments.is_empty() {
        bead.insert("comments".to_owned(), Value::Array(all_comments));
    }
    if let Some(edges) = edges {
        bead.insert("dependencies".to_owned(), json!(edges));
    }
    Value::Object(bead)
}

fn convert_note(note: &Value) -> Value {
    let time = format_time(&note["at"]);
    json!({"author": note["author"], "text": note["content"], "created_at": time})
}

fn convert_tombstone(line: &Value) -> Value {
    let deleted = format_time(&line["deleted_at"]);
    let created = format_time(&line["lineage_created_at"]).or_else(|| deleted.clone());
    json!({
        "id": line["id"],
        "title": "(deleted)",
        "status": "tombstone",
        "created_at": created,
        "updated_at": deleted,
        "deleted_at": deleted,
        "deleted_by": line["deleted_by"],
        "delete_reason": line["reason"].as_str().unwrap_or(""),
    })
}

/// Reads the notes of each bead.
fn read_comments(lines: &[(usize, Value)]) -> BTreeMap<String, Vec<Value>> {
    let mut comments: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for (_, line) in lines {
        if let Some(id) = line["bead_id"].as_str() {
            let notes = comments.entry(id.to_owned()).or_default();
            notes.push(convert_note(&line["note"]));
        }
    }
    comments
}

/// Reads the edges of each bead. The file is one object with all edges, or one edge per line.
fn read_edges(lines: &[(usize, Value)]) -> BTreeMap<String, Vec<Value>> {
    let mut edges: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    let keys = lines.iter().flat_map(|(_, line)| match &line["entries"] {
        Value::Array(entries) => entries.iter().map(|entry| &entry["key"]).collect(),
        _ => vec![line],
    });
    for key in keys {
        let ends = ["from", "to"].map(|name| {
            let end = &key[name];
            end.as_str().or_else(|| end["id"].as_str())
        });
        let [Some(from), Some(to)] = ends else {
            continue;
        };
        let kind = match key["kind"].as_str().unwrap_or("blocks") {
            "parent" => "parent-child".to_owned(),
            kind => kind.replace('_', "-"),
        };
        let edge = json!({"issue_id": from, "depends_on_id": to, "type": kind});
        edges.entry(from.to_owned()).or_default().push(edge);
    }
    edges
}

fn put_time(bead: &mut Map<String, Value>, key: &str, stamp: &Value) {
    if let Some(time) = format_time(stamp) {
        bead.insert(key.to_owned(), json!(time));
    }
}

/// Formats a write stamp, `[milliseconds, counter]`.
fn format_time(stamp: &Value) -> Option<String> {
    let milliseconds = stamp.get(0)?.as_i64()?;
    let time = Timestamp::from_millisecond(milliseconds).ok()?;
    Some(time.to_string())
}
