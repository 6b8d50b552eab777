//! One line of the file of events, `.events.jsonl`: one JSON line per event, never rewritten.
//!
//! The event of an automatic action also names its rule and the facts, so that `gt why` can explain
//! it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Event;

/// The audience of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EventVisibility {
    Audit,
    Feed,
    Both,
}

/// An event as stored in the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EventLine {
    /// The time, RFC 3339 in UTC with whole seconds.
    pub ts: String,
    #[serde(default)]
    pub source: String,
    /// The kind, in the fixed vocabulary: `sling`, `done`, `merged`, ...
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(default)]
    pub actor: String,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub payload: Map<String, Value>,
    #[serde(default = "for_both")]
    pub visibility: EventVisibility,
}

fn for_both() -> EventVisibility {
    EventVisibility::Both
}

impl EventLine {
    /// Parses the event. Unknown fields are in the payload only.
    pub fn to_event(&self) -> Event {
        let line = serde_json::json!({ "type": self.kind, "payload": self.payload });
        serde_json::from_value(line).unwrap_or_else(|_| Event::Other {
            r#type: self.kind.clone(),
            payload: self.payload.clone(),
        })
    }
}

/// Returns true if an event names `what`: as the actor, as the value of a payload key, as a word of
/// one, or inside a list of one.
pub(super) fn is_about(event: &EventLine, what: &str) -> bool {
    event.actor == what || event.payload.values().any(|value| is_named(value, what))
}

fn is_named(value: &Value, what: &str) -> bool {
    match value {
        // Agents are named by address or by name, and the facts of a rule are a sentence.
        Value::String(text) => {
            split_words(text).any(|word| word == what || word.rsplit('/').next() == Some(what))
        }
        Value::Array(values) => values.iter().any(|value| is_named(value, what)),
        Value::Object(map) => map.values().any(|value| is_named(value, what)),
        _ => false,
    }
}

/// Splits a text into the words that may be names.
pub(super) fn split_words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || ",;:()`\"".contains(c))
        .filter(|word| !word.is_empty())
}
