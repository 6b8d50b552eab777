//! Appends to the file of events, `.events.jsonl`, and reads it forwards.

use std::fmt;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

use jiff::{RoundMode, Timestamp, TimestampRound, Unit};
use kit::sys::file;
use serde_json::{Map, Value};

use super::line::{EventLine, EventVisibility};
use super::newest::{self, LinesBackwards};
use super::{Event, json_fields, subject_index};
use crate::town::{Town, TownLayout};

/// A callback for each event that a program records.
#[derive(Clone, Default)]
pub struct EventListener(Option<Arc<EventCallback>>);

type EventCallback = dyn Fn(&EventLine) + Send + Sync;

impl EventListener {
    /// Calls `hear` for each event.
    pub fn new(hear: impl Fn(&EventLine) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(hear)))
    }
}

impl fmt::Debug for EventListener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Listener").field(&self.0.is_some()).finish()
    }
}

impl Town {
    /// Records an event and passes it to the listener. A failed write is ignored on purpose,
    /// because the beads record the action itself.
    pub fn record_event(&self, event: &Event) {
        let mut fields = json_fields(event);
        let kind = fields.remove("type");
        let payload = match fields.remove("payload") {
            Some(Value::Object(payload)) => payload,
            _ => Map::new(),
        };
        // Truncated, not rounded, so that no event is later than the next one.
        let whole = TimestampRound::new()
            .smallest(Unit::Second)
            .mode(RoundMode::Trunc);
        let now = self.clock.now().round(whole);
        let line = EventLine {
            ts: now.unwrap_or(Timestamp::UNIX_EPOCH).to_string(),
            source: "gt".to_owned(),
            kind: kind
                .as_ref()
                .and_then(Value::as_str)
                .unwrap_or("")
                .to_owned(),
            actor: self.actor.to_string(),
            payload,
            visibility: EventVisibility::Both,
        };
        let Ok(mut text) = serde_json::to_vec(&line) else {
            return;
        };
        text.push(b'\n');
        append_event(&self.layout, &text).ok();
        if let Some(hear) = &self.listener.0 {
            hear(&line);
        }
    }
}

fn append_event(layout: &TownLayout, line: &[u8]) -> io::Result<()> {
    let mut events = file::open_append(&layout.events(), 0o600)?;
    events.write_all(line)?;
    subject_index::note_appended(layout, &events, line.len())
}

/// Reads all events, oldest first. Skips unreadable lines.
#[cfg(test)]
pub(crate) fn read_events(layout: &TownLayout) -> io::Result<Vec<EventLine>> {
    let bytes = file::read_file_if_exists(&layout.events())?.unwrap_or_default();
    Ok(bytes
        .split(|byte| *byte == b'\n')
        .filter_map(|line| serde_json::from_slice(line).ok())
        .collect())
}

/// An event with the line that it was read from.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredEvent {
    pub event: EventLine,
    /// The line of the file, without the line end.
    pub raw_line: String,
}

impl StoredEvent {
    fn parse(line: &[u8]) -> Option<Self> {
        Some(Self {
            event: serde_json::from_slice(line).ok()?,
            raw_line: String::from_utf8(line.to_vec()).ok()?,
        })
    }
}

/// Reads events, and on later calls the new ones.
#[derive(Debug)]
pub struct EventReader {
    path: PathBuf,
    at: u64,
}

impl EventReader {
    /// Starts with the first event.
    pub fn new(layout: &TownLayout) -> Self {
        Self {
            path: layout.events(),
            at: 0,
        }
    }

    /// Starts at a position in the file. A file that is shorter is another one, of which only later
    /// events count.
    pub fn at(layout: &TownLayout, position: u64) -> io::Result<Self> {
        let path = layout.events();
        let end = match file::open_file_if_exists(&path)? {
            Some(file) => file.metadata()?.len(),
            None => 0,
        };
        let at = position.min(end);
        Ok(Self { path, at })
    }

