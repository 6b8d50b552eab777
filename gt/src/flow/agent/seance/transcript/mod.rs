//! Reads the transcripts of agent programs, each format in one file.
//!
//! A program is a `TranscriptReader`: it lists its sessions and translates an event of its format
//! to a `TranscriptEvent`. Usage, conversation, context size and search read only those events.
//! Unreadable lines are skipped.

pub(super) mod claude;
pub(super) mod codex;
pub mod far;
pub(super) mod files;
mod gemini;
pub mod opencode;

use std::ops::AddAssign;
use std::path::{Path, PathBuf};

use bd::bead::Stamp;
use jiff::Timestamp;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use self::files::{change_time, open_lines};
use self::opencode::OpencodeSession;
use crate::host::jail::session_plan::list_session_folders;
use crate::host::runtime::RuntimePreset;
use crate::record::account;
use crate::town::Town;

/// An agent program whose transcripts are known.
pub(super) trait TranscriptReader: Sync {
    /// Returns the name of the program's preset.
    fn program(&self) -> &'static str;

    /// Lists the sessions that ran in one of the folders, each with its folder. A program that keeps
    /// the sessions of all folders in one place lists them all. With a time only those that have
    /// changed since.
    fn list_sessions(
        &self,
        town: &Town,
        folders: &[PathBuf],
        since: Option<Timestamp>,
    ) -> Vec<(PathBuf, TranscriptFile)>;

    /// Returns the transcript of a session in any folder. None if the ids of the program do not
    /// name its files.
    fn find_by_id(&self, _town: &Town, _id: &str) -> Option<PathBuf> {
        None
    }

    /// Reads an event of the program. None for events of other programs, and for those that hold
    /// nothing of a [`TranscriptEvent`].
    fn parse_event<'a>(&self, event: &'a Value) -> Option<TranscriptEvent<'a>>;
}

/// The known programs.
const READERS: [&dyn TranscriptReader; 4] = [
    &claude::ClaudeCode,
    &codex::Codex,
    &gemini::GeminiCli,
    &opencode::OpenCode,
];

/// An event of a transcript.
#[derive(Debug, Default)]
pub(super) struct TranscriptEvent<'a> {
    /// The id with which the program writes a message again when it has grown.
    pub(super) id: Option<&'a str>,
    /// RFC 3339.
    pub(super) at: Option<String>,
    pub(super) message: Option<SpokenMessage<'a>>,
    /// The model that wrote the message. Without a message, the model of the answers after it.
    pub(super) model: Option<&'a str>,
    pub(super) usage: Option<ReportedUsage>,
    /// The number of tokens in the context of the last request.
    pub(super) context: Option<u64>,
}

/// A message of the conversation.
#[derive(Debug)]
pub(super) struct SpokenMessage<'a> {
    pub(super) by: Speaker,
    pub(super) parts: Vec<MessagePart<'a>>,
}

/// The speaker of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Speaker {
    User,
    Assistant,
    /// The tools, which answer the agent's calls.
    Tool,
}

/// A part of a message.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum MessagePart<'a> {
    Text(&'a str),
    /// A call of a tool, with the arguments as the program wrote them: an object or a text.
    Call {
        name: &'a str,
        input: &'a Value,
    },
    Result(&'a str),
}

/// Tokens that an event reports.
#[derive(Debug)]
pub(super) enum ReportedUsage {
    /// A request. Its model may be in an earlier event.
    Request(ModelRequest),
    /// The sums since the session began.
    Totals { at: Timestamp, tokens: TokenCounts },
}

/// Numbers of tokens, each counted once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TokenCounts {
    /// Input that was not in a cache.
    pub input: u64,
    pub cache_read: u64,
    /// Input that was written to a cache for minutes.
    pub cache_write: u64,
    /// Input that was written to a cache for an hour.
    pub cache_write_1h: u64,
    /// Output, with reasoning.
    pub output: u64,
}

impl TokenCounts {
    pub fn total(&self) -> u64 {
        let cached = self.cache_write.saturating_add(self.cache_write_1h);
        self.input
            .saturating_add(self.cache_read)
            .saturating_add(cached)
            .saturating_add(self.output)
    }
}

impl AddAssign for TokenCounts {
    /// Adds numbers. A program can write any number into its transcript, so a sum does not overflow.
    fn add_assign(&mut self, other: Self) {
        for (sum, count) in [
            (&mut self.input, other.input),
            (&mut self.cache_read, other.cache_read),
            (&mut self.cache_write, other.cache_write),
            (&mut self.cache_write_1h, other.cache_write_1h),
            (&mut self.output, other.output),
        ] {
            *sum = sum.saturating_add(count);
        }
    }
}

/// A request to a model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelRequest {
    /// The id of the answer, which copies of the session have too.
    pub id: Option<String>,
    pub at: Timestamp,
    pub model: String,
    pub tokens: TokenCounts,
}

/// A window of time in which a provider limits the use of an account.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct UsageWindow {
    /// The preset of the agent program.
    pub runtime: &'static str,
    /// The account of the town. Empty for the program's own configuration.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub account: String,
    pub window_minutes: u64,
    pub used_percent: f64,
    /// The end of the window. Missing if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resets_at: Option<Timestamp>,
    /// The time of the answer with these values.
    pub at: Timestamp,
}

impl UsageWindow {
    /// Returns true if the window has ended since. The use of the current one is unknown then.
    pub fn is_over(&self, now: Timestamp) -> bool {
        self.resets_at.is_some_and(|end| end <= now)
    }

