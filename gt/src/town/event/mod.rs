//! What happened in the town: one JSON line an event in `.events.jsonl`, appended, never rewritten.
//!
//! An automatic act also names the rule that decided it and the facts it saw, so that `gt why` can tell.

use bd::sys::file;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::town::{Layout, Town};

/// Who an event is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Visibility {
    /// For the record only.
    Audit,
    /// For the feed only.
    Feed,
    /// For both.
    Both,
}

/// One event as it stands in the file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Event {
    /// When, RFC 3339 in UTC with whole seconds.
    pub ts: String,
    /// Which program wrote it.
    #[serde(default)]
    pub source: String,
    /// What happened, as one word of the vocabulary: `sling`, `done`, `merged`, ...
    #[serde(rename = "type")]
    pub kind: String,
    /// Who did it.
    #[serde(default)]
    pub actor: String,
    /// The details.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub payload: Map<String, Value>,
    /// Who it is for.
    #[serde(default = "for_both")]
    pub visibility: Visibility,
}

fn for_both() -> Visibility {
    Visibility::Both
}

impl Town {
    /// Appends an event. The act it tells of has happened already, so a failure to write it must not
    /// undo or stop that act; it is returned for the caller to mention.
    pub fn record(
        &self,
        kind: &str,
        visibility: Visibility,
        payload: Value,
    ) -> std::io::Result<()> {
        let payload = match payload {
            Value::Object(map) => map,
            _ => Map::new(),
        };
        let now = self
            .clock
            .now()
            .round(jiff::Unit::Second)
            .unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        let event = Event {
            ts: now.to_string(),
            source: "gt".to_owned(),
            kind: kind.to_owned(),
            actor: self.actor.to_string(),
            payload,
            visibility,
        };
        let mut line = serde_json::to_vec(&event)?;
        line.push(b'\n');
        file::append(&self.layout.events(), &line, 0o600)
    }

    /// Records an event for feed and audit; a failure to write is ignored on purpose: the act itself is
    /// in the beads, the event only tells of it.
    pub fn tell(&self, kind: &str, payload: Value) {
        self.record(kind, Visibility::Both, payload).ok();
    }
}

/// Reads all events, oldest first; lines that cannot be read are passed over.
pub fn read(layout: &Layout) -> std::io::Result<Vec<Event>> {
    let bytes = file::read(&layout.events())?.unwrap_or_default();
    Ok(bytes
        .split(|byte| *byte == b'\n')
        .filter_map(|line| serde_json::from_slice(line).ok())
        .collect())
}

/// The events that name `what`: as the value of a payload key, inside a list of one, or as the actor.
pub fn about(events: &[Event], what: &str) -> Vec<Event> {
    events
        .iter()
        .filter(|event| is_about(event, what))
        .cloned()
        .collect()
}

fn is_about(event: &Event, what: &str) -> bool {
    event.actor == what || event.payload.values().any(|value| names(value, what))
}

fn names(value: &Value, what: &str) -> bool {
    match value {
        // Agents are named by address or by name, and what a rule saw is a sentence.
        Value::String(text) => text
            .split(|c: char| c.is_whitespace() || ",;:()`\"".contains(c))
            .any(|word| word == what || word.rsplit('/').next() == Some(what)),
        Value::Array(values) => values.iter().any(|value| names(value, what)),
        Value::Object(map) => map.values().any(|value| names(value, what)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_of_the_era_are_read_and_bad_lines_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout::new(folder.path());
        let text = concat!(
            r#"{"ts":"2026-01-01T00:00:00Z","source":"gt","type":"sling","actor":"mayor","payload":{"bead":"gt-1"},"visibility":"feed"}"#,
            "\nnot json\n",
            r#"{"ts":"2026-01-01T00:00:01Z","type":"boot"}"#,
            "\n",
        );
        std::fs::write(layout.events(), text).unwrap();
        let events = read(&layout).unwrap();
        assert_eq!(events.len(), 2);
        assert_eq!(events[0].payload["bead"], "gt-1");
        assert_eq!(events[1].visibility, Visibility::Both);
    }
}
