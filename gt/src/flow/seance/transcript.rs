//! Reads the transcripts of agent programs: one JSON line per event, one file per session, or the
//! store of OpenCode.
//!
//! | Program | File | Session's folder |
//! | --- | --- | --- |
//! | Claude Code | `<config>/projects/<folder>/<session id>.jsonl` | `<folder>`: every character other than letters and digits is `-` |
//! | Codex | `<config>/sessions/<year>/<month>/<day>/rollout-<time>-<session id>.jsonl` | in the first line |
//! | Gemini CLI | `~/.gemini/tmp/<name>/chats/session-<time>-<id>.jsonl` | in `.project_root` beside `chats` |
//!
//! OpenCode keeps its sessions in other forms ([`super::opencode`]). Unreadable lines are skipped.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::entries::{change_time, list_entries, open_lines, read_store_file};
use super::opencode::{self, OpencodeSession};
use crate::host::runtime::RuntimePreset;
use crate::record::account;
use crate::town::Town;

/// The number of characters of context around a match.
const CONTEXT_CHARS: usize = 80;

/// The place of the conversation of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Transcript {
    /// A file with one JSON line per event.
    Lines(PathBuf),
    Opencode(Box<OpencodeSession>),
}

impl Transcript {
    /// Returns the file or folder, which may hold other sessions too.
    pub fn path(&self) -> PathBuf {
        match self {
            Self::Lines(path) => path.clone(),
            Self::Opencode(session) => session.path(),
        }
    }

    /// Returns the file that holds this session only.
    pub fn own_file(&self) -> Option<&Path> {
        match self {
            Self::Lines(path) => Some(path),
            Self::Opencode(_) => None,
        }
    }

    /// Returns the time of the last change. None if the transcript cannot be read.
    pub fn change_time(&self) -> Option<Timestamp> {
        match self {
            Self::Lines(path) => change_time(path),
            Self::Opencode(session) => Some(session.changed),
        }
    }

    /// Returns true for a copy of a session of OpenCode.
    pub(super) fn is_copy(&self) -> bool {
        matches!(self, Self::Opencode(session) if session.is_copy)
    }

    pub(super) fn for_each_event(&self, take: impl FnMut(&Value) -> bool) {
        match self {
            Self::Lines(path) => for_each_event(path, take),
            Self::Opencode(session) => session.for_each_message(take),
        }
    }
}

impl Serialize for Transcript {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.path().serialize(serializer)
    }
}

#[derive(Debug, Clone)]
pub struct TranscriptFile {
    pub id: String,
    pub place: Transcript,
    /// The time of the first event, RFC 3339. Empty if unknown.
    pub began: String,
    /// The preset of the program that wrote it.
    pub agent: &'static str,
}

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

/// Returns the configuration folder of a program.
fn find_config_folder(town: &Town, agent: &str, usual: &str) -> Option<PathBuf> {
    let preset = RuntimePreset::named(agent)?;
    match Some(preset.config_dir_env.as_str())
        .filter(|name| !name.is_empty())
        .and_then(|name| town.env.get(name))
    {
        Some(folder) => Some(PathBuf::from(folder)),
        None => Some(PathBuf::from(town.env.get("HOME")?).join(usual)),
    }
}

/// A configuration folder of an agent program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ConfigFolder {
    /// The account of the town with this folder. Empty for the program's own folder.
    pub(super) account: String,
    pub(super) path: PathBuf,
}

/// Returns the configuration folders of a program: its own, and those of the town's accounts.
pub(super) fn list_config_folders(town: &Town, agent: &str, usual: &str) -> Vec<ConfigFolder> {
    let mut folders: Vec<ConfigFolder> = find_config_folder(town, agent, usual)
        .map(|path| ConfigFolder {
            account: String::new(),
            path,
        })
        .into_iter()
        .collect();
    for (account, path) in account::list_account_folders(town) {
        match folders.iter_mut().find(|folder| folder.path == path) {
            Some(known) => known.account = account,
            None => folders.push(ConfigFolder { account, path }),
        }
    }
    folders
}

/// Returns the folders of Claude Code's transcripts.
fn claude_stores(town: &Town) -> Vec<PathBuf> {
    list_config_folders(town, "claude", ".claude")
        .into_iter()
        .map(|folder| folder.path.join("projects"))
        .collect()
}

/// Returns the name of a folder in that store.
fn claude_folder_name(folder: &Path) -> String {
    let text = folder.to_string_lossy();
    text.chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect()
}

