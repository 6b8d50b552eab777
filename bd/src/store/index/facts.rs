//! What the index knows of a bead: read from its line without reading the rest, or taken from the bead.
//!
//! Both ways give the same facts; where the quick way meets anything unusual it gives up and the record is
//! read in full.

use crate::sys::clock::nanoseconds;
use std::borrow::Cow;

use serde::Deserialize;

use super::layout::{NEVER, flag};
use crate::bead::blocked::{ChildGate, is_failure};
use crate::bead::record::{self, RecordError};
use crate::bead::{Bead, DepKind, Kind, Stamp, Status};

/// The facts of one bead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Facts<'a> {
    pub id: Cow<'a, str>,
    pub status: u8,
    pub kind: u8,
    pub priority: i8,
    pub assignee: Cow<'a, str>,
    pub created: i64,
    pub updated: i64,
    pub closed: i64,
    pub due: i64,
    pub deferred: i64,
    pub labels: Vec<Cow<'a, str>>,
    pub edges: Vec<Edge<'a>>,
    pub flags: u32,
}

/// One edge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edge<'a> {
    pub target: Cow<'a, str>,
    pub kind: u8,
    /// For `waits-for`: the bead whose children are meant, where it is not the target.
    pub spawner: Option<String>,
    /// For `waits-for`: one finished child is enough.
    pub any_child: bool,
}

impl<'a> Edge<'a> {
    fn new(target: Cow<'a, str>, kind: u8, metadata: &str) -> Self {
        let gate = if kind == DepKind::WaitsFor.code() {
            ChildGate::read(metadata)
        } else {
            ChildGate::default()
        };
        let spawner = gate.spawner.filter(|spawner| *spawner != target);
        Self {
            target,
            kind,
            spawner,
            any_child: gate.any_child,
        }
    }
}

impl<'a> Facts<'a> {
    /// Reads a line.
    pub(crate) fn read(line: &'a [u8]) -> Result<Self, RecordError> {
        let text = std::str::from_utf8(line).ok();
        let quick = text.and_then(|text| serde_json::from_str::<Quick<'a>>(text).ok());
        let quick: Option<Self> = quick.and_then(Quick::facts);
        let mut facts = match quick {
            Some(facts) => facts,
            None => Facts::of(&record::parse(line)?).own(),
        };
        if has_escaped_letters(line) {
            facts.flags |= flag::ESCAPES;
        }
        Ok(facts)
    }

    /// The facts of a bead; what only its line shows is left out.
    pub(crate) fn of(bead: &'a Bead) -> Self {
        let time = |stamp: &Option<Stamp>| {
            stamp
                .as_ref()
                .map_or(NEVER, |stamp| nanoseconds(stamp.instant()))
        };
        let mut facts = Self {
            id: bead.id.as_str().into(),
            status: bead.status.code(),
            kind: bead.issue_type.code(),
            priority: clamp(bead.priority),
            assignee: bead.assignee.as_str().into(),
            created: nanoseconds(bead.created_at.instant()),
            updated: nanoseconds(bead.updated_at.instant()),
            closed: time(&bead.closed_at),
            due: time(&bead.due_at),
            deferred: time(&bead.defer_until),
            labels: bead
                .labels
                .iter()
                .map(|label| label.as_str().into())
                .collect(),
            edges: bead
                .dependencies
                .iter()
                .map(|edge| {
                    let target = edge.depends_on_id.as_str().into();
                    Edge::new(target, edge.kind.code(), &edge.metadata)
                })
                .collect(),
            flags: 0,
        };
        let facts_of = [
            (bead.pinned, flag::PINNED),
            (bead.is_template, flag::TEMPLATE),
            (bead.ephemeral, flag::EPHEMERAL),
            (is_failure(&bead.close_reason), flag::FAILED),
        ];
        facts.set_flags(&facts_of);
        facts
    }

    fn set_flags(&mut self, facts: &[(bool, u32)]) {
        for (holds, bit) in facts {
            if *holds {
                self.flags |= bit;
            }
        }
        let external = |edge: &Edge<'_>| {
            edge.kind == DepKind::Blocks.code() && edge.target.starts_with("external:")
        };
        if self.edges.iter().any(external) {
            self.flags |= flag::EXTERNAL;
        }
        if self.deferred != NEVER {
            self.flags |= flag::DEFERRED;
        }
        if memchr::memchr_iter(b'-', self.id.as_bytes())
            .nth(1)
            .is_some()
        {
            self.flags |= flag::HYPHENS;
        }
    }

