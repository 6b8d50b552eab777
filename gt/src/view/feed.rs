//! The feed: the town's events, filtered by kind, actor and rig, each as one sentence.

use std::collections::BTreeSet;

use jiff::Timestamp;
use kit::ui::escape;
use serde_json::Value;

use crate::flow::agent::recipient::list_agents;
use crate::town::Town;
use crate::town::event::{EventLine, EventVisibility, NewestEvents, list_event_kinds};
use crate::town::identity::Address;

/// A filter of the feed that can match nothing.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("no {what} {name}{}: not found", describe_near(near))]
pub struct UnknownFilter {
    /// The kind of the name: `event type begins with` or `agent or user is called`.
    pub what: &'static str,
    pub name: String,
    /// Similar names.
    pub near: Vec<String>,
}

fn describe_near(near: &[String]) -> String {
    match near {
        [] => String::new(),
        near => format!(" (did you mean {}?)", near.join(", ")),
    }
}

/// The maximum number of names that an error proposes.
const MAX_PROPOSALS: usize = 8;

/// Returns the full form of an address, in which events have it. A part of one stays unchanged.
pub fn resolve_actor(town: &Town, actor: &str) -> String {
    match town.parse_address(actor) {
        Ok(address) if actor.contains('/') => address.to_string(),
        _ => actor.to_owned(),
    }
}

/// Checks that a filter that selects nothing names a known type of events and a known actor.
/// `asked_actor` is the actor as the user wrote it. The events are read only if nothing else has
/// the name.
pub fn check_filter(
    town: &Town,
    filter: &FeedFilter,
    asked_actor: Option<&str>,
) -> anyhow::Result<()> {
    let mut kinds: BTreeSet<String> = list_event_kinds()
        .map(|kind| kind.name.to_owned())
        .collect();
    let mut actors: BTreeSet<String> = list_agents(town)?.iter().map(Address::to_string).collect();
    actors.insert(Address::Overseer.to_string());
    let is_kind_known = |kinds: &BTreeSet<String>| {
        filter
            .kind
            .as_ref()
            .is_none_or(|kind| kinds.iter().any(|known| known.starts_with(kind.as_str())))
    };
    let is_actor_known = |actors: &BTreeSet<String>| {
        filter
            .actor
            .as_ref()
            .is_none_or(|actor| actors.iter().any(|known| known.contains(actor.as_str())))
    };
    if is_kind_known(&kinds) && is_actor_known(&actors) {
        return Ok(());
    }
    for event in NewestEvents::new(&town.layout)? {
        let event = event?;
        kinds.insert(event.kind);
        actors.insert(event.actor);
    }
    let (what, name, near) = if !is_kind_known(&kinds) {
        let kind = filter.kind.as_deref().unwrap_or("");
        let near = find_near(kind, kinds.iter().map(String::as_str));
        ("event type begins with", kind, near)
    } else if !is_actor_known(&actors) {
        let actor = asked_actor.unwrap_or("");
        let near = find_near(actor, actors.iter().map(String::as_str));
        ("agent or user is called", actor, near)
    } else {
        return Ok(());
    };
    let name = escape::escape_line(name);
    Err(UnknownFilter { what, name, near }.into())
}

/// Returns the known names that are most similar to a name.
fn find_near<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut sorted: Vec<(usize, &str)> = known
        .filter(|other| !other.is_empty())
        .map(|other| {
            let whole = strsim::damerau_levenshtein(name, other);
            let end = strsim::damerau_levenshtein(last_part(name), last_part(other));
            (whole.min(end), other)
        })
        .collect();
    sorted.sort_unstable();
    sorted
        .into_iter()
        .take(MAX_PROPOSALS)
        .map(|(_, other)| escape::escape_line(other))
        .collect()
}

fn last_part(address: &str) -> &str {
    address.rsplit('/').next().unwrap_or(address)
}

/// Selects events.
#[derive(Debug, Clone, Default)]
pub struct FeedFilter {
    pub since: Option<Timestamp>,
    /// The kind, or its beginning.
    pub kind: Option<String>,
    /// A part of the actor's address.
    pub actor: Option<String>,
    pub rig: Option<FeedRig>,
}

/// The forms in which events name a rig.
#[derive(Debug, Clone)]
pub struct FeedRig {
    pub name: String,
    /// The prefix of the rig's beads, without hyphen.
    pub prefix: String,
}

impl FeedRig {
    /// Returns the forms for a rig of the town.
    pub fn for_rig(town: &Town, name: &str) -> anyhow::Result<Self> {
        let name = town.find_rig(name)?.name().to_owned();
        let prefix = town.prefix_of_rig(&name);
        Ok(Self { name, prefix })
    }

    fn is_named_in(&self, value: &Value) -> bool {
        match value {
            Value::String(text) => self.is_rig_word(text),
            Value::Array(values) => values.iter().any(|value| self.is_named_in(value)),
            Value::Object(map) => map.values().any(|value| self.is_named_in(value)),
            _ => false,
        }
    }

