//! How a session ended by itself: what is kept of it.

use serde::{Deserialize, Serialize};

use super::{End, Live};
use crate::town::name::Lease;

/// How a session ended by itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Ended {
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

impl Ended {
    /// How it ended, in a few words: `with exit code 7`.
    pub fn how(&self) -> String {
        if !self.because.is_empty() {
            return format!("because {}", self.because);
        }
        self.end().to_string()
    }

    fn end(&self) -> End {
        match (self.exit, self.signal) {
            (Some(code), _) => End::Exit(code),
            (None, Some(number)) => End::Signal(number),
            (None, None) => End::Unknown,
        }
    }
}

/// How a session that is only shown any more ended.
pub fn how_dead(live: &Live) -> Option<String> {
    live.dead.map(|end| end.to_string())
}
