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

/// The begin of the message that tmux draws on the lowest line of an ended session's screen.
const END_MESSAGE: &str = "Pane is dead";

/// Returns true for a line of an ended session's screen that its program did not print.
pub fn is_end_message(line: &str) -> bool {
    line.starts_with(END_MESSAGE)
}

/// Returns the screen of an ended session up to its program's last line. The message about the end
/// is on the lowest line, however tall the screen is.
pub fn strip_end_message(screen: &str) -> &str {
    let screen = screen.trim_end();
    let (above, lowest) = screen.rsplit_once('\n').unwrap_or(("", screen));
    if is_end_message(lowest) {
        above.trim_end()
    } else {
        screen
    }
}

/// Describes the end of a session that tmux only displays any more.
pub fn describe_dead_session(live: &LiveSession) -> Option<String> {
    live.dead.map(|end| end.to_string())
}