    /// The same, on its own.
    pub(crate) fn own(self) -> Facts<'static> {
        fn own(text: Cow<'_, str>) -> Cow<'static, str> {
            Cow::Owned(text.into_owned())
        }
        Facts {
            id: own(self.id),
            assignee: own(self.assignee),
            labels: self.labels.into_iter().map(own).collect(),
            edges: self
                .edges
                .into_iter()
                .map(|edge| Edge {
                    target: own(edge.target),
                    kind: edge.kind,
                    spawner: edge.spawner,
                    any_child: edge.any_child,
                })
                .collect(),
            status: self.status,
            kind: self.kind,
            priority: self.priority,
            created: self.created,
            updated: self.updated,
            closed: self.closed,
            due: self.due,
            deferred: self.deferred,
            flags: self.flags,
        }
    }
}

/// A priority as the index has it.
pub(crate) fn clamp(priority: i64) -> i8 {
    i8::try_from(priority).unwrap_or(if priority < 0 { i8::MIN } else { i8::MAX })
}

/// Whether a letter, digit or blank is written as `\u00..`, which existing clients never do.
fn has_escaped_letters(line: &[u8]) -> bool {
    memchr::memmem::find_iter(line, b"\\u00").any(|at| {
        let code = line.get(at + 4..at + 6);
        code.is_none_or(|code| !matches!(code, b"3c" | b"3e" | b"26" | b"3C" | b"3E"))
            && code.is_none_or(|code| code[0] >= b'2')
    })
}

/// A string that borrows from the line where it has no escapes.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// The fields of a record that the index wants, as they stand in the line; a key that is there twice is unusual.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Quick<'a> {
    #[serde(borrow)]
    id: Option<Text<'a>>,
    status: Option<Text<'a>>,
    priority: Option<i64>,
    issue_type: Option<Text<'a>>,
    assignee: Option<Text<'a>>,
    created_at: Option<Text<'a>>,
    updated_at: Option<Text<'a>>,
    closed_at: Option<Text<'a>>,
    due_at: Option<Text<'a>>,
    defer_until: Option<Text<'a>>,
    deleted_at: Option<Text<'a>>,
    close_reason: Option<Text<'a>>,
    labels: Option<Vec<Text<'a>>>,
    dependencies: Option<Vec<QuickEdge<'a>>>,
    pinned: Option<bool>,
    is_template: Option<bool>,
    ephemeral: Option<bool>,
}

/// An edge of a [`Quick`]. Some fields are only looked at for their type: an edge with a wrong one is no edge.
#[derive(Default, Deserialize)]
#[serde(default)]
struct QuickEdge<'a> {
    #[serde(borrow)]
    depends_on_id: Option<Text<'a>>,
    r#type: Option<Text<'a>>,
    metadata: Option<Text<'a>>,
    #[serde(rename = "issue_id")]
    _issue_id: Option<Text<'a>>,
    #[serde(rename = "created_at")]
    _created_at: Option<Text<'a>>,
    #[serde(rename = "created_by")]
    _created_by: Option<Text<'a>>,
    #[serde(rename = "thread_id")]
    _thread_id: Option<Text<'a>>,
}

