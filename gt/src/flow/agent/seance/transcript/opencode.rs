//! Reads the sessions of OpenCode, which keeps them in its data folder.
//!
//! | Version | Place |
//! | --- | --- |
//! | up to 1.1 | `storage/session/<project>/<id>.json`, `storage/message/<session>/<id>.json`, `storage/part/<message>/<id>.json` |
//! | later | the tables `session`, `message` and `part` of `opencode.db`, read with the program `sqlite3` |
//!
//! The session of a subagent belongs to the session that started it. A copy repeats the messages of
//! the original with their times, and is recognized by messages that are older than itself. The
//! database is opened for reading only, so that OpenCode never waits. A session that cannot be read
//! counts as one without a transcript.
//!
//! An answer has its `tokens`. A copy of the session has other ids and the same times, so the times
//! are the id. Reasoning is counted apart from output or in it, by version and provider: the total
//! decides. Versions without a total count it apart for Google's models only. Cached input is not
//! part of the input.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use kit::sys::{ChildCommand, ChildOutput};
use serde_json::{Value, json};

use super::files::{change_time, list_entries, read_store_file};
use super::{
    ModelRequest, ReportedUsage, Speaker, SpokenMessage, TokenCounts, Transcript, TranscriptEvent,
    TranscriptFile, TranscriptReader, list_content_parts, read_number,
};
use crate::town::Town;

/// The time limit for reading a database.
const READ_TIMEOUT: Duration = Duration::from_secs(20);
/// The maximum size of the rows that are read at once, in bytes.
const MAX_ROWS_SIZE: usize = 1 << 30;

/// The size and the time of change of a file. None if it does not exist.
type FileStamp = Option<(u64, Timestamp)>;

/// A reading of a database.
struct DatabaseReading {
    /// The stamps of the database and of its log before the reading.
    stamps: [FileStamp; 2],
    sessions: Vec<SessionRow>,
}

/// The last readings of databases.
static READINGS: Mutex<BTreeMap<OpencodeDatabase, DatabaseReading>> = Mutex::new(BTreeMap::new());

fn read_stamp(path: &Path) -> FileStamp {
    let meta = std::fs::metadata(path).ok()?;
    Some((meta.len(), change_time(path)?))
}

