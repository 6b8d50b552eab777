//! Reads the event that an agent CLI passes to a hook as JSON on standard input.

use std::io::{IsTerminal, Read};

use serde_json::{Value, json};

use crate::context::Context;
use gt::flow::agent::seance;
use gt::host::daemon;
use gt::record::pulse::{HookEvent, SessionPulse};

/// Limit of the input in bytes, larger than any event of an agent CLI.
const MAX_INPUT: u64 = 1024 * 1024;

/// The event of an agent CLI. Empty or invalid input is an event without fields.
#[derive(Debug, Default)]
pub(super) struct AgentEvent(Value);

/// Returns true if a copy of a session runs the hook. A copy only answers a question.
pub(super) fn is_session_copy(ctx: &Context) -> bool {
    ctx.env.get(seance::COPY).is_some()
}

impl AgentEvent {
    /// Reads the event from standard input, never more than the limit.
    pub(super) fn read() -> Self {
        let stdin = std::io::stdin();
        if stdin.is_terminal() {
            return Self::default();
        }
        kit::gateway::prepare_input();
        let mut text = String::new();
        // An agent CLI that sends invalid text still gets its answer, as for an event without fields.
        stdin.take(MAX_INPUT).read_to_string(&mut text).ok();
        Self(serde_json::from_str(&text).unwrap_or(Value::Null))
    }

    pub(super) fn value(&self) -> &Value {
        &self.0
    }

    /// Returns a text field, or the empty string if it is missing.
    pub(super) fn text_field(&self, key: &str) -> &str {
        self.0.get(key).and_then(Value::as_str).unwrap_or("")
    }

    /// Returns the first of these fields that is not empty, or the empty string.
    fn first_text_field(&self, keys: &[&str]) -> &str {
        keys.iter()
            .map(|key| self.text_field(key))
            .find(|text| !text.is_empty())
            .unwrap_or("")
    }

    /// Records the progress of the session that the event shows. Errors are ignored: progress is
    /// then judged by other signs.
    pub(super) fn record_progress(&self, ctx: &Context) {
        let Ok(town) = ctx.open_town() else { return };
        let event = HookEvent {
            name: self.text_field("hook_event_name"),
            kind: self.first_text_field(&["notification_type", "error", "error_type"]),
            words: self.first_text_field(&[
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
        if matches!(SessionPulse::record(&town, &event), Ok(true)) {
            daemon::wake_daemon(&town);
        }
    }

    /// Builds the JSON by which some agent CLIs add a text to their context.
    pub(super) fn context_json(&self, text: &str) -> String {
        let event = self.text_field("hook_event_name");
        json!({ "hookSpecificOutput": { "hookEventName": event, "additionalContext": text } })
            .to_string()
    }

    /// Returns true if the field is `true`.
    pub(super) fn is_true(&self, key: &str) -> bool {
        self.0.get(key) == Some(&Value::Bool(true))
    }
}
