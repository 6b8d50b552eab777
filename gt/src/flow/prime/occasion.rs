//! Why a context is asked for, which says how much of it there is.

use serde::Serialize;

/// Why a context is asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Occasion {
    /// Someone ran `gt prime`: all of it.
    #[default]
    Asked,
    /// A session begins: all of it.
    Startup,
    /// A session goes on that has its context before it: who it is, and that it goes on.
    Resume,
    /// The conversation was cleared: all of it.
    Clear,
    /// The conversation is about to be summed up: what the summary must keep. An agent CLI hands this to the
    /// model that writes it.
    Precompact,
    /// The conversation was summed up: all but the prior work, which is in the summary.
    Compact,
    /// Someone asks what the worker of a bead is told of it.
    Brief,
}

impl Occasion {
    /// From the event that an agent CLI runs a hook for, and the source that it names when a session begins;
    /// any other word begins one.
    pub fn from_event(event: &str, source: &str) -> Self {
        match source {
            _ if event == "PreCompact" => Self::Precompact,
            // A fork has the conversation that it was forked from.
            "resume" | "fork" => Self::Resume,
            "clear" => Self::Clear,
            "compact" => Self::Compact,
            _ => Self::Startup,
        }
    }

    /// Whether the prior work of the convoy belongs to it.
    pub(super) fn has_prior_work(self) -> bool {
        !matches!(self, Self::Resume | Self::Precompact | Self::Compact)
    }

    /// Whether a session begins or goes on with it.
    pub fn is_session_start(self) -> bool {
        self.is_hook() && self != Self::Precompact
    }

    /// Whether an agent CLI reads it from a hook.
    pub(super) fn is_hook(self) -> bool {
        !matches!(self, Self::Asked | Self::Brief)
    }
}
