//! Searches the transcripts of sessions.

use serde::Serialize;
use serde_json::Value;

use super::transcript::{MessagePart, Speaker, Transcript};

/// The number of characters of context around a match.
const CONTEXT_CHARS: usize = 80;

/// A match in a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TranscriptHit {
    /// The turn: the number of user messages up to here, from 1.
    pub turn: usize,
    pub at: String,
    /// The speaker: `user` or `assistant`.
    pub by: String,
    /// The match with its context.
    pub text: String,
    /// True if the session handed over here.
    pub handoff: bool,
}

/// Finds a text in a session, ignoring case.
pub fn search_transcript(transcript: &Transcript, text: &str) -> Vec<TranscriptHit> {
    let wanted = text.to_lowercase();
    let mut turn = 0;
    let mut hits = Vec::new();
    transcript.for_each_event(|event| {
        let Some(message) = &event.message else {
            return true;
        };
        turn += usize::from(message.by == Speaker::User);
        for piece in message.parts.iter().flat_map(list_texts) {
            if let Some(around) = excerpt_around(piece, &wanted) {
                hits.push(TranscriptHit {
                    turn: turn.max(1),
                    at: event.at.clone().unwrap_or_default(),
                    by: match message.by {
                        Speaker::User | Speaker::Tool => "user".to_owned(),
                        Speaker::Assistant => "assistant".to_owned(),
                    },
                    handoff: piece.contains("gt handoff"),
                    text: around,
                });
            }
        }
        true
    });
    hits
}

/// Returns the texts of a part: a text, a result, or the arguments of a call.
fn list_texts<'a>(part: &MessagePart<'a>) -> Vec<&'a str> {
    match part {
        MessagePart::Text(text) | MessagePart::Result(text) => vec![text],
        MessagePart::Call { input, .. } => match input {
            Value::String(text) => vec![text],
            Value::Object(fields) => fields.values().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        },
    }
}

/// Returns the text around the first match. `wanted` is in lower case.
fn excerpt_around(text: &str, wanted: &str) -> Option<String> {
    let small = text.to_lowercase();
    let at = small.find(wanted)?;
    // A lower-case text can be longer in bytes, so positions are counted in characters.
    let begin = small[..at].chars().count();
    let length = wanted.chars().count();
    let from = begin.saturating_sub(CONTEXT_CHARS);
    let shown: String = text
        .chars()
        .skip(from)
        .take(begin - from + length + CONTEXT_CHARS)
        .collect();
    let before = if from > 0 { "…" } else { "" };
    let after = if text.chars().count() > begin + length + CONTEXT_CHARS {
        "…"
    } else {
        ""
    };
    Some(format!("{before}{}{after}", shown.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_counted_and_damaged_lines_are_skipped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.jsonl");
        let lines = [
            r#"{"type":"user","timestamp":"t1","message":{"content":"Begin the Parser"}}"#,
            "{ damaged",
            r#"{"type":"assistant","timestamp":"t2","message":{"content":[{"type":"text","text":"the parser?"},{"type":"tool_use","input":{"command":"gt handoff -m 'parser half done'"}}]}}"#,
            r#"{"type":"user","timestamp":"t3","message":{"content":[{"type":"tool_result","content":"no parser here"}]}}"#,
            r#"{"type":"user","timestamp":"t4","message":{"content":"And now?"}}"#,
            r#"{"type":"assistant","timestamp":"t5","message":{"content":[{"type":"text","text":"PARSER done"}]}}"#,
            r#"{"type":"summary","message":{"content":"parser"}}"#,
        ];
        std::fs::write(&path, lines.join("\n")).unwrap();
        let hits = search_transcript(&Transcript::Lines(path), "parser");
        let found: Vec<(usize, &str, bool)> = hits
            .iter()
            .map(|hit| (hit.turn, hit.at.as_str(), hit.handoff))
            .collect();
        assert_eq!(
            found,
            [
                (1, "t1", false),
                (1, "t2", false),
                (1, "t2", true),
                (1, "t3", false),
                (2, "t5", false)
            ]
        );
    }

    #[test]
    fn codex_and_gemini_transcripts_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.jsonl");
        let lines = [
            r#"{"timestamp":"t0","type":"session_meta","payload":{"id":"c","base_instructions":{"text":"parser"}}}"#,
            r#"{"timestamp":"t1","type":"response_item","payload":{"type":"message","role":"developer","content":[{"type":"input_text","text":"parser rules"}]}}"#,
            r#"{"timestamp":"t1","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Begin the parser"}]}}"#,
            r#"{"timestamp":"t2","type":"response_item","payload":{"type":"function_call","name":"exec","arguments":"{\"cmd\":\"gt handoff -m 'parser'\"}"}}"#,
            r#"{"timestamp":"t3","type":"response_item","payload":{"type":"function_call_output","output":"no parser"}}"#,
            r#"{"timestamp":"t4","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Parser done"}]}}"#,
            r#"{"timestamp":"t4","type":"event_msg","payload":{"type":"agent_message","message":"Parser done"}}"#,
            r#"{"$set":{"messages":[{"type":"user","content":[{"text":"the parser's folder"}]}]}}"#,
            r#"{"id":"1","timestamp":"t5","type":"user","content":[{"text":"and the parser's tests?"}]}"#,
            r#"{"id":"2","timestamp":"t6","type":"gemini","content":"parser tests","toolCalls":[{"name":"sh","args":{"command":"run parser"},"resultDisplay":"parser ok"}]}"#,
        ];
        std::fs::write(&path, lines.join("\n")).unwrap();
        let hits = search_transcript(&Transcript::Lines(path), "parser");
        let found: Vec<(usize, &str, &str)> = hits
            .iter()
            .map(|hit| (hit.turn, hit.at.as_str(), hit.by.as_str()))
            .collect();
        assert_eq!(
            found,
            [
                (1, "t1", "user"),
                (1, "t2", "assistant"),
                (1, "t3", "user"),
                (1, "t4", "assistant"),
                (2, "t5", "user"),
                (2, "t6", "assistant"),
                (2, "t6", "assistant"),
                (2, "t6", "assistant"),
            ]
        );
        assert!(hits[1].handoff);
    }

    #[test]
    fn the_context_of_a_match_is_cut_at_character_boundaries() {
        let long = format!("{}NEEDLE{}", "ä".repeat(100), "ö".repeat(100));
        let text = excerpt_around(&long, "needle").unwrap();
        assert!(
            text.starts_with('…') && text.ends_with('…') && text.contains("NEEDLE"),
            "{text}"
        );
        assert_eq!(text.chars().count(), 2 + 6 + 2 * CONTEXT_CHARS);
        assert_eq!(excerpt_around("İ needle", "needle").unwrap(), "İ needle");
    }
}
