//! The audit log of agents: `interactions.jsonl`, one record per line, append-only.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::bead::lines;
use kit::sys::file;

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "the fields are named as the flags are")]
pub struct AuditEntry {
    pub id: String,
    pub kind: String,
    pub created_at: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub actor: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub issue_id: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub model: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub prompt: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub response: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub error: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub tool_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i64>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub parent_id: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub label: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extra: Option<Value>,
}

fn audit_path(dir: &Path) -> PathBuf {
    dir.join("interactions.jsonl")
}

pub fn append_audit(dir: &Path, entry: &AuditEntry) -> io::Result<()> {
    let mut line = serde_json::to_vec(entry)?;
    line.push(b'\n');
    file::append_to_file(&audit_path(dir), &line, file::SHARED)
}

/// Returns true if the log has a record with this id.
pub fn has_audit(dir: &Path, id: &str) -> io::Result<bool> {
    let Some(text) = file::read_regular_file(&audit_path(dir))? else {
        return Ok(false);
    };
    let entries: Vec<AuditEntry> = lines::parse_values(&text);
    Ok(entries.iter().any(|entry| entry.id == id))
}