/// The place of a session and of its subagents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpencodeSession {
    store: OpencodeStore,
    pub(super) id: String,
    /// The ids of the sessions of its subagents.
    subagents: Vec<String>,
    pub(super) folder: PathBuf,
    pub(super) began: Timestamp,
    pub(super) changed: Timestamp,
    /// True if it is a copy of another session.
    pub(super) is_copy: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum OpencodeStore {
    /// The folder `storage`.
    Folder(PathBuf),
    Database(OpencodeDatabase),
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct OpencodeDatabase {
    file: PathBuf,
    /// The folder whose sessions are read.
    below: PathBuf,
}

impl OpencodeSession {
    /// Returns the database, or the folder of the session's messages.
    pub(super) fn path(&self) -> PathBuf {
        match &self.store {
            OpencodeStore::Folder(storage) => storage.join("message").join(&self.id),
            OpencodeStore::Database(database) => database.file.clone(),
        }
    }

    /// Passes the messages of the session to `take`, each with its texts in `content`, until it
    /// returns false.
    pub(super) fn for_each_message(&self, take: impl FnMut(&Value) -> bool) {
        let messages = match &self.store {
            OpencodeStore::Folder(storage) => read_folder_messages(storage, &self.id),
            OpencodeStore::Database(database) => database.read_messages(&self.id),
        };
        messages.iter().map(take).find(|goes_on| !goes_on);
    }
}

/// Lists the sessions that ran in the town.
fn list_opencode_sessions(town: &Town) -> Vec<OpencodeSession> {
    let data = match town.env.get("XDG_DATA_HOME") {
        Some(folder) if !folder.is_empty() => Some(PathBuf::from(folder)),
        _ => town
            .env
            .get("HOME")
            .map(|home| Path::new(home).join(".local/share")),
    };
    let Some(data) = data.map(|data| data.join("opencode")) else {
        return Vec::new();
    };
    let root = town.layout.root();
    let below = std::fs::canonicalize(root).unwrap_or_else(|_| root.to_owned());
    let file = data.join("opencode.db");
    let mut found = Vec::new();
    if file.is_file() {
        let database = OpencodeDatabase {
            file,
            below: below.clone(),
        };
        let rows = database.read_changed_sessions();
        found = join_subagents(&OpencodeStore::Database(database), rows);
    }
    // Later versions import the files of earlier ones and leave them.
    let storage = data.join("storage");
    let rows = read_folder_sessions(&storage, &below);
    let mut in_files = join_subagents(&OpencodeStore::Folder(storage), rows);
    in_files.retain(|session| !found.iter().any(|known| known.id == session.id));
    found.extend(in_files);
    found
}

/// A session or a subagent's session as it is stored. Times are in milliseconds.
#[derive(Clone)]
struct SessionRow {
    id: String,
    parent: Option<String>,
    folder: PathBuf,
    created: i64,
    changed: i64,
    /// The time of the first message. 0 if there is none.
    first: i64,
}

/// Joins the sessions of subagents with the one that started them.
fn join_subagents(store: &OpencodeStore, rows: Vec<SessionRow>) -> Vec<OpencodeSession> {
    let parents: HashMap<String, String> = rows
        .iter()
        .filter_map(|row| Some((row.id.clone(), row.parent.clone()?)))
        .collect();
    let mut sessions: BTreeMap<String, OpencodeSession> = BTreeMap::new();
    let (subagents, own): (Vec<SessionRow>, Vec<SessionRow>) =
        rows.into_iter().partition(|row| row.parent.is_some());
    for row in own {
        let session = OpencodeSession {
            store: store.clone(),
            id: row.id.clone(),
            subagents: Vec::new(),
            folder: row.folder,
            began: parse_millis(row.created),
            changed: parse_millis(row.changed),
            is_copy: row.first > 0 && row.first < row.created,
        };
        sessions.insert(row.id, session);
    }
    for row in subagents {
        if let Some(session) = sessions.get_mut(&find_root_session(&parents, &row.id)) {
            session.changed = session.changed.max(parse_millis(row.changed));
            session.subagents.push(row.id);
        }
    }
    sessions.into_values().collect()
}

fn find_root_session(parents: &HashMap<String, String>, id: &str) -> String {
    let mut root = id.to_owned();
    // A damaged store may have a circle.
    for _ in 0..parents.len() {
        let Some(parent) = parents.get(&root) else {
            break;
        };
        root.clone_from(parent);
    }
    root
}

fn parse_millis(millis: i64) -> Timestamp {
    Timestamp::from_millisecond(millis).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// The answers of sessions, each database read once.
#[derive(Default)]
pub(in crate::flow::agent::seance) struct OpencodeAnswers {
    databases: HashMap<OpencodeDatabase, HashMap<String, Vec<Value>>>,
}

impl OpencodeAnswers {
    /// Passes the answers of a session and of its subagents to `take`.
    pub(in crate::flow::agent::seance) fn for_each(
        &mut self,
        session: &OpencodeSession,
        mut take: impl FnMut(&Value),
    ) {
        for id in std::iter::once(&session.id).chain(&session.subagents) {
            match &session.store {
                OpencodeStore::Folder(storage) => {
                    for (_, message) in read_json_files(&storage.join("message").join(id)) {
                        take(&message);
                    }
                }
                OpencodeStore::Database(database) => {
                    let answers = self
                        .databases
                        .entry(database.clone())
                        .or_insert_with(|| database.read_answers());
                    answers.get(id).into_iter().flatten().for_each(&mut take);
                }
            }
        }
    }
}

pub(super) struct OpenCode;

impl TranscriptReader for OpenCode {
    fn program(&self) -> &'static str {
        "opencode"
    }

    fn list_sessions(
        &self,
        town: &Town,
        _folders: &[PathBuf],
        since: Option<Timestamp>,
    ) -> Vec<(PathBuf, TranscriptFile)> {
        list_opencode_sessions(town)
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
            })
            .collect()
    }

    fn parse_event<'a>(&self, message: &'a Value) -> Option<TranscriptEvent<'a>> {
        if message.get("type").is_some() {
            return None;
        }
        let by = match message["role"].as_str()? {
            "user" => Speaker::User,
            "assistant" => Speaker::Assistant,
            _ => return None,
        };
        let created = message["time"]["created"].as_i64();
        let model = message["modelID"].as_str();
        Some(TranscriptEvent {
            id: message["id"].as_str(),
            at: created
                .and_then(|created| Timestamp::from_millisecond(created).ok())
                .map(|at| at.to_string()),
            message: Some(SpokenMessage {
                by,
                parts: list_content_parts(&message["content"]),
            }),
            model,
            usage: (by == Speaker::Assistant).then(|| {
                let created = created.unwrap_or(0);
                let completed = message["time"]["completed"].as_i64().unwrap_or(created);
                let model = model.unwrap_or("");
                ReportedUsage::Request(ModelRequest {
                    id: Some(format!("{created}-{completed}-{model}")),
                    at: parse_millis(completed),
                    model: model.to_owned(),
                    tokens: parse_tokens(message),
                })
            }),
            context: None,
        })
    }
}

