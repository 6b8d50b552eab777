//! Reads beads from other programs: an SQLite database of another bd, the folders of bd, br and
//! beads-rs, and exports of GitHub, Jira and Linear.

mod beads_rs;
pub mod csv;
pub mod folder;
mod issue;
mod json;
pub mod sqlite;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::Serialize;
use serde_json::{Value, json};

use crate::bead::{Bead, record};
use crate::graph::cycle;
use crate::store::Snapshot;
use issue::TrackerIssue;

/// The tracker that wrote an export.
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
    /// The prefix of references to this tracker.
    fn reference_prefix(self) -> &'static str {
        match self {
            Self::Github => "gh",
            Self::Jira => "jira",
            Self::Linear => "linear",
        }
    }
}

/// The reason why an export cannot be imported.
#[derive(Debug, thiserror::Error)]
pub enum ForeignError {
    /// The text is not in an expected format.
    #[error("{0}")]
    Unknown(String),
    /// Issues whose ids are in use by other beads.
    #[error("{}, which is another issue; import them into a project of their own", .0.join(", "))]
    Taken(Vec<String>),
    /// The program `sqlite3` is not installed.
    #[error("an SQLite database is read by the program `sqlite3`, which is not installed here")]
    NoSqlite,
    /// The program `sqlite3` failed.
    #[error("sqlite3 cannot read {file}: {reason}")]
    Sqlite { file: String, reason: String },
}

impl ForeignError {
    fn no_issues_of(tracker: Tracker) -> Self {
        Self::Unknown(format!(
            "no issues of {} found in it",
            tracker.reference_prefix()
        ))
    }
}

/// A line that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnreadLine {
    pub file: String,
    pub line: usize,
    pub reason: String,
}

/// The beads of an export.
#[derive(Debug, Default)]
pub struct ForeignBeads {
    pub beads: Vec<Box<Bead>>,
    /// The tracker's keys and our ids.
    pub ids: BTreeMap<String, String>,
    /// The number of edges between the beads.
    pub edges: usize,
    /// References to issues that the export does not have, as (from, to).
    pub left_out: Vec<(String, String)>,
    /// Edges that are left out because they would close a cycle.
    pub circular: Vec<(String, String)>,
    /// The fields that at least one bead has.
    pub fields: BTreeSet<String>,
    /// The lines that hold no bead: their kind with their number.
    pub other_lines: BTreeMap<String, usize>,
}

/// Detects the tracker that a text comes from. Returns `None` if the tracker is unknown.
pub fn detect_tracker(text: &str) -> Option<Tracker> {
    match text.trim_start().chars().next()? {
        '[' | '{' => json::detect_json(&json::parse_pages(text).ok()?),
        _ => csv::detect_csv(text),
    }
}

/// Reads an export into a store whose ids begin with `prefix`. An issue whose reference is already
/// in the store keeps its id.
pub fn read_export(
    text: &str,
    tracker: Tracker,
    prefix: &str,
    existing: &Snapshot,
) -> Result<ForeignBeads, ForeignError> {
    let issues = if matches!(text.trim_start().chars().next(), Some('[' | '{')) {
        let value = json::parse_pages(text)
            .map_err(|error| ForeignError::Unknown(format!("no JSON: {error}")))?;
        json::parse_json_issues(&value, tracker)?
    } else {
        csv::parse_csv_issues(text, tracker)?
    };
    let mut found = ForeignBeads {
        ids: assign_ids(&issues, tracker, prefix, existing)?,
        ..ForeignBeads::default()
    };
    let edges = build_edges(&issues, &mut found);
    for issue in &issues {
        let Some(id) = found.ids.get(&issue.key) else {
            continue;
        };
        let mut value = issue.to_record(id).map_err(ForeignError::Unknown)?;
        value["external_ref"] = json!(build_reference(tracker, &issue.key));
        if let Some(targets) = edges.get(id.as_str()) {
            let dependencies: Vec<Value> = targets.iter().map(|(to, kind)| json!({"issue_id": id, "depends_on_id": to, "type": kind, "created_at": value["created_at"]})).collect();
            found.edges += dependencies.len();
            value["dependencies"] = json!(dependencies);
        }
        if let Value::Object(object) = &value {
            found.fields.extend(object.keys().cloned());
        }
        let bead = record::parse_bead(value.to_string().as_bytes());
        let bead =
            bead.map_err(|error| ForeignError::Unknown(format!("{}: {error}", issue.key)))?;
        found.beads.push(Box::new(bead));
    }
    Ok(found)
}

