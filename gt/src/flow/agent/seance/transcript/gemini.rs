//! Reads the transcripts of Gemini CLI: `~/.gemini/tmp/<name>/chats/session-<time>-<id>.jsonl`,
//! with the session's folder in `.project_root` beside `chats`.
//!
//! An answer has its tokens, and its calls with their results. It may be written again with the
//! same id. Cached input is part of the input, and thoughts are not part of the output.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde_json::Value;

use super::files::{list_entries, read_store_file};
use super::{
    ModelRequest, ReportedUsage, Speaker, SpokenMessage, TokenCounts, TranscriptEvent,
    TranscriptFile, TranscriptReader, build_call, build_from_first_value, find_config_folder,
    find_text, for_each_value, has_changed, list_content_parts, list_results, read_first_value,
    read_number, written_instant, written_time,
};
use crate::town::Town;

pub(super) struct GeminiCli;

impl TranscriptReader for GeminiCli {
    fn program(&self) -> &'static str {
        "gemini"
    }

    fn list_sessions(
        &self,
        town: &Town,
        _folders: &[PathBuf],
        since: Option<Timestamp>,
    ) -> Vec<(PathBuf, TranscriptFile)> {
        find_config_folder(town, "gemini", ".gemini")
            .into_iter()
            .flat_map(|config| list_entries(&config.join("tmp")))
            .flat_map(|project| list_project_sessions(&project, since))
            .collect()
    }

    fn parse_event<'a>(&self, event: &'a Value) -> Option<TranscriptEvent<'a>> {
        let by = match event["type"].as_str()? {
            "gemini" => Speaker::Assistant,
            "user" if event.get("message").is_none() => Speaker::User,
            _ => return None,
        };
        let mut parts = list_content_parts(&event["content"]);
        for call in event["toolCalls"].as_array().into_iter().flatten() {
            parts.extend(call.get("args").map(|input| build_call(call, input)));
            parts.extend(list_results(&call["resultDisplay"]));
        }
        let model = find_text(&event["model"]);
        let tokens = &event["tokens"];
        let usage = (by == Speaker::Assistant && tokens.is_object()).then(|| {
            ReportedUsage::Request(ModelRequest {
                id: find_text(&event["id"]).map(str::to_owned),
                at: written_instant(event),
                model: model.unwrap_or("").to_owned(),
                tokens: parse_tokens(tokens),
            })
        });
        let context_keys = ["input", "tool", "output", "thoughts"];
        Some(TranscriptEvent {
            id: event["id"].as_str(),
            at: written_time(event),
            message: Some(SpokenMessage { by, parts }),
            model,
            context: usage.as_ref().map(|_| {
                context_keys
                    .iter()
                    .map(|key| read_number(tokens, key))
                    .sum()
            }),
            usage,
        })
    }
}

fn parse_tokens(tokens: &Value) -> TokenCounts {
    let cached = read_number(tokens, "cached");
    let input = read_number(tokens, "input") + read_number(tokens, "tool");
    TokenCounts {
        input: input.saturating_sub(cached),
        cache_read: cached,
        output: read_number(tokens, "output") + read_number(tokens, "thoughts"),
        ..TokenCounts::default()
    }
}

fn list_project_sessions(
    project: &Path,
    since: Option<Timestamp>,
) -> Vec<(PathBuf, TranscriptFile)> {
    let root = read_store_file(&project.join(".project_root"))
        .and_then(|root| String::from_utf8(root).ok());
    // Without its folder, a session belongs to no agent.
    let Some(root) = root else {
        return Vec::new();
    };
    let mut sessions: Vec<TranscriptFile> = list_entries(&project.join("chats"))
        .into_iter()
        .filter(|path| has_changed(path, since))
        .filter_map(|path| {
            let first = read_first_value(&path)?;
            build_from_first_value(path, &first, "gemini", "sessionId", "startTime")
        })
        .collect();
    // A copy that a seance created is not a session of the town.
    let copies: Vec<String> = sessions
        .iter()
        .filter(|session| session.place.own_file().is_some_and(is_loaded))
        .map(|session| session.id.clone())
        .collect();
    sessions.retain(|session| !copies.contains(&session.id));
    sessions
        .into_iter()
        .map(|session| (PathBuf::from(root.trim()), session))
        .collect()
}

/// Returns true if the program loaded a session from another file.
fn is_loaded(path: &Path) -> bool {
    let mut number = 0;
    let mut loaded = false;
    for_each_value(path, |event| {
        let content = event.get("content").and_then(Value::as_str);
        loaded = content.is_some_and(|said| said.starts_with("Imported session from "));
        number += 1;
        number < 3 && !loaded
    });
    loaded
}