/// Reads the tokens of a message of OpenCode.
fn parse_tokens(message: &Value) -> TokenCounts {
    let tokens = &message["tokens"];
    let input = read_number(tokens, "input");
    let cache = &tokens["cache"];
    let cache_read = read_number(cache, "read");
    let cache_write = read_number(cache, "write");
    let output = read_number(tokens, "output");
    let reasoning = read_number(tokens, "reasoning");
    let total = tokens["total"].as_u64();
    let rest = total.and_then(|total| total.checked_sub(input + cache_read + cache_write));
    let provider = message["providerID"].as_str().unwrap_or("");
    let is_apart = total.is_some() || provider.starts_with("google");
    let usual = if is_apart { output + reasoning } else { output };
    TokenCounts {
        input,
        cache_read,
        cache_write,
        output: rest
            .filter(|rest| (output.max(reasoning)..=output + reasoning).contains(rest))
            .unwrap_or(usual),
        ..TokenCounts::default()
    }
}

impl OpencodeDatabase {
    /// Runs a query. None if it fails.
    fn run_query(&self, sql: &str) -> Option<Vec<Value>> {
        let run = ChildCommand::new("sqlite3")
            .args(["-init", "/dev/null", "-readonly", "-json"])
            .args(["-cmd", ".timeout 2000"])
            .arg(&self.file)
            .arg(sql)
            .limit(READ_TIMEOUT)
            .cap(MAX_ROWS_SIZE)
            .run();
        let text = run.ok().filter(ChildOutput::is_success)?.text();
        if text.trim().is_empty() {
            return Some(Vec::new());
        }
        serde_json::from_str(&text).ok()
    }

    /// Returns the condition for sessions of the folder.
    fn is_below(&self) -> String {
        let folder = quote_text(&self.below.to_string_lossy());
        format!(
            "(s.directory = {folder} OR substr(s.directory, 1, length({folder}) + 1) = {folder} || '/')"
        )
    }

    /// Reads the sessions if the database has changed since the last reading of this process, so
    /// that a daemon starts no program as long as OpenCode does nothing.
    fn read_changed_sessions(&self) -> Vec<SessionRow> {
        let stamps = [self.file.clone(), self.log_file()].map(|file| read_stamp(&file));
        let mut readings = READINGS.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = readings.get(self)
            && last.stamps == stamps
        {
            return last.sessions.clone();
        }
        let Some(sessions) = self.read_sessions() else {
            return Vec::new();
        };
        let reading = DatabaseReading {
            stamps,
            sessions: sessions.clone(),
        };
        readings.insert(self.clone(), reading);
        sessions
    }

    /// Returns the file of changes that are not in the database yet.
    fn log_file(&self) -> PathBuf {
        let mut name = self.file.clone().into_os_string();
        name.push("-wal");
        PathBuf::from(name)
    }

    /// Reads the sessions. None if the database cannot be read.
    fn read_sessions(&self) -> Option<Vec<SessionRow>> {
        let rows = self.run_query(&format!(
            "SELECT s.id, s.parent_id, s.directory, s.time_created, \
             max(s.time_updated, coalesce((SELECT max(m.time_updated) FROM message m \
             WHERE m.session_id = s.id), 0)) AS changed, \
             (SELECT min(m.time_created) FROM message m WHERE m.session_id = s.id) AS first \
             FROM session s WHERE {}",
            self.is_below()
        ))?;
        Some(rows.iter().filter_map(parse_session_row).collect())
    }

    /// Reads the answers of the models by session, in their order.
    fn read_answers(&self) -> HashMap<String, Vec<Value>> {
        let rows = self.run_query(&format!(
            "SELECT m.session_id, m.data FROM message m JOIN session s ON s.id = m.session_id \
             WHERE {} AND m.data LIKE '%\"assistant\"%' ORDER BY m.time_created, m.id",
            self.is_below()
        ));
        let mut answers: HashMap<String, Vec<Value>> = HashMap::new();
        for row in rows.into_iter().flatten() {
            if let Some((session, message)) = row["session_id"].as_str().zip(parse_data(&row)) {
                answers.entry(session.to_owned()).or_default().push(message);
            }
        }
        answers
    }