    /// Returns true if a word names the rig: `web`, `web/amber`, `web-k3f`.
    fn is_rig_word(&self, text: &str) -> bool {
        text == self.name
            || [(&self.name, '/'), (&self.prefix, '-')]
                .iter()
                .filter_map(|(start, next)| Some((text.strip_prefix(start.as_str())?, *next)))
                .any(|(rest, next)| rest.starts_with(next))
    }
}

impl FeedFilter {
    /// Returns true if an event is selected.
    pub fn is_match(&self, event: &EventLine) -> bool {
        event.visibility != EventVisibility::Audit
            && self.since.is_none_or(|since| {
                let at: Result<Timestamp, _> = event.ts.parse();
                at.is_ok_and(|at| at >= since)
            })
            && self
                .kind
                .as_ref()
                .is_none_or(|kind| event.kind.starts_with(kind.as_str()))
            && self
                .actor
                .as_ref()
                .is_none_or(|who| event.actor.contains(who.as_str()))
            && self.rig.as_ref().is_none_or(|rig| {
                rig.is_rig_word(&event.actor)
                    || event.payload.values().any(|value| rig.is_named_in(value))
            })
    }
}

/// Describes an event in one sentence, escaped for a terminal.
pub fn describe_event(event: &EventLine) -> String {
    let filled = list_event_kinds()
        .find(|kind| kind.name == event.kind)
        .and_then(|kind| fill_phrase(kind.phrase, event));
    let text = filled.unwrap_or_else(|| {
        let fields = event.payload.iter().filter_map(|(key, value)| {
            let text = format_value(value)?;
            Some(format!("{key} {text}"))
        });
        let fields: Vec<String> = fields.collect();
        let kind = event.kind.replace('_', " ");
        match fields.as_slice() {
            [] => kind,
            fields => format!("{kind}: {}", fields.join(", ")),
        }
    });
    escape::escape_line(&text)
}

/// Replaces the fields of a phrase. None if the event lacks one.
fn fill_phrase(phrase: &str, event: &EventLine) -> Option<String> {
    let mut out = String::new();
    let mut rest = phrase;
    while let Some((before, after)) = rest.split_once('{') {
        let (key, after) = after.split_once('}')?;
        out.push_str(before);
        out.push_str(&format_value(event.payload.get(key)?)?);
        rest = after;
    }
    out.push_str(rest);
    Some(out)
}

/// Formats a value in a sentence. None for an empty value.
fn format_value(value: &Value) -> Option<String> {
    let text = match value {
        Value::Null => return None,
        Value::String(text) => text.clone(),
        Value::Array(values) => {
            let texts: Vec<String> = values.iter().filter_map(format_value).collect();
            texts.join(", ")
        }
        other => other.to_string(),
    };
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(text: &str) -> EventLine {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn an_event_is_shown_as_a_sentence_and_an_unknown_event_as_fields() {
        let rows = [
            (
                r#"{"ts":"t","type":"sling","payload":{"bead":"web-1","target":"web/nux"}}"#,
                "slung web-1 to web/nux",
            ),
            (
                r#"{"ts":"t","type":"sling","payload":{"bead":"web-1"}}"#,
                "sling: bead web-1",
            ),
            (
                r#"{"ts":"t","type":"convoy_created","payload":{"convoy":"hq-cv-1","beads":["a","b"]}}"#,
                "created hq-cv-1 for a, b",
            ),
            (
                r#"{"ts":"t","type":"lava_flow","payload":{"depth":3,"none":null}}"#,
                "lava flow: depth 3",
            ),
            (
                r#"{"ts":"t","type":"mail","payload":{"to":"a","subject":"x\u001b[2J{to}\ny"}}"#,
                "wrote to a: x\\u{1b}[2J{to}↵y",
            ),
        ];
        for (text, expected) in rows {
            assert_eq!(describe_event(&event(text)), expected);
        }
    }

    #[test]
    fn events_are_filtered_by_time_kind_actor_and_rig() {
        let line = event(
            r#"{"ts":"2026-01-01T10:00:00Z","type":"merge_failed","actor":"web/refinery","payload":{"bead":"ap-1"}}"#,
        );
        let wants = |choose: &dyn Fn(&mut FeedFilter)| {
            let mut filter = FeedFilter::default();
            choose(&mut filter);
            filter.is_match(&line)
        };
        let rig = |name: &str, prefix: &str| {
            let (name, prefix) = (name.to_owned(), prefix.to_owned());
            wants(&|filter| {
                let (name, prefix) = (name.clone(), prefix.clone());
                filter.rig = Some(FeedRig { name, prefix });
            })
        };
        let kind = |kind: &str| wants(&|filter| filter.kind = Some(kind.to_owned()));
        let actor = |actor: &str| wants(&|filter| filter.actor = Some(actor.to_owned()));
        let since = |since: &str| wants(&|filter| filter.since = since.parse().ok());
        assert!(wants(&|_| {}));
        assert!(kind("merge") && !kind("merged"));
        assert!(actor("refinery") && !actor("witness"));
        assert!(rig("web", "w") && rig("api", "ap") && !rig("we", "a"));
        assert!(since("2026-01-01T10:00:00Z") && !since("2026-01-01T10:00:01Z"));
        let audit = event(r#"{"ts":"t","type":"sling","visibility":"audit"}"#);
        assert!(!FeedFilter::default().is_match(&audit));
    }
}
