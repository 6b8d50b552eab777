//! What agent programs write down of their sessions, as Claude Code does: a JSON line an event in
//! `<config>/projects/<folder>/<session id>.jsonl`, where `<folder>` is the session's folder with every character but
//! letters and digits as `-`. Lines that cannot be read are passed over.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value;

use crate::host::LiveTown;
use crate::host::runtime::Preset;

/// How much of what was found is shown around it, in characters.
const AROUND: usize = 80;

/// A transcript.
#[derive(Debug, Clone)]
pub struct Known {
    /// The session's id.
    pub id: String,
    /// The file.
    pub path: PathBuf,
    /// When its first event was, RFC 3339; empty where it does not say.
    pub began: String,
}

/// A place in a session where something was said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Hit {
    /// The turn: how often the other side had spoken until then, from 1.
    pub turn: usize,
    /// When, RFC 3339.
    pub at: String,
    /// Who said it: `user`, `assistant`.
    pub by: String,
    /// What, with what is around it.
    pub text: String,
    /// Whether the session handed over there.
    pub handoff: bool,
}

/// The store of transcripts.
fn store(town: &LiveTown) -> Option<PathBuf> {
    let preset = Preset::named("claude")?;
    let config = match town.env.get(&preset.config_dir_env) {
        Some(folder) => PathBuf::from(folder),
        None => PathBuf::from(town.env.get("HOME")?).join(".claude"),
    };
    Some(config.join("projects"))
}

/// The name that a folder has in the store.
fn name_of(folder: &Path) -> String {
    let text = folder.to_string_lossy();
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    text.chars().map(plain).collect()
}

/// The transcripts of the sessions that ran in a folder.
pub fn of_folder(town: &LiveTown, folder: &Path) -> Vec<Known> {
    let Some(store) = store(town) else {
        return Vec::new();
    };
    let real = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let entries = std::fs::read_dir(store.join(name_of(&real)));
    let mut found: Vec<Known> = entries
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| known(entry.path()))
        .collect();
    found.sort_by(|a, b| a.id.cmp(&b.id));
    found
}

/// The transcript of a session, wherever it ran.
pub fn find(town: &LiveTown, id: &str) -> Option<PathBuf> {
    if id.is_empty() || id.contains(['/', '\0']) {
        return None;
    }
    let folders = std::fs::read_dir(store(town)?).ok()?;
    folders
        .flatten()
        .map(|folder| folder.path().join(format!("{id}.jsonl")))
        .find(|path| path.is_file())
}

fn known(path: PathBuf) -> Option<Known> {
    if path.extension()? != "jsonl" {
        return None;
    }
    let mut began = String::new();
    events(&path, |event| {
        if let Some(at) = event.get("timestamp").and_then(Value::as_str) {
            at.clone_into(&mut began);
        }
        began.is_empty()
    });
    Some(Known {
        id: path.file_stem()?.to_str()?.to_owned(),
        path,
        began,
    })
}

/// Hands the events of a transcript to `take`, until it wants no more.
fn events(path: &Path, mut take: impl FnMut(&Value) -> bool) {
    let Ok(file) = File::open(path) else {
        return;
    };
    for line in BufReader::new(file).split(b'\n').map_while(Result::ok) {
        let Ok(event) = serde_json::from_slice(&line) else {
            continue;
        };
        if !take(&event) {
            return;
        }
    }
}

/// Where a text was said in a session, whatever the case of its letters.
pub fn search(path: &Path, text: &str) -> Vec<Hit> {
    let wanted = text.to_lowercase();
    let (mut turn, mut hits) = (0, Vec::new());
    events(path, |event| {
        let by = event
            .get("type")
            .and_then(Value::as_str)
            .unwrap_or_default();
        if !matches!(by, "user" | "assistant") {
            return true;
        }
        let message = event.get("message").unwrap_or(&Value::Null);
        let said = said(message);
        // What tools answer comes as the user's, and is no turn of its own.
        if by == "user" && !is_tool_result(message) {
            turn += 1;
        }
        let at = event.get("timestamp").and_then(Value::as_str);
        for piece in &said {
            if let Some(around) = excerpt_around(piece, &wanted) {
                hits.push(Hit {
                    turn: turn.max(1),
                    at: at.unwrap_or_default().to_owned(),
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

fn is_tool_result(message: &Value) -> bool {
    let parts = message.get("content").and_then(Value::as_array);
    parts.is_some_and(|parts| {
        parts
            .iter()
            .any(|part| part.get("type").is_some_and(|kind| kind == "tool_result"))
    })
}

/// The texts of a message: what was said, what tools were called with, what they answered.
fn said(message: &Value) -> Vec<String> {
    let content = message.get("content").unwrap_or(&Value::Null);
    match content {
        Value::String(text) => vec![text.clone()],
        Value::Array(parts) => parts.iter().flat_map(texts_of).collect(),
        _ => Vec::new(),
    }
}

fn texts_of(part: &Value) -> Vec<String> {
    let field = |key: &str| part.get(key).and_then(Value::as_str).map(str::to_owned);
    match part.get("type").and_then(Value::as_str) {
        Some("text") => field("text").into_iter().collect(),
        Some("tool_use") => {
            let input = part.get("input").and_then(Value::as_object);
            let values = input.into_iter().flat_map(|input| input.values());
            values
                .filter_map(|value| value.as_str().map(str::to_owned))
                .collect()
        }
        Some("tool_result") => said(part),
        _ => Vec::new(),
    }
}

/// What is around the first place of a text; `wanted` is in small letters.
fn excerpt_around(text: &str, wanted: &str) -> Option<String> {
    let small = text.to_lowercase();
    let at = small.find(wanted)?;
    // Small letters can be longer: places are counted in characters.
    let begin = small[..at].chars().count();
    let length = wanted.chars().count();
    let from = begin.saturating_sub(AROUND);
    let shown: String = text
        .chars()
        .skip(from)
        .take(begin - from + length + AROUND)
        .collect();
    let before = if from > 0 { "…" } else { "" };
    let after = if text.chars().count() > begin + length + AROUND {
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
    fn a_folder_has_the_name_that_the_agent_program_gives_it() {
        let name = name_of(Path::new("/t/gt_1/web/polecats/nux"));
        assert_eq!(name, "-t-gt-1-web-polecats-nux");
    }

    #[test]
    fn turns_are_counted_and_damaged_lines_passed_over() {
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
        let hits = search(&path, "parser");
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
        assert_eq!(known(path).unwrap().began, "t1");
    }

    #[test]
    fn what_is_around_is_cut_at_characters() {
        let long = format!("{}NEEDLE{}", "ä".repeat(100), "ö".repeat(100));
        let text = excerpt_around(&long, "needle").unwrap();
        assert!(
            text.starts_with('…') && text.ends_with('…') && text.contains("NEEDLE"),
            "{text}"
        );
        assert_eq!(text.chars().count(), 2 + 6 + 2 * AROUND);
        assert_eq!(excerpt_around("İ needle", "needle").unwrap(), "İ needle");
    }
}