impl<'a> Quick<'a> {
    fn facts(self) -> Option<Facts<'a>> {
        let word = |text: Option<Text<'a>>| text.map_or(Cow::Borrowed(""), |text| text.0);
        let time = |text: Option<Text<'a>>| {
            text.map_or(NEVER, |text| nanoseconds(Stamp::instant_of(&text.0)))
        };
        let never = || nanoseconds(Stamp::default().instant());
        let id = self.id?.0;
        if id.is_empty() {
            return None;
        }
        let status = if self.deleted_at.is_some() {
            Status::Tombstone
        } else {
            Status::from(word(self.status).as_ref())
        };
        let mut facts = Facts {
            id,
            status: status.code(),
            kind: Kind::from(word(self.issue_type).as_ref()).code(),
            priority: clamp(self.priority.unwrap_or_default()),
            assignee: word(self.assignee),
            created: self.created_at.map_or_else(never, |text| time(Some(text))),
            updated: self.updated_at.map_or_else(never, |text| time(Some(text))),
            closed: time(self.closed_at),
            due: time(self.due_at),
            deferred: time(self.defer_until),
            labels: self
                .labels
                .unwrap_or_default()
                .into_iter()
                .map(|text| text.0)
                .collect(),
            edges: Vec::new(),
            flags: 0,
        };
        for edge in self.dependencies.unwrap_or_default() {
            let kind = DepKind::from(word(edge.r#type).as_ref()).code();
            let metadata = word(edge.metadata);
            let edge = Edge::new(word(edge.depends_on_id), kind, &metadata);
            facts.edges.push(edge);
        }
        let reason = word(self.close_reason);
        facts.set_flags(&[
            (self.pinned.unwrap_or_default(), flag::PINNED),
            (self.is_template.unwrap_or_default(), flag::TEMPLATE),
            (self.ephemeral.unwrap_or_default(), flag::EPHEMERAL),
            (!reason.is_empty() && is_failure(&reason), flag::FAILED),
        ]);
        Some(facts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_give_the_same_facts() {
        for line in [
            r#"{"id":"a-1","title":"x","priority":1,"created_at":"2026-01-01T00:00:00.123456789Z","updated_at":"2026-01-01T01:00:00+01:00"}"#,
            r#"{"id":"a-1","status":"odd","issue_type":"thing","labels":["b","a"],"dependencies":[{"issue_id":"a-1","depends_on_id":"external:x:y","type":"blocks","metadata":"{}"},{"depends_on_id":"q","type":"zz"}],"pinned":true}"#,
            r#"{"id":"a-1","deleted_at":"2026-01-01T00:00:00Z","status":"open","close_reason":"Timeout","comments":[{"id":1,"author":"x","text":"y"}]}"#,
            r#"{"id":null,"id":"a-1","priority":null,"labels":null,"defer_until":"2300-01-01T00:00:00Z","due_at":"soon"}"#,
            r#"{"id":"a-1","priority":"high","labels":"x","status":"closed","pinned":1}"#,
            r#"{"id":"a-1","dependencies":[{"depends_on_id":"q","created_at":5}],"comments":[1]}"#,
            r#"{"id":"a\u002d1","assignee":"d\u00e4na","priority":9000}"#,
        ] {
            let read = Facts::read(line.as_bytes()).unwrap();
            let bead = record::parse(line.as_bytes()).unwrap();
            let mut wanted = Facts::of(&bead);
            wanted.flags |= read.flags & flag::ESCAPES;
            assert_eq!(read, wanted, "{line}");
        }
    }

    #[test]
    fn what_is_no_bead_is_refused() {
        for line in ["{}", "[1]", "{\"id\":\"\"}", "{\"id\":\"a-1\"", "nonsense"] {
            assert!(Facts::read(line.as_bytes()).is_err(), "{line}");
        }
    }

    #[test]
    fn only_escaped_letters_are_flagged() {
        assert!(has_escaped_letters(br#"{"id":"\u0061"}"#));
        assert!(!has_escaped_letters(br#"{"id":"a\u003cb\u0026 \u0001"}"#));
    }
}
