//! Defines the occasions for a context, which decide how much text it has.

use serde::Serialize;

/// The occasion for which a context is requested.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Occasion {
    /// A user or agent ran `gt prime`: the full context.
    #[default]
    Asked,
    /// A session starts: the full context.
    Startup,
    /// A session resumes and still has its context: its identity, and that it resumed.
    Resume,
    /// The conversation was cleared: the full context.
    Clear,
    /// The conversation is about to be compacted: the facts that the summary must keep. An agent
    /// CLI passes this text to the model that writes the summary.
    Precompact,
    /// The conversation was compacted: the full context without the prior work, which is in the
    /// summary.
    Compact,
    /// A user asks for the text that the worker of a bead gets.
    Brief,
}

impl Occasion {
    /// Derives the occasion from the event of an agent CLI's hook and from the source that the CLI
    /// names at a session start. An unknown source counts as a start.
    pub fn from_event(event: &str, source: &str) -> Self {
        match source {
            _ if event == "PreCompact" => Self::Precompact,
            // A fork has the conversation of its original.
            "resume" | "fork" => Self::Resume,
            "clear" => Self::Clear,
            "compact" => Self::Compact,
            _ => Self::Startup,
        }
    }

    /// Returns true if the context includes the prior work of the convoy.
    pub(super) fn has_prior_work(self) -> bool {
        !matches!(self, Self::Resume | Self::Precompact | Self::Compact)
    }

    /// Returns true if a session starts or resumes.
    pub fn is_session_start(self) -> bool {
        self.is_hook() && self != Self::Precompact
    }

    /// Returns true if an agent CLI reads the context from a hook.
    pub(super) fn is_hook(self) -> bool {
        !matches!(self, Self::Asked | Self::Brief)
    }
}