/// Returns the transcripts of Claude Code's sessions that ran in a folder. With a time only those
/// that have changed since.
pub fn list_claude_transcripts(
    town: &Town,
    folder: &Path,
    since: Option<Timestamp>,
) -> Vec<TranscriptFile> {
    let real = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let mut found: Vec<TranscriptFile> = claude_stores(town)
        .iter()
        .flat_map(|store| list_entries(&store.join(claude_folder_name(&real))))
        .filter(|path| has_changed(path, since))
        .filter_map(read_transcript_file)
        .collect();
    found.sort_by(|a, b| a.id.cmp(&b.id));
    found
}

/// Returns true if a file has changed since a time, or there is no time.
fn has_changed(path: &Path, since: Option<Timestamp>) -> bool {
    since.is_none_or(|since| change_time(path).is_some_and(|at| at >= since))
}

/// Returns the transcripts of other programs, each with the folder of its session. With a time only
/// those that have changed since.
pub fn list_other_transcripts(
    town: &Town,
    since: Option<Timestamp>,
) -> Vec<(PathBuf, TranscriptFile)> {
    let mut found = list_codex_transcripts(town, since);
    found.extend(list_gemini_transcripts(town, since));
    found.extend(
        opencode::list_opencode_sessions(town)
            .into_iter()
            .filter(|session| since.is_none_or(|since| session.changed >= since))
            .map(|session| {
                let known = TranscriptFile {
                    id: session.id.clone(),
                    began: session.began.to_string(),
                    agent: "opencode",
                    place: Transcript::Opencode(Box::new(session.clone())),
                };
                (session.folder, known)
            }),
    );
    found.sort_by(|a, b| a.1.id.cmp(&b.1.id));
    found
}

fn list_codex_transcripts(town: &Town, since: Option<Timestamp>) -> Vec<(PathBuf, TranscriptFile)> {
    list_config_folders(town, "codex", ".codex")
        .into_iter()
        .flat_map(|folder| list_codex_files(&folder.path))
        .filter(|path| has_changed(path, since))
        .filter_map(|path| {
            let first = read_first_event(&path)?;
            let about = first.get("payload")?;
            // A copy that a seance created is not a session of the town.
            if about.get("forked_from_id").is_some() {
                return None;
            }
            let folder = PathBuf::from(about.get("cwd")?.as_str()?);
            Some((
                folder,
                build_from_first_event(path, about, "codex", "id", "timestamp")?,
            ))
        })
        .collect()
}

/// Returns the transcripts in a configuration folder of Codex.
pub(super) fn list_codex_files(config: &Path) -> Vec<PathBuf> {
    let mut paths = vec![config.join("sessions")];
    for _ in ["year", "month", "day", "file"] {
        paths = paths.iter().flat_map(|path| list_entries(path)).collect();
    }
    paths.retain(|path| path.extension().is_some_and(|end| end == "jsonl"));
    paths
}

fn list_gemini_transcripts(
    town: &Town,
    since: Option<Timestamp>,
) -> Vec<(PathBuf, TranscriptFile)> {
    let config = find_config_folder(town, "gemini", ".gemini");
    let projects = config.map(|config| list_entries(&config.join("tmp")));
    let mut found = Vec::new();
    for project in projects.unwrap_or_default() {
        let root = read_store_file(&project.join(".project_root"))
            .and_then(|root| String::from_utf8(root).ok())
            .unwrap_or_default();
        let mut known: Vec<TranscriptFile> = list_entries(&project.join("chats"))
            .into_iter()
            .filter(|path| has_changed(path, since))
            .filter_map(|path| {
                let first = read_first_event(&path)?;
                build_from_first_event(path, &first, "gemini", "sessionId", "startTime")
            })
            .collect();
        // A copy that a seance created is not a session of the town.
        let copies: Vec<String> = known
            .iter()
            .filter(|known| known.place.own_file().is_some_and(is_loaded))
            .map(|known| known.id.clone())
            .collect();
        known.retain(|known| !copies.contains(&known.id));
        found.extend(
            known
                .into_iter()
                .map(|known| (PathBuf::from(root.trim()), known)),
        );
    }
    found
}

/// Returns true if Gemini CLI loaded a session from another file.
fn is_loaded(path: &Path) -> bool {
    let mut number = 0;
    let mut loaded = false;
    for_each_event(path, |event| {
        let content = event.get("content").and_then(Value::as_str);
        loaded = content.is_some_and(|said| said.starts_with("Imported session from "));
        number += 1;
        number < 3 && !loaded
    });
    loaded
}

