//! How a session ended by itself: what is kept of it.

use serde::{Deserialize, Serialize};

use super::{LiveSession, ProcessEnd};
use crate::town::name::Lease;

/// How a session ended by itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionEnd {
    /// When that was seen, RFC 3339.
    pub at: String,
    /// The lease it had.
    pub lease: Lease,
    /// Its exit code; none where a signal ended it, or where it is not known.
    pub exit: Option<i32>,
    /// The number of the signal that ended it.
    pub signal: Option<i32>,
    /// Why we ended it, if we did.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub because: String,
    /// The last lines of its screen.
    pub screen: Vec<String>,
}

impl SessionEnd {
    /// How it ended, in a few words: `with exit code 7`.
    pub fn describe(&self) -> String {
        if !self.because.is_empty() {
            return format!("because {}", self.because);
        }
        self.process_end().to_string()
    }

    fn process_end(&self) -> ProcessEnd {
        match (self.exit, self.signal) {
            (Some(code), _) => ProcessEnd::Exit(code),
            (None, Some(number)) => ProcessEnd::Signal(number),
            (None, None) => ProcessEnd::Unknown,
        }
    }
}

/// How a session that is only shown any more ended.
pub fn describe_dead_session(live: &LiveSession) -> Option<String> {
    live.dead.map(|end| end.to_string())
}
