//! Reads what a screen shows of each running session besides its state: its last line of output,
//! and the size of its context.
//!
//! A session is captured again only after new output, all of them in a few calls, and a transcript
//! is read again only after it has changed.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use crate::flow::agent::seance::read_file_numbers;
use crate::host::{LiveSession, LiveTown};
use crate::record::progress::ActivityCache;
use crate::record::pulse::SessionPulse;
use crate::record::town_view::TownView;
use crate::town::identity::Address;

/// The number of lines at the end of a screen in which the input box of a program is searched.
const INPUT_BOX_LINES: usize = 14;
/// The maximum number of characters of a line.
const MAX_LINE_CHARS: usize = 200;

/// The last output and the context of a running session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SessionGlance {
    /// The last line of output, without escape sequences.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_line: Option<String>,
    /// The number of tokens in the context of the last request. 0 if unknown.
    #[serde(skip_serializing_if = "is_zero")]
    pub context_tokens: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Earlier readings, for a screen that is redrawn.
#[derive(Debug, Default)]
pub struct GlanceCache {
    pub activity: ActivityCache,
    /// The readings by the token of their session.
    readings: Mutex<HashMap<String, GlanceReading>>,
}

#[derive(Debug, Clone, Default)]
struct GlanceReading {
    glance: SessionGlance,
    /// The time of the capture. None before the first one.
    captured: Option<Timestamp>,
    /// The transcript as it was read.
    transcript: Option<(String, SystemTime)>,
}

impl GlanceCache {
    /// A poisoned lock means a panic between two plain writes, so the values are still valid.
    fn lock_readings(&self) -> MutexGuard<'_, HashMap<String, GlanceReading>> {
        self.readings.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads the glances of the running sessions of agents, by their addresses.
pub fn read_glances(
    town: &LiveTown,
    view: &TownView,
    agents: &[Address],
    cache: &GlanceCache,
) -> BTreeMap<String, SessionGlance> {
    let running: Vec<(&Address, &LiveSession)> = agents
        .iter()
        .filter_map(|agent| Some((agent, view.session_of(agent)?)))
        .collect();
    let mut readings = cache.lock_readings();
    readings.retain(|token, _| running.iter().any(|(_, live)| live.token == *token));
    let changed: Vec<&LiveSession> = running
        .iter()
        .map(|(_, live)| *live)
        .filter(|live| has_new_output(live, readings.get(&live.token)))
        .collect();
    // Without screens, the last readings stay.
    let screens = town.host.capture_all(&changed).into_iter().flatten();
    for (live, screen) in changed.iter().zip(screens) {
        let reading = readings.entry(live.token.clone()).or_default();
        reading.captured = Some(view.now);
        reading.glance.last_line = find_last_line(&screen);
    }
    let mut glances = BTreeMap::new();
    for (agent, live) in running {
        let reading = readings.entry(live.token.clone()).or_default();
        let pulse = SessionPulse::load(&town.layout, &live.name, &live.token);
        if let Some(transcript) = &pulse.transcript {
            refresh_context(reading, transcript);
        }
        glances.insert(agent.to_string(), reading.glance.clone());
    }
    glances
}

/// Returns true if a screen may have changed since its capture. The time of output is known to the
/// second.
fn has_new_output(live: &LiveSession, reading: Option<&GlanceReading>) -> bool {
    let captured = reading.and_then(|reading| reading.captured);
    captured.is_none_or(|at| live.activity + SignedDuration::from_secs(1) >= at)
}

fn refresh_context(reading: &mut GlanceReading, transcript: &str) {
    // The path comes from a hook. A pipe would block the reader.
    let changed = match std::fs::metadata(transcript) {
        Ok(meta) if meta.is_file() => meta.modified().ok(),
        _ => None,
    };
    let Some(changed) = changed else {
        return;
    };
    let current = Some((transcript.to_owned(), changed));
    if reading.transcript != current {
        reading.glance.context_tokens = read_file_numbers(Path::new(transcript)).context;
        reading.transcript = current;
    }
}

/// Returns the last line with a letter or digit above the input box of the program.
fn find_last_line(screen: &str) -> Option<String> {
    let lines: Vec<&str> = screen.trim_end().lines().collect();
    let begin = lines.len().saturating_sub(INPUT_BOX_LINES);
    let rules: Vec<usize> = (begin..lines.len())
        .filter(|line| is_rule(lines[*line]))
        .collect();
    // An input box has a rule above and one below.
    let end = match rules[..] {
        [.., above, _] => above,
        _ => lines.len(),
    };
    lines[..end]
        .iter()
        .rev()
        .map(|line| line.trim_matches(|c: char| c.is_whitespace() || ('─'..='╿').contains(&c)))
        .find(|text| text.contains(char::is_alphanumeric))
        .map(|text| text.chars().take(MAX_LINE_CHARS).collect())
}

/// Returns true for a line that is only drawn: `╭──────╮`.
fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.chars().count() >= 3 && line.chars().all(|c| ('─'..='╿').contains(&c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_is_above_the_input_box_and_without_its_frame() {
        for (screen, line) in [
            ("one\ntwo  \n\n", "two"),
            ("", ""),
            ("done\n────────\n❯ \n────────\n  ? for shortcuts", "done"),
            (
                "● Reading parser.rs\n\n╭─────╮\n│ >   │\n╰─────╯\n  2 files · main",
                "● Reading parser.rs",
            ),
            ("│ a table │ of two │\n└──────┘", "a table │ of two"),
            ("text\n...\n", "text"),
        ] {
            assert_eq!(find_last_line(screen).unwrap_or_default(), line, "{screen}");
        }
        let long = "ä".repeat(500);
        assert_eq!(
            find_last_line(&long).unwrap().chars().count(),
            MAX_LINE_CHARS
        );
    }
}
