//! Records how a session ended on its own.

use serde::{Deserialize, Serialize};

use super::{LiveSession, ProcessEnd};
use crate::town::name::Lease;

/// The end of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionEnd {
    /// The time at which the end was noticed, RFC 3339.
    pub at: String,
    pub lease: Lease,
    /// The exit code. None if a signal ended the session, or if it is unknown.
    pub exit: Option<i32>,
    /// The number of the signal that ended the session.
    pub signal: Option<i32>,
    /// The reason why the town ended the session, if it did.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub because: String,
    /// The last lines of the screen.
    pub screen: Vec<String>,
}

impl SessionEnd {
    /// Describes the end in a few words: `with exit code 7`.
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

/// Describes the end of a session that tmux only displays any more.
pub fn describe_dead_session(live: &LiveSession) -> Option<String> {
    live.dead.map(|end| end.to_string())
}