    /// Reads the messages of a session with their texts.
    fn read_messages(&self, session: &str) -> Vec<Value> {
        let rows = self.run_query(&format!(
            "SELECT m.id, m.data, p.data AS part FROM message m \
             LEFT JOIN part p ON p.message_id = m.id AND p.data LIKE '%\"text\"%' \
             WHERE m.session_id = {} ORDER BY m.time_created, m.id, p.id",
            quote_text(session)
        ));
        let mut messages: Vec<Value> = Vec::new();
        for mut row in rows.into_iter().flatten() {
            let part = row["part"].as_str();
            let part = part.and_then(|part| serde_json::from_str(part).ok());
            let last = messages.last_mut().filter(|last| last["id"] == row["id"]);
            match (last, parse_data(&row)) {
                (Some(last), _) => add_text(last, part),
                (None, Some(mut message)) => {
                    message["id"] = row["id"].take();
                    message["content"] = json!([]);
                    add_text(&mut message, part);
                    messages.push(message);
                }
                (None, None) => {}
            }
        }
        messages
    }
}

fn parse_data(row: &Value) -> Option<Value> {
    let data: Value = serde_json::from_str(row["data"].as_str()?).ok()?;
    data.is_object().then_some(data)
}

fn add_text(message: &mut Value, part: Option<Value>) {
    if let Some(content) = message["content"].as_array_mut()
        && let Some(part) = part
        && part["type"] == "text"
    {
        content.push(part);
    }
}

fn parse_session_row(row: &Value) -> Option<SessionRow> {
    Some(SessionRow {
        id: row["id"].as_str()?.to_owned(),
        parent: row["parent_id"].as_str().map(str::to_owned),
        folder: PathBuf::from(row["directory"].as_str()?),
        created: row["time_created"].as_i64()?,
        changed: row["changed"].as_i64().unwrap_or(0),
        first: row["first"].as_i64().unwrap_or(0),
    })
}

/// Quotes a text for SQL.
fn quote_text(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// Reads the sessions of a folder and the folders in it.
fn read_folder_sessions(storage: &Path, below: &Path) -> Vec<SessionRow> {
    list_entries(&storage.join("session"))
        .iter()
        .flat_map(|project| read_json_files(project))
        .filter_map(|(_, session)| {
            let id = session["id"].as_str()?.to_owned();
            let folder = PathBuf::from(session["directory"].as_str()?);
            if !folder.starts_with(below) {
                return None;
            }
            // The names of messages are in the order of their times.
            let messages = list_entries(&storage.join("message").join(&id));
            let changed = messages.iter().filter_map(|path| change_millis(path)).max();
            let first = messages.first().and_then(|path| read_json(path));
            Some(SessionRow {
                parent: session["parentID"].as_str().map(str::to_owned),
                folder,
                created: session["time"]["created"].as_i64()?,
                changed: changed.unwrap_or(0),
                first: first
                    .and_then(|message| message["time"]["created"].as_i64())
                    .unwrap_or(0),
                id,
            })
        })
        .collect()
}

fn change_millis(path: &Path) -> Option<i64> {
    Some(change_time(path)?.as_millisecond())
}

/// Reads the messages of a session with their texts.
fn read_folder_messages(storage: &Path, session: &str) -> Vec<Value> {
    let mut messages = Vec::new();
    for (path, mut message) in read_json_files(&storage.join("message").join(session)) {
        let parts = path
            .file_stem()
            .map(|id| read_json_files(&storage.join("part").join(id)));
        message["content"] = json!([]);
        for (_, part) in parts.into_iter().flatten() {
            add_text(&mut message, Some(part));
        }
        messages.push(message);
    }
    messages
}

/// Reads the JSON objects in a folder, in the order of their names.
fn read_json_files(folder: &Path) -> Vec<(PathBuf, Value)> {
    list_entries(folder)
        .into_iter()
        .filter_map(|path| {
            let value = read_json(&path)?;
            Some((path, value))
        })
        .collect()
}

/// Reads a file with a JSON object. None for any other file.
fn read_json(path: &Path) -> Option<Value> {
    if path.extension()? != "json" {
        return None;
    }
    let value: Value = serde_json::from_slice(&read_store_file(path)?).ok()?;
    value.is_object().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_is_read_again_only_after_a_change() {
        let folder = tempfile::tempdir().unwrap();
        let database = OpencodeDatabase {
            file: folder.path().join("opencode.db"),
            below: PathBuf::from("/town"),
        };
        std::fs::write(&database.file, "no database").unwrap();
        assert!(database.read_changed_sessions().is_empty());
        let session = SessionRow {
            id: "ses_1".to_owned(),
            parent: None,
            folder: PathBuf::from("/town/web"),
            created: 1,
            changed: 2,
            first: 1,
        };
        let reading = DatabaseReading {
            stamps: [read_stamp(&database.file), None],
            sessions: vec![session],
        };
        READINGS.lock().unwrap().insert(database.clone(), reading);
        assert_eq!(database.read_changed_sessions().len(), 1);
        std::fs::write(database.log_file(), "a change").unwrap();
        assert!(database.read_changed_sessions().is_empty());
    }
}