/// Assigns an id to each issue: the id of the bead with its reference, or an id derived from its
/// key.
fn assign_ids(
    issues: &[TrackerIssue],
    tracker: Tracker,
    prefix: &str,
    here: &Snapshot,
) -> Result<BTreeMap<String, String>, ForeignError> {
    let mut known: HashMap<&str, &Bead> = HashMap::new();
    for bead in here.all() {
        known.extend(
            bead.external_ref
                .as_deref()
                .map(|reference| (reference, bead)),
        );
    }
    let mut ids = BTreeMap::new();
    let mut used = BTreeSet::new();
    let mut taken = Vec::new();
    for issue in issues {
        let existing = known.get(build_reference(tracker, &issue.key).as_str());
        let id = match existing {
            Some(bead) if is_of_other_url(bead, &issue.url) => None,
            Some(bead) => Some(bead.id.clone()),
            None => {
                let slugs = build_slugs(tracker, &issue.key).map(|slug| format!("{prefix}-{slug}"));
                slugs
                    .into_iter()
                    .find(|id| !used.contains(id) && !here.is_taken(id))
            }
        };
        let Some(id) = id else {
            let slug = existing.map_or_else(
                || build_slugs(tracker, &issue.key)[0].clone(),
                |bead| bead.id.clone(),
            );
            taken.push(format!("{} is {slug} here", issue.key));
            continue;
        };
        used.insert(id.clone());
        ids.insert(issue.key.clone(), id);
    }
    if taken.is_empty() {
        Ok(ids)
    } else {
        Err(ForeignError::Taken(taken))
    }
}

fn is_of_other_url(bead: &Bead, url: &str) -> bool {
    let metadata = bead.metadata_object();
    let own_url = metadata.get("url").and_then(Value::as_str);
    !url.is_empty() && own_url.is_some_and(|own_url| own_url != url)
}

/// Builds the edges of each bead. A pair of beads has one edge, and no edge closes a cycle.
fn build_edges(
    issues: &[TrackerIssue],
    found: &mut ForeignBeads,
) -> BTreeMap<String, Vec<(String, &'static str)>> {
    let numbers: HashMap<&str, usize> = (issues.iter().enumerate())
        .map(|(number, issue)| (issue.key.as_str(), number))
        .collect();
    let mut waits: Vec<Vec<usize>> = vec![Vec::new(); issues.len()];
    let mut kinds: BTreeMap<(usize, usize), &'static str> = BTreeMap::new();
    for (from, issue) in issues.iter().enumerate() {
        let parent = issue.parent.iter().map(|key| (key, "parent-child"));
        let blockers = issue.blocked_by.iter().map(|key| (key, "blocks"));
        for (key, kind) in parent.chain(blockers) {
            match numbers.get(key.as_str()) {
                Some(to) if *to == from || kinds.contains_key(&(from, *to)) => {}
                Some(to) => {
                    kinds.insert((from, *to), kind);
                    waits[from].push(*to);
                }
                None => found.left_out.push((issue.key.clone(), key.clone())),
            }
        }
    }
    while let Some(cycle) = cycle::find_cycle(&waits) {
        let pairs: Vec<_> = cycle.windows(2).map(|pair| (pair[0], pair[1])).collect();
        // Containment is more reliable than blocking, so a cycle is broken at a blocking edge
        // first.
        let edge = pairs
            .iter()
            .find(|pair| kinds.get(pair) == Some(&"blocks"))
            .or(pairs.first());
        let Some((from, to)) = edge.copied() else {
            break;
        };
        waits[from].retain(|target| *target != to);
        kinds.remove(&(from, to));
        let keys = (issues[from].key.clone(), issues[to].key.clone());
        found.circular.push(keys);
    }
    let mut edges: BTreeMap<String, Vec<(String, &'static str)>> = BTreeMap::new();
    for ((from, to), kind) in kinds {
        let ids = [from, to].map(|number| found.ids.get(&issues[number].key).cloned());
        if let [Some(from), Some(to)] = ids {
            edges.entry(from).or_default().push((to, kind));
        }
    }
    edges
}

/// Returns the parts of an id that can stand for an issue: `gh12` or `proj7`, and `proj-7` if the
/// first belongs to another issue.
fn build_slugs(tracker: Tracker, key: &str) -> [String; 2] {
    let mark = if tracker == Tracker::Github { "gh" } else { "" };
    let dashed: String = key
        .to_lowercase()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    [dashed.replace('-', ""), dashed].map(|slug| format!("{mark}{slug}"))
}

fn build_reference(tracker: Tracker, key: &str) -> String {
    format!("{}-{key}", tracker.reference_prefix())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exports_of_each_tracker_are_detected() {
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
            assert_eq!(detect_tracker(text), tracker, "{text}");
        }
    }
}
