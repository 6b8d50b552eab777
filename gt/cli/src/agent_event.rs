//! The event that an agent CLI runs a hook for: JSON on standard input.

use std::io::{IsTerminal, Read};

use serde_json::{Value, json};

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::seance;
use gt::host::daemon;
use gt::record::pulse::{HookEvent, SessionPulse};

/// More than any agent CLI says.
const LIMIT: u64 = 1024 * 1024;

/// An agent CLI's event; nothing or nonsense on standard input is an empty one.
#[derive(Debug, Default)]
pub(super) struct AgentEvent(Value);

/// Whether the hook is run by a copy of a session, which is only asked a question.
pub(super) fn is_session_copy(ctx: &Context) -> bool {
    ctx.env.get(seance::COPY).is_some()
}

/// What a hook says that has nothing to say.
pub(super) fn build_empty_report() -> CommandResult {
    build_report(Value::Null, |_, _| {})
}

impl AgentEvent {
    /// Reads it.
    pub(super) fn read() -> Self {
        let stdin = std::io::stdin();
        if stdin.is_terminal() {
            return Self::default();
        }
        let mut text = String::new();
        // An agent CLI that hands in no readable text still gets its answer.
        stdin.take(LIMIT).read_to_string(&mut text).ok();
        Self(serde_json::from_str(&text).unwrap_or_default())
    }

    /// A field that is text; empty where there is none.
    pub(super) fn text_field(&self, key: &str) -> &str {
        self.0.get(key).and_then(Value::as_str).unwrap_or_default()
    }

    /// Keeps what it says of its session's progress. What cannot be kept is lost: progress is then judged by other signs.
    pub(super) fn record_progress(&self, ctx: &Context) {
        let Ok(town) = ctx.open_town() else { return };
        let first = |keys: &[&str]| {
            let mut texts = keys.iter().map(|key| self.text_field(key));
            texts.find(|text| !text.is_empty()).unwrap_or_default()
        };
        let event = HookEvent {
            name: self.text_field("hook_event_name"),
            kind: first(&["notification_type", "error", "error_type"]),
            words: first(&[
                "message",
                "error_details",
                "error_message",
                "last_assistant_message",
                "tool_name",
                "error",
            ]),
            model: self.text_field("model"),
            transcript: self.text_field("transcript_path"),
        };
        if SessionPulse::record(&town, &event).unwrap_or_default() {
            daemon::wake_daemon(&town);
        }
    }

    /// A text as the JSON by which some agent CLIs add it to their context.
    pub(super) fn context_json(&self, text: &str) -> String {
        let event = self.text_field("hook_event_name");
        json!({ "hookSpecificOutput": { "hookEventName": event, "additionalContext": text } })
            .to_string()
    }

    /// Whether a field is true.
    pub(super) fn is_true(&self, key: &str) -> bool {
        self.0.get(key).and_then(Value::as_bool).unwrap_or_default()
    }
}
