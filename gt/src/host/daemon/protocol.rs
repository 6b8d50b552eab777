//! What is said on the daemon's socket: one JSON object a line, a request and its answer.

use serde::{Deserialize, Serialize};

use crate::town::event::EventLine;

/// The longest line that either side reads, in bytes.
pub const LINE_LIMIT: usize = 64 * 1024;

/// A request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "snake_case")]
pub enum DaemonRequest {
    /// How are you?
    Status,
    /// Look at the town now.
    Wake,
    /// End, cleanly.
    Stop,
    /// Stay connected: one [`Answer::Event`] for each event that the daemon records.
    Subscribe,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum DaemonAnswer {
    /// How it is.
    Status {
        /// Its process number.
        pid: u32,
        /// When it was started, RFC 3339.
        started_at: String,
        /// Passes made.
        passes: u64,
        /// When the last pass ended, RFC 3339; empty before the first.
        last_pass: String,
        /// What keeps it from doing everything, if anything.
        degraded: Option<String>,
    },
    /// Understood and done.
    Ok,
    /// Something happened: the line that the file of events got.
    Event(EventLine),
    /// Not understood.
    Error {
        /// Why.
        reason: String,
    },
}