    /// Starts with the first of the last events that are as new as `since`.
    pub fn since(layout: &TownLayout, since: Timestamp) -> io::Result<Self> {
        let path = layout.events();
        let mut lines = LinesBackwards::open(&path)?;
        let mut at = lines.skip_unfinished()?;
        for line in lines {
            let line = line?;
            let event: Option<EventLine> = serde_json::from_slice(&line).ok();
            let time = event.and_then(|event| event.ts.parse::<Timestamp>().ok());
            if time.is_some_and(|time| time < since) {
                break;
            }
            at = at.saturating_sub(line.len() as u64 + 1);
        }
        Ok(Self { path, at })
    }

    /// Returns the position after the last event that was read.
    pub fn position(&self) -> u64 {
        self.at
    }

    /// Returns the last `limit` wanted events, oldest first; 0 means no limit. Ends at events that
    /// are much older than `since`. The next [`Self::read_new`] returns the events after them.
    pub fn read_last(
        &mut self,
        limit: usize,
        since: Option<Timestamp>,
        is_wanted: impl Fn(&EventLine) -> bool,
    ) -> io::Result<Vec<StoredEvent>> {
        let mut lines = LinesBackwards::open(&self.path)?;
        self.at = lines.skip_unfinished()?;
        let mut found = Vec::new();
        for line in lines {
            let Some(stored) = StoredEvent::parse(&line?) else {
                continue;
            };
            if newest::is_long_before(&stored.event, since) {
                break;
            }
            if is_wanted(&stored.event) {
                found.push(stored);
            }
            if limit > 0 && found.len() == limit {
                break;
            }
        }
        found.reverse();
        Ok(found)
    }

