//! Reads the conversation of a session from its transcript, for people who follow it.
//!
//! An entry is a message of the user or the agent, or the results of tool calls. Gemini CLI stores
//! the results with their calls in one entry. Thoughts and the output of hooks are left out.
//!
//! Transcripts are long, so they are read line by line, and only the wanted entries are in memory.
//! Long texts are cut.

use std::borrow::Cow;
use std::collections::VecDeque;

use jiff::SignedDuration;
use kit::ui::cut;
use serde::Serialize;
use serde_json::Value;

pub use super::transcript::Speaker;
use super::transcript::{MessagePart, SpokenMessage, Transcript, TranscriptEvent};
use super::{PastSession, list_recent_sessions};
use crate::town::Town;
use crate::town::identity::Address;

/// The maximum number of characters of a message's text.
const TEXT_LIMIT: usize = 32_000;

/// The maximum number of characters of a tool call's input.
const INPUT_LIMIT: usize = 2_000;

/// The maximum number of characters of a tool call's result.
const RESULT_LIMIT: usize = 4_000;

/// The age of the oldest start event that is searched for an agent's newest session.
const NEWEST_AGE: SignedDuration = SignedDuration::from_hours(30 * 24);

/// The arguments that describe a call on their own, the most telling first.
const MAIN_ARGUMENTS: [&str; 10] = [
    "command",
    "cmd",
    "file_path",
    "absolute_path",
    "path",
    "pattern",
    "query",
    "url",
    "description",
    "prompt",
];

/// An entry of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConversationEntry {
    /// The number in the session, from 1.
    pub number: usize,
    /// RFC 3339. Empty if unknown.
    pub at: String,
    pub by: Speaker,
    /// The number of user messages up to here, from 1.
    pub turn: usize,
    /// The model that wrote the entry, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The texts. A cut one ends with `…`.
    pub texts: Vec<String>,
    pub calls: Vec<ToolCall>,
    pub results: Vec<ToolResult>,
    /// True if the agent ran `gt handoff` here.
    pub handoff: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ToolCall {
    pub name: String,
    /// The argument that describes the call (the command, the path), otherwise all arguments as
    /// JSON. A cut input ends with `…`.
    pub input: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ToolResult {
    pub text: String,
    /// True if only the beginning is in `text`.
    pub is_cut: bool,
}

/// Selects entries of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConversationWindow {
    /// The last entries, at most this many.
    Last(usize),
    /// The entries from a number on, at most `limit`. The last entry of a running session can still
    /// change, so a reader that follows a session starts at its number again.
    From { number: usize, limit: usize },
}

/// The selected entries of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Conversation {
    pub entries: Vec<ConversationEntry>,
    /// The number of entries in the whole conversation.
    pub total: usize,
}

/// Reads a part of the conversation in a transcript. An unreadable file has no entries.
pub fn read_conversation(transcript: &Transcript, window: ConversationWindow) -> Conversation {
    let mut entries = VecDeque::new();
    let mut total = 0;
    for_each_entry(transcript, |entry| {
        total = entry.number;
        match window {
            ConversationWindow::Last(limit) => {
                entries.push_back(entry);
                if entries.len() > limit {
                    entries.pop_front();
                }
            }
            ConversationWindow::From { number, limit } => {
                if entry.number >= number && entries.len() < limit {
                    entries.push_back(entry);
                }
            }
        }
        true
    });
    Conversation {
        entries: entries.into(),
        total,
    }
}

/// Reads a part of a session's conversation. None if the session left no transcript.
pub fn read_session_conversation(
    session: &PastSession,
    window: ConversationWindow,
) -> Option<Conversation> {
    let transcript = session.transcript.as_ref()?;
    Some(read_conversation(transcript, window))
}

/// Returns the agent's newest session with a transcript. Sessions whose agent's folder is gone
/// count only if they began in the last 30 days.
pub fn find_newest_session(town: &Town, agent: &Address) -> anyhow::Result<Option<PastSession>> {
    let since = town.clock.now().checked_sub(NEWEST_AGE)?;
    let actor = agent.to_string();
    Ok(list_recent_sessions(town, since)?
        .into_iter()
        .filter(|session| session.actor == actor)
        .find(|session| session.transcript.is_some()))
}

