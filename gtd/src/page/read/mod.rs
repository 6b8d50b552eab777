//! Reads what the page shows, from the reports of the commands. Everything here may block.

mod agents;
mod reports;
mod work;

pub(super) use agents::{
    SessionQuery, list_sessions, read_agent, read_changes, read_channel, read_mail, read_records,
    read_session,
};
pub(super) use reports::{CostsCache, read_board, read_settings};
pub(super) use work::{read_bead, read_convoy, read_request};

use std::sync::Mutex;
use std::time::{Duration, Instant};

use gt::host::LiveTown;
use gt::view::feed::describe_event;
use gt::view::overview::{OverviewMemory, TownOverview};
use gt::view::why;
use serde_json::{Value, json};

use crate::run::lock_mutex;

/// The maximum size of a patch or log, in bytes.
const LONG: usize = 400 * 1024;
/// The number of events of a timeline.
const EVENTS: usize = 100;
/// The shortest and the longest time for which a reading serves all browsers.
const SHORTEST_REST: Duration = Duration::from_millis(300);
const LONGEST_REST: Duration = Duration::from_secs(10);
/// That time, as a multiple of the duration of a reading. Bounds the load of a large town.
const REST_FACTOR: u32 = 40;

/// The last overview, as JSON.
#[derive(Debug, Default)]
pub(super) struct OverviewCache {
    last: Mutex<Option<OverviewReading>>,
    memory: OverviewMemory,
}

#[derive(Debug)]
struct OverviewReading {
    begun: Instant,
    /// The time for which it is used.
    rest: Duration,
    text: String,
}

impl OverviewCache {
    /// Returns the time for which a reading is used. A change must be reported after it, so that no
    /// browser gets a reading from before the change.
    pub(super) fn rest(&self) -> Duration {
        let last = lock_mutex(&self.last);
        last.as_ref().map_or(SHORTEST_REST, |last| last.rest)
    }

    /// Reads the overview: the object of `gt top --json`.
    pub(super) fn read(&self, town: &LiveTown) -> anyhow::Result<String> {
        let mut last = lock_mutex(&self.last);
        if let Some(last) = last.as_ref()
            && last.begun.elapsed() < last.rest
        {
            return Ok(last.text.clone());
        }
        let begun = Instant::now();
        let text = serde_json::to_string(&TownOverview::read_again(town, &self.memory)?)?;
        *last = Some(OverviewReading {
            begun,
            rest: (begun.elapsed() * REST_FACTOR).clamp(SHORTEST_REST, LONGEST_REST),
            text: text.clone(),
        });
        Ok(text)
    }
}

/// Reads the state and the last events of a thing, as in `gt why`.
fn read_timeline(town: &LiveTown, name: &str) -> Value {
    let Ok(found) = why::explain_name(town, name) else {
        return Value::Null;
    };
    let newest = found.events.iter().rev().take(EVENTS);
    let events: Vec<Value> = newest
        .map(|event| json!({ "ts": event.ts, "text": describe_event(event) }))
        .collect();
    json!({ "now": found.now, "next_steps": found.next_steps, "events": events })
}

/// Returns the end of a log, where the failure is.
fn cut_start(text: &str) -> &str {
    let mut begin = text.len().saturating_sub(LONG);
    while !text.is_char_boundary(begin) {
        begin += 1;
    }
    &text[begin..]
}

fn cut(text: &str) -> &str {
    let mut end = text.len().min(LONG);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
