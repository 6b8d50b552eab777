//! Defines the messages on the daemon's socket: one JSON object per line, a request and its answer.

use serde::{Deserialize, Serialize};

use crate::town::event::EventLine;

/// The maximum length of a line in bytes, for both sides.
pub const LINE_LIMIT: usize = 64 * 1024;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "snake_case")]
pub enum DaemonRequest {
    Status,
    /// Asks for a pass now.
    Wake,
    Stop,
    /// Asks for the numbers of the town, as `gt metrics` prints them.
    Metrics,
    /// Keeps the connection open and sends one [`DaemonAnswer::Event`] per event that the daemon
    /// records.
    Subscribe,
    /// Serves the town's page in a browser from now on, and creates a token for it. The port 0 is
    /// any free one. With `act`, the token allows actions.
    Page {
        port: u16,
        act: bool,
    },
    /// Ends the access of all browsers to the page, and voids its unused links.
    RevokePage,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum DaemonAnswer {
    Status {
        pid: u32,
        /// The start time, RFC 3339.
        started_at: String,
        passes: u64,
        /// The end of the last pass, RFC 3339. Empty before the first.
        last_pass: String,
        /// The reason why the daemon cannot do everything, if there is one.
        degraded: Option<String>,
        /// The version of the daemon. None in answers of earlier versions.
        #[serde(default)]
        version: Option<String>,
    },
    Ok,
    /// The port of the page on the loopback address, and a token that is valid once.
    Page {
        port: u16,
        token: String,
    },
    /// The number of browsers whose access ended.
    Revoked {
        browsers: usize,
    },
    /// The numbers of the town in the text format of Prometheus.
    Metrics {
        text: String,
    },
    /// A recorded event: its line in the file of events.
    Event(EventLine),
    Error {
        reason: String,
    },
}
