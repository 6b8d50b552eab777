//! Waits for an event of the town, so that patrols do not have to poll.

use std::path::Path;
use std::time::{Duration, Instant};

use kit::sys::watch::FolderWatch;
use serde::Serialize;

use crate::town::TownLayout;
use crate::town::event::LinesBackwards;

/// The reason why a wait ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WaitEnd {
    /// An event was recorded.
    Signal,
    Timeout,
}

/// The result of a wait.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SignalReport {
    pub reason: WaitEnd,
    /// The duration of the wait in nanoseconds.
    pub elapsed: u64,
    /// The last event, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<String>,
}

/// Waits until an event is recorded in the town, at most `limit`.
pub fn await_signal(layout: &TownLayout, limit: Duration) -> anyhow::Result<SignalReport> {
    let path = layout.events();
    let folder = path.parent().unwrap_or(&path).to_owned();
    let changes = FolderWatch::start([folder.as_path()])?;
    let read_size = || std::fs::metadata(&path).map_or(0, |meta| meta.len());
    let begin = read_size();
    let start = Instant::now();
    loop {
        let elapsed = start.elapsed();
        let build_report = |reason, signal| SignalReport {
            reason,
            elapsed: u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX),
            signal,
        };
        if read_size() != begin {
            return Ok(build_report(WaitEnd::Signal, read_last_line(&path)));
        }
        if elapsed >= limit {
            return Ok(build_report(WaitEnd::Timeout, None));
        }
        changes.wait_at_most(limit.saturating_sub(elapsed));
    }
}

fn read_last_line(path: &Path) -> Option<String> {
    let mut lines = LinesBackwards::open(path).ok()?.map_while(Result::ok);
    // The last line ends with a line end.
    let line = lines.by_ref().take(2).find(|line| !line.is_empty())?;
    String::from_utf8(line).ok()
}