fn build_from_first_event(
    path: PathBuf,
    about: &Value,
    agent: &'static str,
    id: &str,
    began: &str,
) -> Option<TranscriptFile> {
    Some(TranscriptFile {
        id: about.get(id)?.as_str()?.to_owned(),
        place: Transcript::Lines(path),
        began: about.get(began)?.as_str()?.to_owned(),
        agent,
    })
}

fn read_first_event(path: &Path) -> Option<Value> {
    let mut first = None;
    for_each_event(path, |event| {
        first = Some(event.clone());
        false
    });
    first
}

/// Returns the transcript of a Claude Code session in any folder.
pub fn find_claude_transcript(town: &Town, id: &str) -> Option<PathBuf> {
    if id.is_empty() || id.contains(['/', '\0']) {
        return None;
    }
    claude_stores(town)
        .iter()
        .flat_map(|store| list_entries(store))
        .map(|folder| folder.join(format!("{id}.jsonl")))
        .find(|path| path.is_file())
}

fn read_transcript_file(path: PathBuf) -> Option<TranscriptFile> {
    if path.extension()? != "jsonl" {
        return None;
    }
    let mut began = String::new();
    for_each_event(&path, |event| {
        if let Some(at) = event.get("timestamp").and_then(Value::as_str) {
            at.clone_into(&mut began);
        }
        began.is_empty()
    });
    Some(TranscriptFile {
        id: path.file_stem()?.to_str()?.to_owned(),
        place: Transcript::Lines(path),
        began,
        agent: "claude",
    })
}

/// Passes the events of a transcript to `take` until it returns false.
fn for_each_event(path: &Path, mut take: impl FnMut(&Value) -> bool) {
    let Ok(mut lines) = open_lines(path, 0) else {
        return;
    };
    while let Ok(Some(line)) = lines.next_line() {
        let Ok(event) = serde_json::from_slice(line) else {
            continue;
        };
        if !take(&event) {
            return;
        }
    }
}

/// Finds a text in a session, ignoring case.
pub fn search_transcript(transcript: &Transcript, text: &str) -> Vec<TranscriptHit> {
    let wanted = text.to_lowercase();
    let mut turn = 0;
    let mut hits = Vec::new();
    transcript.for_each_event(|event| {
        let Some((by, message)) = parse_speech(event) else {
            return true;
        };
        let texts = message_texts(message);
        if starts_turn(by, message) {
            turn += 1;
        }
        let at = find_event_time(event);
        for piece in &texts {
            if let Some(around) = excerpt_around(piece, &wanted) {
                hits.push(TranscriptHit {
                    turn: turn.max(1),
                    at: at.clone().unwrap_or_default(),
                    by: by.to_owned(),
                    handoff: piece.contains("gt handoff"),
                    text: around,
                });
            }
        }
        true
    });
    hits
}

/// Returns the time of an event, RFC 3339. OpenCode writes milliseconds.
pub(super) fn find_event_time(event: &Value) -> Option<String> {
    let at = event.get("timestamp").and_then(Value::as_str);
    at.map(str::to_owned).or_else(|| {
        let millis = event.get("time")?.get("created")?.as_i64()?;
        Some(Timestamp::from_millisecond(millis).ok()?.to_string())
    })
}

/// Returns the speaker and the message of an event. None for other kinds of events.
pub(super) fn parse_speech(event: &Value) -> Option<(&'static str, &Value)> {
    let text = |of: &Value, key: &str| of.get(key).and_then(Value::as_str).map(str::to_owned);
    // OpenCode: the event is the message, and has no type.
    let Some(kind) = text(event, "type") else {
        return match event.get("role")?.as_str()? {
            "user" => Some(("user", event)),
            "assistant" => Some(("assistant", event)),
            _ => None,
        };
    };
    let (kind, of) = match kind.as_str() {
        // Codex: an item with a role, or a tool call.
        "response_item" => {
            let item = event.get("payload")?;
            let kind = text(item, "type")?;
            match kind.as_str() {
                "message" => (text(item, "role")?, item),
                "function_call" | "custom_tool_call" => ("assistant".to_owned(), item),
                "function_call_output" | "custom_tool_call_output" => ("tool".to_owned(), item),
                _ => return None,
            }
        }
        // Gemini CLI: the event is the message.
        "gemini" => ("assistant".to_owned(), event),
        kind => (kind.to_owned(), event.get("message").unwrap_or(event)),
    };
    match kind.as_str() {
        "user" => Some(("user", of)),
        "assistant" => Some(("assistant", of)),
        "tool" => Some(("user", of)),
        _ => None,
    }
}

