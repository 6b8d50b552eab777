//! Reads the transcripts of Codex:
//! `<config>/sessions/<year>/<month>/<day>/rollout-<time>-<session id>.jsonl`, with the session's
//! folder in the first line.
//!
//! An item has a role, or is a call of a tool or its result. The model is in an event before the
//! answers. The tokens of each answer are in a `token_usage_record`. Versions without it have the
//! totals of the session in `token_count` events, which have the usage windows of the account, too.
//! Cached input is part of the input.

use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::files::list_entries;
use super::{
    MessagePart, ModelRequest, ReportedUsage, Speaker, SpokenMessage, TokenCounts, TranscriptEvent,
    TranscriptFile, TranscriptReader, UsageWindow, build_call, build_from_first_value, find_text,
    has_changed, list_content_parts, list_results, list_transcript_folders, read_first_value,
    read_number, written_instant, written_time,
};
use crate::town::Town;

pub(in crate::flow::agent::seance) struct Codex;

impl TranscriptReader for Codex {
    fn program(&self) -> &'static str {
        "codex"
    }

    fn list_sessions(
        &self,
        town: &Town,
        _folders: &[PathBuf],
        since: Option<Timestamp>,
    ) -> Vec<(PathBuf, TranscriptFile)> {
        list_transcript_folders(town, "codex", ".codex")
            .into_iter()
            .flat_map(|folder| list_codex_files(&folder))
            .filter(|path| has_changed(path, since))
            .filter_map(read_session)
            .collect()
    }

    fn parse_event<'a>(&self, event: &'a Value) -> Option<TranscriptEvent<'a>> {
        let payload = event.get("payload")?;
        let found = match event["type"].as_str()? {
            "response_item" => TranscriptEvent {
                message: Some(parse_item(payload)?),
                ..TranscriptEvent::default()
            },
            "turn_context" => TranscriptEvent {
                model: find_text(&payload["model"]),
                ..TranscriptEvent::default()
            },
            "token_usage_record" => TranscriptEvent {
                usage: Some(ReportedUsage::Request(ModelRequest {
                    id: find_text(&payload["response_id"]).map(str::to_owned),
                    at: written_instant(event),
                    model: String::new(),
                    tokens: parse_tokens(&payload["usage"]),
                })),
                ..TranscriptEvent::default()
            },
            "event_msg" if payload["type"] == "token_count" => {
                let totals = &payload["info"]["total_token_usage"];
                let last = &payload["info"]["last_token_usage"];
                let context =
                    read_number(last, "input_tokens") + read_number(last, "output_tokens");
                TranscriptEvent {
                    usage: totals.is_object().then(|| ReportedUsage::Totals {
                        at: written_instant(event),
                        tokens: parse_tokens(totals),
                    }),
                    context: Some(context).filter(|context| *context > 0),
                    ..TranscriptEvent::default()
                }
            }
            _ => return None,
        };
        Some(TranscriptEvent {
            id: event["id"].as_str(),
            at: written_time(event),
            ..found
        })
    }
}

fn parse_item(item: &Value) -> Option<SpokenMessage<'_>> {
    let by = match item["type"].as_str()? {
        "message" if item["role"] == "user" => Speaker::User,
        "message" if item["role"] == "assistant" => Speaker::Assistant,
        "function_call" | "custom_tool_call" => Speaker::Assistant,
        "function_call_output" | "custom_tool_call_output" => Speaker::Tool,
        _ => return None,
    };
    let mut parts: Vec<MessagePart> = list_content_parts(&item["content"]);
    for key in ["arguments", "input"] {
        parts.extend(item.get(key).map(|input| build_call(item, input)));
    }
    parts.extend(list_results(&item["output"]));
    Some(SpokenMessage { by, parts })
}

/// Reads counts in which cached input and written input are parts of the input.
fn parse_tokens(usage: &Value) -> TokenCounts {
    let cache_read = read_number(usage, "cached_input_tokens");
    let cache_write = read_number(usage, "cache_write_input_tokens");
    TokenCounts {
        input: read_number(usage, "input_tokens").saturating_sub(cache_read + cache_write),
        cache_read,
        cache_write,
        output: read_number(usage, "output_tokens"),
        ..TokenCounts::default()
    }
}

/// Reads the windows in an event. Those of one model do not count.
pub(in crate::flow::agent::seance) fn parse_codex_windows(event: &Value) -> Vec<UsageWindow> {
    let payload = &event["payload"];
    let limits = &payload["rate_limits"];
    let is_for_account = limits["limit_id"].as_str().is_none_or(|id| id == "codex");
    if payload["type"] != "token_count" || !is_for_account {
        return Vec::new();
    }
    let at = written_instant(event);
    let mut windows: Vec<UsageWindow> = [&limits["primary"], &limits["secondary"]]
        .into_iter()
        .filter_map(|window| {
            let end = window["resets_at"].as_i64();
            let until_end = window["resets_in_seconds"].as_i64();
            Some(UsageWindow {
                runtime: "codex",
                account: String::new(),
                window_minutes: window["window_minutes"].as_u64()?,
                used_percent: window["used_percent"].as_f64()?,
                resets_at: end
                    .and_then(|end| Timestamp::from_second(end).ok())
                    .or_else(|| at.checked_add(SignedDuration::from_secs(until_end?)).ok()),
                at,
            })
        })
        .collect();
    windows.sort_by_key(|window| window.window_minutes);
    windows
}

fn read_session(path: PathBuf) -> Option<(PathBuf, TranscriptFile)> {
    let first = read_first_value(&path)?;
    let about = first.get("payload")?;
    // A copy that a seance created is not a session of the town.
    if about.get("forked_from_id").is_some() {
        return None;
    }
    let folder = PathBuf::from(about.get("cwd")?.as_str()?);
    let session = build_from_first_value(path, about, "codex", "id", "timestamp")?;
    Some((folder, session))
}

/// Returns the transcripts in a configuration folder.
pub(in crate::flow::agent::seance) fn list_codex_files(config: &Path) -> Vec<PathBuf> {
    let mut paths = vec![config.join("sessions")];
    for _ in ["year", "month", "day", "file"] {
        paths = paths.iter().flat_map(|path| list_entries(path)).collect();
    }
    paths.retain(|path| path.extension().is_some_and(|end| end == "jsonl"));
    paths
}