/// Passes the entries of a transcript in their order to `take` until it returns false.
pub fn for_each_entry(transcript: &Transcript, mut take: impl FnMut(ConversationEntry) -> bool) {
    let mut reader = EntryReader::default();
    let mut is_wanted = true;
    transcript.for_each_event(|event| {
        if let Some(entry) = reader.take_event(event) {
            is_wanted = take(entry);
        }
        is_wanted
    });
    if let Some(last) = reader.pending.filter(|_| is_wanted) {
        take(last.entry);
    }
}

/// Reads entries from events. Gemini CLI writes an answer again when its tools have finished, so
/// the newest entry is held back until another one begins.
#[derive(Default)]
struct EntryReader {
    number: usize,
    turn: usize,
    /// The model that the last event without a message named.
    named_model: Option<String>,
    pending: Option<PendingEntry>,
}

struct PendingEntry {
    id: Option<String>,
    entry: ConversationEntry,
}

impl EntryReader {
    /// Reads an event, and returns the entry that is complete now.
    fn take_event(&mut self, event: &TranscriptEvent) -> Option<ConversationEntry> {
        let Some(message) = &event.message else {
            if let Some(model) = event.model {
                self.named_model = Some(model.to_owned());
            }
            return None;
        };
        let is_repeated = self
            .pending
            .as_ref()
            .and_then(|pending| pending.id.as_deref())
            .is_some_and(|id| event.id == Some(id));
        if message.by == Speaker::User && !is_repeated {
            self.turn += 1;
        }
        let mut entry = build_entry(event, message);
        if entry.texts.is_empty() && entry.calls.is_empty() && entry.results.is_empty() {
            return None;
        }
        if entry.model.is_none() && message.by == Speaker::Assistant {
            entry.model.clone_from(&self.named_model);
        }
        if !is_repeated {
            self.number += 1;
        }
        entry.number = self.number;
        entry.turn = self.turn.max(1);
        let id = event.id.map(str::to_owned);
        let before = self.pending.replace(PendingEntry { id, entry });
        before.filter(|_| !is_repeated).map(|pending| pending.entry)
    }
}

/// Builds an entry without its number and turn.
fn build_entry(event: &TranscriptEvent, message: &SpokenMessage) -> ConversationEntry {
    let mut entry = ConversationEntry {
        number: 0,
        at: event.at.clone().unwrap_or_default(),
        by: message.by,
        turn: 0,
        model: event
            .model
            .filter(|model| !model.is_empty())
            .map(str::to_owned),
        texts: Vec::new(),
        calls: Vec::new(),
        results: Vec::new(),
        handoff: false,
    };
    for part in &message.parts {
        match *part {
            MessagePart::Text(text) if text.trim().is_empty() => {}
            MessagePart::Text(text) => entry.texts.push(mark_cut(text, TEXT_LIMIT)),
            MessagePart::Call { name, input } => {
                let input = parse_input(input);
                entry.handoff |= list_commands(&input).iter().any(|text| runs_handoff(text));
                entry.calls.push(ToolCall {
                    name: name.to_owned(),
                    input: mark_cut(&summarize_input(&input), INPUT_LIMIT),
                });
            }
            MessagePart::Result(text) => {
                let kept = cut::first_characters(text, RESULT_LIMIT);
                entry.results.push(ToolResult {
                    is_cut: kept.len() < text.len(),
                    text: kept.to_owned(),
                });
            }
        }
    }
    entry
}

/// Parses arguments that the program wrote as a text with JSON.
fn parse_input(input: &Value) -> Cow<'_, Value> {
    input
        .as_str()
        .and_then(|text| serde_json::from_str::<Value>(text).ok())
        .filter(Value::is_object)
        .map_or(Cow::Borrowed(input), Cow::Owned)
}

/// Returns the argument that describes a call on its own, otherwise all arguments.
fn summarize_input(input: &Value) -> String {
    let main = MAIN_ARGUMENTS
        .iter()
        .find_map(|name| argument_text(input.get(name)?));
    main.unwrap_or_else(|| match input {
        Value::String(text) => text.clone(),
        Value::Object(fields) if fields.is_empty() => String::new(),
        other => other.to_string(),
    })
}

/// Returns the text of an argument. Codex has commands as lists of words.
fn argument_text(argument: &Value) -> Option<String> {
    match argument {
        Value::String(text) => Some(text.clone()),
        Value::Array(words) => {
            let words: Option<Vec<&str>> = words.iter().map(Value::as_str).collect();
            words.map(|words| words.join(" "))
        }
        _ => None,
    }
}