pub(super) fn is_tool_result(message: &Value) -> bool {
    if message.get("output").is_some() {
        return true;
    }
    let parts = message.get("content").and_then(Value::as_array);
    parts.is_some_and(|parts| {
        parts
            .iter()
            .any(|part| part.get("type").is_some_and(|kind| kind == "tool_result"))
    })
}

/// A part of a message.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum MessagePart {
    Text(String),
    /// A call of a tool, with the arguments as the program wrote them: an object or a text.
    Call {
        name: String,
        input: Value,
    },
    Result(String),
}

/// Returns true if a message starts a turn. Tool results have the user's role, but start none.
pub(super) fn starts_turn(by: &str, message: &Value) -> bool {
    by == "user" && !is_tool_result(message)
}

/// Returns the parts of a message in their order.
pub(super) fn list_message_parts(message: &Value) -> Vec<MessagePart> {
    let mut parts = message
        .get("content")
        .map(list_content_parts)
        .unwrap_or_default();
    // Codex: the message is a call or a result.
    for key in ["arguments", "input"] {
        parts.extend(message.get(key).map(|input| build_call(message, input)));
    }
    parts.extend(message.get("output").into_iter().flat_map(list_results));
    // Gemini CLI: the message has its calls with their results.
    let calls = message.get("toolCalls").and_then(Value::as_array);
    for call in calls.into_iter().flatten() {
        parts.extend(call.get("args").map(|input| build_call(call, input)));
        parts.extend(call.get("resultDisplay").into_iter().flat_map(list_results));
    }
    parts
}

fn list_content_parts(content: &Value) -> Vec<MessagePart> {
    match content {
        Value::String(text) => vec![MessagePart::Text(text.clone())],
        Value::Array(parts) => parts.iter().flat_map(parse_part).collect(),
        _ => Vec::new(),
    }
}

fn parse_part(part: &Value) -> Vec<MessagePart> {
    let text = || part.get("text").and_then(Value::as_str).map(str::to_owned);
    match part.get("type").and_then(Value::as_str) {
        None | Some("text" | "input_text" | "output_text") => {
            text().map(MessagePart::Text).into_iter().collect()
        }
        Some("tool_use") => part
            .get("input")
            .map(|input| build_call(part, input))
            .into_iter()
            .collect(),
        Some("tool_result") => part.get("content").map(list_results).unwrap_or_default(),
        _ => Vec::new(),
    }
}

fn build_call(of: &Value, input: &Value) -> MessagePart {
    MessagePart::Call {
        name: of["name"].as_str().unwrap_or_default().to_owned(),
        input: input.clone(),
    }
}

fn list_results(content: &Value) -> Vec<MessagePart> {
    list_content_parts(content)
        .into_iter()
        .filter_map(|part| match part {
            MessagePart::Text(text) => Some(MessagePart::Result(text)),
            _ => None,
        })
        .collect()
}

/// Returns the texts of a message: its content, the arguments of tool calls, and their results.
fn message_texts(message: &Value) -> Vec<String> {
    list_message_parts(message)
        .into_iter()
        .flat_map(|part| match part {
            MessagePart::Text(text) | MessagePart::Result(text) => vec![text],
            MessagePart::Call { input, .. } => list_input_texts(&input),
        })
        .collect()
}

/// Returns the texts in the arguments of a call.
fn list_input_texts(input: &Value) -> Vec<String> {
    match input {
        Value::String(text) => vec![text.clone()],
        Value::Object(fields) => fields
            .values()
            .filter_map(|value| value.as_str().map(str::to_owned))
            .collect(),
        _ => Vec::new(),
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
    fn the_transcript_folder_is_named_as_the_agent_program_names_it() {
        let name = claude_folder_name(Path::new("/t/gt_1/web/polecats/nux"));
        assert_eq!(name, "-t-gt-1-web-polecats-nux");
    }

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
        let hits = search_transcript(&Transcript::Lines(path.clone()), "parser");
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
        assert_eq!(read_transcript_file(path).unwrap().began, "t1");
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
        let hits = search_transcript(&Transcript::Lines(path.clone()), "parser");
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
