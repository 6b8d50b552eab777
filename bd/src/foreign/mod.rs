//! Beads from what other programs keep: an SQLite database of another bd, and exports of GitHub, Jira and Linear.

mod csv;
mod issue;
mod json;
pub mod sqlite;
mod table;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::bead::{Bead, record};
use issue::TrackerIssue;

/// Where an export comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Tracker {
    /// Issues as `gh issue list --json` or the REST interface gives them.
    Github,
    /// A search result of the REST interface, or a CSV export.
    Jira,
    /// A query result, or a CSV export.
    Linear,
}

impl Tracker {
    /// What its references begin with.
    fn mark(self) -> &'static str {
        match self {
            Self::Github => "gh",
            Self::Jira => "jira",
            Self::Linear => "linear",
        }
    }
}

/// Why an export cannot be taken over.
#[derive(Debug, thiserror::Error)]
pub enum ForeignError {
    /// It is not what was expected.
    #[error("{0}")]
    Unknown(String),
    /// The program that reads databases is not there.
    #[error("an SQLite database is read by the program `sqlite3`, which is not installed here")]
    NoSqlite,
    /// The program that reads databases failed.
    #[error("sqlite3 cannot read {file}: {reason}")]
    Sqlite {
        /// The database.
        file: String,
        /// What the program said.
        reason: String,
    },
}

/// The beads of an export.
#[derive(Debug, Default)]
pub struct ForeignBeads {
    /// The beads.
    pub beads: Vec<Bead>,
    /// The ids there and here.
    pub ids: BTreeMap<String, String>,
    /// How many edges there are between the beads.
    pub edges: usize,
    /// References to issues that the export does not have, from and to.
    pub left_out: Vec<(String, String)>,
    /// The fields that any bead got.
    pub fields: BTreeSet<String>,
}

/// The tracker that a text comes from; `None` if it is none of those that are known.
pub fn detect(text: &str) -> Option<Tracker> {
    match text.trim_start().chars().next()? {
        '[' | '{' => json::detect(&serde_json::from_str(text).ok()?),
        _ => csv::detect(text),
    }
}

/// Reads an export. New ids begin with `prefix`.
pub fn read(text: &str, tracker: Tracker, prefix: &str) -> Result<ForeignBeads, ForeignError> {
    let issues = if matches!(text.trim_start().chars().next(), Some('[' | '{')) {
        let value: Value = serde_json::from_str(text)
            .map_err(|error| ForeignError::Unknown(format!("no JSON: {error}")))?;
        json::issues(&value, tracker)
    } else {
        csv::issues(text, tracker)
    };
    if issues.is_empty() {
        return Err(ForeignError::Unknown(format!(
            "no issues of {} found in it",
            tracker.mark()
        )));
    }
    Ok(beads(&issues, tracker, prefix))
}

fn beads(issues: &[TrackerIssue], tracker: Tracker, prefix: &str) -> ForeignBeads {
    let mut found = ForeignBeads::default();
    for issue in issues {
        let id = format!("{prefix}-{}", slug(tracker, &issue.key));
        found.ids.insert(issue.key.clone(), id);
    }
    for issue in issues {
        let Some(id) = found.ids.get(&issue.key).cloned() else {
            continue;
        };
        let mut value = issue.value(&id);
        value["external_ref"] = json!(reference(tracker, &issue.key));
        let mut edges = Vec::new();
        let parent = issue.parent.iter().map(|key| (key, "parent-child"));
        let blockers = issue.blocked_by.iter().map(|key| (key, "blocks"));
        for (key, kind) in parent.chain(blockers) {
            match found.ids.get(key) {
                Some(to) if *to != id => edges.push(json!({"issue_id": id, "depends_on_id": to, "type": kind, "created_at": value["created_at"]})),
                Some(_) => {}
                None => found.left_out.push((issue.key.clone(), key.clone())),
            }
        }
        found.edges += edges.len();
        if !edges.is_empty() {
            value["dependencies"] = json!(edges);
        }
        if let Value::Object(object) = &value {
            found.fields.extend(object.keys().cloned());
        }
        found
            .beads
            .extend(record::parse(value.to_string().as_bytes()).ok());
    }
    found
}

/// The part of an id that stands for an issue: `gh12`, `proj7`.
fn slug(tracker: Tracker, key: &str) -> String {
    let plain: String = key.chars().filter(char::is_ascii_alphanumeric).collect();
    if tracker == Tracker::Github {
        format!("gh{plain}")
    } else {
        plain.to_lowercase()
    }
}

fn reference(tracker: Tracker, key: &str) -> String {
    format!("{}-{key}", tracker.mark())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exports_are_told_apart() {
        for (text, tracker) in [
            (r#"[{"number":1,"title":"T"}]"#, Some(Tracker::Github)),
            (
                r#"{"issues":[{"key":"A-1","fields":{}}]}"#,
                Some(Tracker::Jira),
            ),
            (
                r#"{"data":{"issues":{"nodes":[{"identifier":"E-1","title":"T"}]}}}"#,
                Some(Tracker::Linear),
            ),
            ("Issue key,Summary\nA-1,T\n", Some(Tracker::Jira)),
            ("ID,Team,Title\nE-1,Eng,T\n", Some(Tracker::Linear)),
            (r#"{"id":"bd-a","title":"T"}"#, None),
            ("a,b\n", None),
        ] {
            assert_eq!(detect(text), tracker, "{text}");
        }
    }
}
