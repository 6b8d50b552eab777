//! Reads the transcripts of Claude Code:
//! `<config>/projects/<folder>/<session id>.jsonl`, in which every character of the session's
//! folder other than letters and digits is `-`.
//!
//! An answer has its tokens in `message.usage`. One answer is several lines with the same id, of
//! which the last one counts. Cached input is not part of the input.
//!
//! The windows of a subscription are in the input of the status line's command.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde_json::Value;

use super::files::list_entries;
use super::{
    ModelRequest, ReportedUsage, Speaker, SpokenMessage, TokenCounts, Transcript, TranscriptEvent,
    TranscriptFile, TranscriptReader, UsageWindow, find_text, for_each_value, has_changed,
    has_tool_result, list_content_parts, list_transcript_folders, read_number, written_instant,
    written_time,
};
use crate::town::Town;

pub(in crate::flow::agent::seance) struct ClaudeCode;

impl TranscriptReader for ClaudeCode {
    fn program(&self) -> &'static str {
        "claude"
    }

    fn list_sessions(
        &self,
        town: &Town,
        folders: &[PathBuf],
        since: Option<Timestamp>,
    ) -> Vec<(PathBuf, TranscriptFile)> {
        let stores = list_stores(town);
        folders
            .iter()
            .flat_map(|folder| {
                stores
                    .iter()
                    .flat_map(|store| list_entries(&store.join(folder_name(folder))))
                    .filter(|path| has_changed(path, since))
                    .filter_map(read_transcript_file)
                    .map(|session| (folder.clone(), session))
            })
            .collect()
    }

    fn find_by_id(&self, town: &Town, id: &str) -> Option<PathBuf> {
        if id.is_empty() || id.contains(['/', '\0']) {
            return None;
        }
        list_stores(town)
            .iter()
            .flat_map(|store| list_entries(store))
            .map(|folder| folder.join(format!("{id}.jsonl")))
            .find(|path| path.is_file())
    }

    fn parse_event<'a>(&self, event: &'a Value) -> Option<TranscriptEvent<'a>> {
        let message = event.get("message")?;
        let content = &message["content"];
        let by = match event["type"].as_str()? {
            "assistant" => Speaker::Assistant,
            "user" if has_tool_result(content) => Speaker::Tool,
            "user" => Speaker::User,
            _ => return None,
        };
        // A message that the program generates has no real model.
        let model = message["model"]
            .as_str()
            .filter(|model| !model.starts_with('<'));
        let tokens = parse_tokens(&message["usage"]);
        Some(TranscriptEvent {
            id: event["id"].as_str(),
            at: written_time(event),
            message: Some(SpokenMessage {
                by,
                parts: list_content_parts(content),
            }),
            model,
            usage: model.zip(tokens).map(|(model, tokens)| {
                ReportedUsage::Request(ModelRequest {
                    id: find_text(&message["id"]).map(str::to_owned),
                    at: written_instant(event),
                    model: model.to_owned(),
                    tokens,
                })
            }),
            context: model.and(tokens).map(|tokens| tokens.total()),
        })
    }
}

fn parse_tokens(usage: &Value) -> Option<TokenCounts> {
    if !usage.is_object() {
        return None;
    }
    let written = read_number(usage, "cache_creation_input_tokens");
    let for_an_hour = read_number(&usage["cache_creation"], "ephemeral_1h_input_tokens");
    Some(TokenCounts {
        input: read_number(usage, "input_tokens"),
        cache_read: read_number(usage, "cache_read_input_tokens"),
        cache_write: written.saturating_sub(for_an_hour),
        cache_write_1h: for_an_hour,
        output: read_number(usage, "output_tokens"),
    })
}

/// Reads the windows in the input of the status line. Those of single models are left out.
pub(in crate::flow::agent::seance) fn parse_claude_windows(
    account: &str,
    rate_limits: &Value,
    at: Timestamp,
) -> Vec<UsageWindow> {
    [("five_hour", 5 * 60), ("seven_day", 7 * 24 * 60)]
        .into_iter()
        .filter_map(|(name, window_minutes)| {
            let window = &rate_limits[name];
            let end = &window["resets_at"];
            Some(UsageWindow {
                runtime: "claude",
                account: account.to_owned(),
                window_minutes,
                used_percent: window["used_percentage"].as_f64()?,
                // Seconds since the epoch; RFC 3339 in some versions.
                resets_at: match end.as_i64() {
                    Some(end) => Timestamp::from_second(end).ok(),
                    None => end.as_str().and_then(|end| end.parse().ok()),
                },
                at,
            })
        })
        .collect()
}

/// Returns the folders of the transcripts.
fn list_stores(town: &Town) -> Vec<PathBuf> {
    list_transcript_folders(town, "claude", ".claude")
        .into_iter()
        .map(|folder| folder.join("projects"))
        .collect()
}

/// Returns the name of a folder in a store.
fn folder_name(folder: &Path) -> String {
    let text = folder.to_string_lossy();
    text.chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect()
}

fn read_transcript_file(path: PathBuf) -> Option<TranscriptFile> {
    if path.extension()? != "jsonl" {
        return None;
    }
    let mut began = String::new();
    for_each_value(&path, |event| {
        began.extend(written_time(event));
        began.is_empty()
    });
    Some(TranscriptFile {
        id: path.file_stem()?.to_str()?.to_owned(),
        place: Transcript::Lines(path),
        began,
        agent: "claude",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_transcript_folder_is_named_as_the_agent_program_names_it() {
        let name = folder_name(Path::new("/t/gt_1/web/polecats/nux"));
        assert_eq!(name, "-t-gt-1-web-polecats-nux");
    }
}