    /// Returns the length as `5-hour` or `7-day`.
    pub fn describe_length(&self) -> String {
        // Some versions count a minute less.
        let hours = (self.window_minutes + 30) / 60;
        match hours {
            0 => format!("{}-minute", self.window_minutes),
            hours if hours % 24 == 0 => format!("{}-day", hours / 24),
            hours => format!("{hours}-hour"),
        }
    }
}

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

    /// Passes the events to `take` until it returns false.
    pub(super) fn for_each_event(&self, mut take: impl FnMut(&TranscriptEvent) -> bool) {
        let take_value = |value: &Value| parse_event(value).is_none_or(|event| take(&event));
        match self {
            Self::Lines(path) => for_each_value(path, take_value),
            Self::Opencode(session) => session.for_each_message(take_value),
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

/// Reads an event of any known program.
pub(super) fn parse_event(value: &Value) -> Option<TranscriptEvent<'_>> {
    READERS.iter().find_map(|reader| reader.parse_event(value))
}

/// Lists the sessions of all known programs by id: those that ran in one of the folders, and some
/// of other folders. Each has its folder. With a time only those that have changed since.
pub(super) fn list_transcripts(
    town: &Town,
    folders: &[PathBuf],
    since: Option<Timestamp>,
) -> Vec<(PathBuf, TranscriptFile)> {
    let mut found: Vec<_> = READERS
        .iter()
        .flat_map(|reader| reader.list_sessions(town, folders, since))
        .collect();
    found.sort_by(|(_, a), (_, b)| a.id.cmp(&b.id));
    found
}

/// Returns the transcript of a session in any folder.
pub(super) fn find_transcript(town: &Town, id: &str) -> Option<PathBuf> {
    READERS
        .iter()
        .find_map(|reader| reader.find_by_id(town, id))
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

/// Returns the folders in which a program has its transcripts: its configuration folders, and those
/// of the workers in a jail.
fn list_transcript_folders(town: &Town, agent: &str, usual: &str) -> Vec<PathBuf> {
    let folders = list_config_folders(town, agent, usual);
    // The rigs that cannot be listed are reported by `gt doctor`.
    let rigs = town.list_rigs().unwrap_or_else(|_| Vec::new());
    folders
        .into_iter()
        .map(|folder| folder.path)
        .chain(rigs.iter().flat_map(|rig| list_session_folders(rig)))
        .collect()
}

/// Returns true if a file has changed since a time, or there is no time.
fn has_changed(path: &Path, since: Option<Timestamp>) -> bool {
    since.is_none_or(|since| change_time(path).is_some_and(|at| at >= since))
}

fn build_from_first_value(
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

fn read_first_value(path: &Path) -> Option<Value> {
    let mut first = None;
    for_each_value(path, |value| {
        first = Some(value.clone());
        false
    });
    first
}

/// Passes the JSON values of a file's lines to `take` until it returns false.
fn for_each_value(path: &Path, mut take: impl FnMut(&Value) -> bool) {
    let Ok(mut lines) = open_lines(path, 0) else {
        return;
    };
    while let Ok(Some(line)) = lines.next_line() {
        let Ok(value) = serde_json::from_slice(line) else {
            continue;
        };
        if !take(&value) {
            return;
        }
    }
}

/// Returns a text that is not empty.
fn find_text(value: &Value) -> Option<&str> {
    value.as_str().filter(|text| !text.is_empty())
}

/// Returns the time of an event as the program wrote it.
fn written_time(event: &Value) -> Option<String> {
    event["timestamp"].as_str().map(str::to_owned)
}

/// Returns the instant of an event. An event without a time happened at the epoch.
fn written_instant(event: &Value) -> Timestamp {
    Stamp::parse(event["timestamp"].as_str().unwrap_or("")).instant()
}

/// Returns a number of an answer. Programs leave out numbers that are 0.
fn read_number(value: &Value, key: &str) -> u64 {
    value[key].as_u64().unwrap_or(0)
}

/// Lists the parts of a message's content: a text, or a list of parts with a type.
fn list_content_parts(content: &Value) -> Vec<MessagePart<'_>> {
    match content {
        Value::String(text) => vec![MessagePart::Text(text)],
        Value::Array(parts) => parts.iter().flat_map(parse_part).collect(),
        _ => Vec::new(),
    }
}

fn parse_part(part: &Value) -> Vec<MessagePart<'_>> {
    match part["type"].as_str() {
        None | Some("text" | "input_text" | "output_text") => part["text"]
            .as_str()
            .map(MessagePart::Text)
            .into_iter()
            .collect(),
        Some("tool_use") => part
            .get("input")
            .map(|input| build_call(part, input))
            .into_iter()
            .collect(),
        Some("tool_result") => list_results(&part["content"]),
        _ => Vec::new(),
    }
}

fn build_call<'a>(call: &'a Value, input: &'a Value) -> MessagePart<'a> {
    MessagePart::Call {
        name: call["name"].as_str().unwrap_or(""),
        input,
    }
}

/// Lists the texts of a tool's result.
fn list_results(content: &Value) -> Vec<MessagePart<'_>> {
    list_content_parts(content)
        .into_iter()
        .filter_map(|part| match part {
            MessagePart::Text(text) => Some(MessagePart::Result(text)),
            _ => None,
        })
        .collect()
}

/// Returns true if a content has the result of a tool.
fn has_tool_result(content: &Value) -> bool {
    content
        .as_array()
        .is_some_and(|parts| parts.iter().any(|part| part["type"] == "tool_result"))
}