/// Returns the command lines in the arguments of a call.
fn list_commands(input: &Value) -> Vec<&str> {
    let command = input.get("command").or_else(|| input.get("cmd"));
    match command.unwrap_or(input) {
        Value::String(text) => vec![text],
        Value::Array(words) => words.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// Returns true if a command line runs `gt handoff`, not if it only mentions the words.
fn runs_handoff(command: &str) -> bool {
    command.match_indices("gt handoff").any(|(at, found)| {
        let before = command[..at].trim_end_matches([' ', '\t']);
        let after = command[at + found.len()..].chars().next();
        (before.is_empty() || before.ends_with([';', '&', '|', '(', '\n']))
            && after.is_none_or(|c| c.is_whitespace() || c == ';')
    })
}

fn mark_cut(text: &str, limit: usize) -> String {
    let kept = cut::first_characters(text, limit);
    let mark = if kept.len() < text.len() { "…" } else { "" };
    format!("{kept}{mark}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: ConversationWindow = ConversationWindow::Last(usize::MAX);

    fn read(lines: &[&str], window: ConversationWindow) -> Conversation {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), lines.join("\n")).unwrap();
        read_conversation(&Transcript::Lines(file.path().to_owned()), window)
    }

    /// Formats the entries, each as one line.
    fn describe(conversation: &Conversation) -> String {
        let lines = conversation.entries.iter().map(|entry| {
            let mut line = format!("{} {:?} {}", entry.number, entry.by, entry.turn);
            for text in &entry.texts {
                line.push_str(&format!(" | {text}"));
            }
            for call in &entry.calls {
                line.push_str(&format!(" | {}({})", call.name, call.input));
            }
            for result in &entry.results {
                line.push_str(&format!(" | = {}", result.text));
            }
            if entry.handoff {
                line.push_str(" | handoff");
            }
            if let Some(model) = &entry.model {
                line.push_str(&format!(" | by {model}"));
            }
            line + "\n"
        });
        lines.collect()
    }

    #[test]
    fn a_conversation_of_claude_code_has_calls_results_and_handoffs() {
        let conversation = read(
            &[
                r#"{"type":"mode","mode":"normal"}"#,
                r#"{"type":"user","timestamp":"t1","message":{"content":"Plan the parser"}}"#,
                r#"{"type":"assistant","timestamp":"t2","message":{"model":"m-1","content":[{"type":"thinking","thinking":"hm"}]}}"#,
                r#"{"type":"assistant","timestamp":"t3","message":{"model":"m-1","content":[{"type":"text","text":"First a look"},{"type":"tool_use","name":"Grep","input":{"pattern":"gt handoff","path":"src"}}]}}"#,
                "{ damaged",
                r#"{"type":"user","timestamp":"t4","message":{"content":[{"type":"tool_result","content":[{"type":"text","text":"src/a.rs"}]}]}}"#,
                r#"{"type":"user","timestamp":"t5","message":{"content":"Hand over"}}"#,
                r#"{"type":"assistant","timestamp":"t6","message":{"model":"<synthetic>","content":[{"type":"tool_use","name":"Bash","input":{"command":"git add -A && gt handoff -m done","description":"Hand over"}},{"type":"tool_use","name":"TodoWrite","input":{"todos":[1]}}]}}"#,
            ],
            ALL,
        );
        let expected = "\
1 User 1 | Plan the parser
2 Assistant 1 | First a look | Grep(src) | by m-1
3 Tool 1 | = src/a.rs
4 User 2 | Hand over
5 Assistant 2 | Bash(git add -A && gt handoff -m done) | TodoWrite({\"todos\":[1]}) | handoff
";
        assert_eq!(describe(&conversation), expected);
        assert_eq!(conversation.total, 5);
        let json = serde_json::to_value(&conversation.entries[2]).unwrap();
        let expected = serde_json::json!({
            "number": 3, "at": "t4", "by": "tool", "turn": 1, "texts": [], "calls": [],
            "results": [{ "text": "src/a.rs", "is_cut": false }], "handoff": false,
        });
        assert_eq!(json, expected);
    }

    #[test]
    fn a_message_of_opencode_has_its_time_and_model() {
        let message = r#"{"id":"m","role":"assistant","modelID":"m-2","time":{"created":1772618400000},"content":[{"type":"text","text":"Hi"}]}"#;
        let conversation = read(&[message], ALL);
        let entry = &conversation.entries[0];
        let known = (entry.at.as_str(), entry.model.as_deref());
        assert_eq!(known, ("2026-03-04T10:00:00Z", Some("m-2")));
    }

    #[test]
    fn a_conversation_of_codex_has_its_model_and_commands_of_several_words() {
        let conversation = read(
            &[
                r#"{"timestamp":"t0","type":"session_meta","payload":{"id":"c"}}"#,
                r#"{"timestamp":"t0","type":"turn_context","payload":{"model":"gpt-a"}}"#,
                r#"{"timestamp":"t1","type":"response_item","payload":{"type":"message","role":"developer","content":[{"type":"input_text","text":"rules"}]}}"#,
                r#"{"timestamp":"t1","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Begin"}]}}"#,
                r#"{"timestamp":"t2","type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":[\"bash\",\"-lc\",\"gt handoff -m 'half done'\"]}"}}"#,
                r#"{"timestamp":"t3","type":"response_item","payload":{"type":"function_call_output","output":"handed over"}}"#,
                r#"{"timestamp":"t4","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Done"}]}}"#,
                r#"{"timestamp":"t4","type":"event_msg","payload":{"type":"agent_message","message":"Done"}}"#,
            ],
            ALL,
        );
        let expected = "\
1 User 1 | Begin
2 Assistant 1 | shell(bash -lc gt handoff -m 'half done') | handoff | by gpt-a
3 Tool 1 | = handed over
4 Assistant 1 | Done | by gpt-a
";
        assert_eq!(describe(&conversation), expected);
    }

    #[test]
    fn an_answer_that_gemini_cli_writes_again_is_one_entry() {
        let conversation = read(
            &[
                r#"{"sessionId":"s","startTime":"t0"}"#,
                r#"{"id":"1","timestamp":"t1","type":"user","content":[{"text":"Begin"}]}"#,
                r#"{"id":"2","timestamp":"t2","type":"gemini","model":"g-1","content":"A look"}"#,
                r#"{"$set":{"lastUpdated":"t3"}}"#,
                r#"{"id":"2","timestamp":"t2","type":"gemini","model":"g-1","content":"A look","toolCalls":[{"name":"run_shell_command","args":{"command":"ls"},"resultDisplay":"a.rs"}]}"#,
                r#"{"id":"3","timestamp":"t4","type":"user","content":[{"text":"Go on"}]}"#,
            ],
            ALL,
        );
        let expected = "\
1 User 1 | Begin
2 Assistant 1 | A look | run_shell_command(ls) | = a.rs | by g-1
3 User 2 | Go on
";
        assert_eq!(describe(&conversation), expected);
    }

    #[test]
    fn a_window_keeps_the_numbers_of_its_entries() {
        let line = |text: &str| {
            format!(r#"{{"type":"user","timestamp":"t","message":{{"content":"{text}"}}}}"#)
        };
        let lines: Vec<String> = ["a", "b", "c", "d"].map(line).into();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let last = read(&lines, ConversationWindow::Last(2));
        assert_eq!(describe(&last), "3 User 3 | c\n4 User 4 | d\n");
        assert_eq!(last.total, 4);
        let from = |number, limit| {
            let window = ConversationWindow::From { number, limit };
            describe(&read(&lines, window))
        };
        assert_eq!(from(2, 2), "2 User 2 | b\n3 User 3 | c\n");
        assert_eq!(from(4, 10), "4 User 4 | d\n");
        assert_eq!(from(5, 10), "");
        let none = read_conversation(&Transcript::Lines("/nowhere".into()), ALL);
        assert_eq!((none.entries.len(), none.total), (0, 0));
    }

    #[test]
    fn long_results_are_cut_at_a_character() {
        let long = "ä".repeat(RESULT_LIMIT + 1);
        let line = format!(
            r#"{{"type":"user","message":{{"content":[{{"type":"tool_result","content":"{long}"}}]}}}}"#
        );
        let conversation = read(&[&line], ALL);
        let result = &conversation.entries[0].results[0];
        assert_eq!(result.text.chars().count(), RESULT_LIMIT);
        assert!(result.is_cut);
    }

    #[test]
    fn only_a_command_that_hands_over_is_a_handoff() {
        for command in ["gt handoff", "make; gt handoff -m x", "cd a\n gt handoff"] {
            assert!(runs_handoff(command), "{command}");
        }
        for command in ["grep 'gt handoff' .", "echo gt handoff", "gt handoffs"] {
            assert!(!runs_handoff(command), "{command}");
        }
    }
}