    /// Returns the events since the last call, oldest first. Skips unreadable lines. A line that is
    /// being written is left for the next call. A file that is shorter than before is read from its
    /// start.
    pub fn read_new(&mut self) -> io::Result<Vec<StoredEvent>> {
        let bytes = match file::read_file_from(&self.path, self.at)? {
            Some(bytes) => Some(bytes),
            None => {
                self.at = 0;
                file::read_file_from(&self.path, 0)?
            }
        };
        let bytes = bytes.as_deref().unwrap_or(&[]);
        let end = bytes.iter().rposition(|byte| *byte == b'\n');
        let whole = &bytes[..end.map_or(0, |end| end + 1)];
        self.at += whole.len() as u64;
        Ok(whole
            .split(|byte| *byte == b'\n')
            .filter_map(StoredEvent::parse)
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::town::event::{MergeRef, MergeResultEvent, event};

    #[test]
    fn events_of_the_original_gas_town_are_read_and_invalid_lines_skipped() {
        let folder = tempfile::tempdir().unwrap();
        let layout = TownLayout::new(folder.path());
        let text = concat!(
            r#"{"ts":"2026-01-01T00:00:00Z","source":"gt","type":"sling","actor":"mayor","payload":{"bead":"gt-1"},"visibility":"feed"}"#,
            "\nnot json\n",
            r#"{"ts":"2026-01-01T00:00:01Z","type":"boot"}"#,
            "\n",
        );
        std::fs::write(layout.events(), text).unwrap();
        let events = read_events(&layout).unwrap();
        assert_eq!(events.len(), 2);
        assert_eq!(events[0].payload["bead"], "gt-1");
        assert_eq!(events[1].visibility, EventVisibility::Both);
    }

    fn line(text: &str) -> EventLine {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn a_recorded_event_round_trips() {
        let mut place = crate::testing::TestTown::new();
        let heard = Arc::new(std::sync::Mutex::new(Vec::new()));
        let sink = Arc::clone(&heard);
        let town = &mut place.town;
        town.listener = EventListener::new(move |line| sink.lock().unwrap().push(line.clone()));
        town.actor = crate::town::identity::Address::Mayor;
        let all = [
            event!(Sling, bead: "web-1", target: "web/nux"),
            event!(Nuke,
                rig: "web", polecat: "nux", rescue: None, forced: true, bead: Some("b".to_owned()),
            ),
            Event::Merged(MergeResultEvent {
                request: MergeRef {
                    mr: "web-2".to_owned(),
                    ..MergeRef::default()
                },
                outcome: json_fields(
                    &serde_json::json!({ "outcome": "merged", "commit": "c0ffee" }),
                ),
            }),
        ];
        for event in &all {
            town.record_event(event);
        }
        let read = read_events(&town.layout).unwrap();
        let events: Vec<Event> = read.iter().map(EventLine::to_event).collect();
        assert_eq!(events, all);
        assert_eq!(*heard.lock().unwrap(), read);
        let text = std::fs::read_to_string(town.layout.events()).unwrap();
        let first = text.lines().next().unwrap();
        let end = r#""source":"gt","type":"sling","actor":"mayor","payload":{"bead":"web-1","target":"web/nux"},"visibility":"both"}"#;
        assert!(first.ends_with(end), "{first}");
        assert!(text.contains(r#""rescue":null,"forced":true"#), "{text}");
    }

    #[test]
    fn a_reader_returns_each_complete_line_once() {
        let folder = tempfile::tempdir().unwrap();
        let layout = TownLayout::new(folder.path());
        let mut reader = EventReader::new(&layout);
        let mut kinds = |text: &str| {
            std::fs::write(layout.events(), text).unwrap();
            let new = reader.read_new().unwrap().into_iter();
            new.map(|stored| stored.event.kind).collect::<Vec<_>>()
        };
        let (one, two) = (r#"{"ts":"t","type":"a"}"#, r#"{"ts":"t","type":"b","x":1}"#);
        assert_eq!(kinds(&format!("{one}\nnoise\n{}", &two[..9])), ["a"]);
        assert_eq!(kinds(&format!("{one}\nnoise\n{two}\n")), ["b"]);
        assert!(kinds(&format!("{one}\nnoise\n{two}\n")).is_empty());
        assert_eq!(
            kinds(&format!("{two}\n")),
            ["b"],
            "a shorter file is a new one"
        );
    }

    #[test]
    fn a_reader_starts_at_a_time_or_a_position() {
        let folder = tempfile::tempdir().unwrap();
        let layout = TownLayout::new(folder.path());
        let since = |text: &str| EventReader::since(&layout, text.parse().unwrap()).unwrap();
        assert_eq!(since("2026-01-01T00:00:00Z").position(), 0);
        let lines: String = (1..=3)
            .map(|day| format!("{{\"ts\":\"2026-01-0{day}T00:00:00Z\",\"type\":\"d{day}\"}}\n"))
            .collect();
        std::fs::write(layout.events(), &lines).unwrap();
        let kinds = |mut reader: EventReader| -> Vec<String> {
            let new = reader.read_new().unwrap().into_iter();
            new.map(|stored| stored.event.kind).collect()
        };
        assert_eq!(kinds(since("2025-01-01T00:00:00Z")), ["d1", "d2", "d3"]);
        assert_eq!(kinds(since("2026-01-02T00:00:00Z")), ["d2", "d3"]);
        assert!(kinds(since("2026-01-04T00:00:00Z")).is_empty());
        let second = since("2026-01-02T00:00:00Z").position();
        assert_eq!(
            kinds(EventReader::at(&layout, second).unwrap()),
            ["d2", "d3"]
        );
        assert!(kinds(EventReader::at(&layout, 10_000).unwrap()).is_empty());
    }

    #[test]
    fn unknown_kinds_and_fields_survive_and_foreign_events_are_read() {
        let text = r#"{"ts":"2026-01-01T00:00:00Z","source":"gt","type":"session_start","actor":"mayor","payload":{"session_id":"s","actor_pid":"mayor-1"},"visibility":"feed"}"#;
        let old = line(text);
        assert_eq!(serde_json::to_string(&old).unwrap(), text);
        let Event::SessionStart(start) = old.to_event() else {
            panic!("{old:?}");
        };
        assert_eq!((start.session_id.as_str(), start.bead.as_str()), ("s", ""));
        for (text, kind) in [
            (
                r#"{"ts":"t","type":"volcano","payload":{"a":[1]}}"#,
                "volcano",
            ),
            (r#"{"ts":"t","type":"sling","payload":{"bead":7}}"#, "sling"),
            (r#"{"ts":"t","type":"boot"}"#, "boot"),
        ] {
            let line = line(text);
            let (r#type, payload) = (kind.to_owned(), line.payload.clone());
            assert_eq!(line.to_event(), Event::Other { r#type, payload });
        }
    }
}
