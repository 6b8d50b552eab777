//! Reads the numbers that an agent program reports for a session: its model, and the size of its
//! context.
//!
//! Read from the last answer in the transcript that the program's hooks named, otherwise in the
//! newest one of the agent's folder. Not every program records them.

use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use kit::sys::file;
use kit::ui::counted;
use serde_json::Value;

use super::transcript::claude::ClaudeCode;
use super::transcript::{TranscriptReader, parse_event};
use crate::flow::agent::session::start::STARTED;
use crate::record::pulse::SessionPulse;
use crate::town;
use crate::town::Town;
use crate::town::config::SettingsLayers;
use crate::town::identity::Address;

/// The number of bytes that are read from the end of a transcript.
const READ_SIZE: u64 = 512 * 1024;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionNumbers {
    pub model: Option<String>,
    /// The number of tokens in the context of the last request. 0 if unknown.
    pub context: u64,
}

/// Reads the numbers of an agent's session.
pub fn read_session_numbers(
    town: &Town,
    address: &Address,
    pulse: &SessionPulse,
) -> SessionNumbers {
    let named = pulse.transcript.as_ref().map(PathBuf::from);
    let path = named.filter(|path| path.is_file()).or_else(|| {
        let home = std::fs::canonicalize(town::agent_home(town, address)).ok()?;
        let (_, newest) = ClaudeCode
            .list_sessions(town, &[home], None)
            .into_iter()
            .max_by(|(_, a), (_, b)| a.began.cmp(&b.began))?;
        Some(newest.place.own_file()?.to_owned())
    });
    let mut found = path
        .map(|path| read_file_numbers(&path))
        .unwrap_or_default();
    found.model = pulse.model.clone().or(found.model);
    found
}

/// Reads the last answer in a transcript, and the model that it names or that was named before it.
/// An unreadable file has neither.
pub fn read_file_numbers(path: &Path) -> SessionNumbers {
    let mut found = SessionNumbers::default();
    let Ok(text) = read_file_end(path) else {
        return found;
    };
    let lines = text.rsplit(|byte| *byte == b'\n');
    for value in lines.filter_map(|line| serde_json::from_slice::<Value>(line).ok()) {
        let Some(event) = parse_event(&value) else {
            continue;
        };
        if let Some(context) = event.context.filter(|_| found.context == 0) {
            found.context = context;
        }
        if let Some(model) = event.model {
            found.model = Some(model.to_owned());
            return found;
        }
    }
    found
}

pub(super) fn read_file_end(path: &Path) -> std::io::Result<Vec<u8>> {
    let Some(mut file) = file::open_file_if_exists(path)? else {
        return Ok(Vec::new());
    };
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(READ_SIZE)))?;
    let mut text = Vec::new();
    file.take(READ_SIZE).read_to_end(&mut text)?;
    Ok(text)
}

/// Returns a proposal to hand over, if the session is old or its context is large by the town's
/// settings.
pub fn propose_handoff(town: &Town) -> Option<String> {
    let rig = town.actor.rig().map(|rig| town.rig(rig));
    let layers = SettingsLayers::load(town, rig.as_ref()).ok()?;
    let [session, token, begun] =
        ["GT_SESSION", town::process::TOKEN, STARTED].map(|name| town.env.get(name).unwrap_or(""));
    let pulse = SessionPulse::load(&town.layout, session, token);
    let mut why = Vec::new();
    let most = layers.duration("session.cycle_age");
    if let Ok(begun) = begun.parse::<Timestamp>() {
        let age = town.clock.now().duration_since(begun);
        if most.is_positive() && age >= most {
            why.push(format!(
                "it is {} old",
                counted(usize::try_from(age.as_mins()).ok()?, "minute")
            ));
        }
    }
    let context = read_session_numbers(town, &town.actor, &pulse).context;
    let most = layers.number("session.cycle_tokens");
    if most > 0 && context >= most {
        why.push(format!(
            "its context has {context} tokens (setting session.cycle_tokens: {most})"
        ));
    }
    (!why.is_empty()).then(|| {
        format!(
            "A fresh session would do better than this one: {}. Commit, then `gt handoff -m \"what the next one should know\"`: \
             hook, branch and files stay.",
            why.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn model_and_context_are_read_from_the_last_answer() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        let lines = [
            r#"{"type":"assistant","message":{"model":"m-1","usage":{"input_tokens":5}}}"#,
            r#"{"type":"assistant","message":{"model":"m-2","usage":{"input_tokens":7,"cache_read_input_tokens":90,"output_tokens":3}}}"#,
            r#"{"type":"assistant","message":{"model":"<synthetic>"}}"#,
            r#"{"type":"user","message":{"content":"hi"}}"#,
            "{ torn",
        ];
        std::fs::write(&path, lines.join("\n")).unwrap();
        let expected = SessionNumbers {
            model: Some("m-2".to_owned()),
            context: 100,
        };
        assert_eq!(read_file_numbers(&path), expected);
        assert_eq!(
            read_file_numbers(&folder.path().join("none")),
            SessionNumbers::default()
        );
    }

    #[test]
    fn the_context_of_codex_and_gemini_is_that_of_the_last_request() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        let read = |lines: &[&str]| {
            std::fs::write(&path, lines.join("\n")).unwrap();
            let found = read_file_numbers(&path);
            (found.model, found.context)
        };
        let codex = read(&[
            r#"{"type":"turn_context","payload":{"model":"gpt-a"}}"#,
            r#"{"type":"event_msg","payload":{"type":"token_count","info":{"last_token_usage":{"input_tokens":1,"output_tokens":1}}}}"#,
            r#"{"type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":900},"last_token_usage":{"input_tokens":90,"cached_input_tokens":40,"output_tokens":5,"reasoning_output_tokens":2}}}}"#,
            r#"{"type":"event_msg","payload":{"type":"token_count","info":null}}"#,
        ]);
        assert_eq!(codex, (Some("gpt-a".to_owned()), 95));
        let gemini = read(&[
            r#"{"type":"gemini","id":"g1","model":"gemini-a","tokens":{"input":100,"output":5,"cached":60,"thoughts":20,"tool":3,"total":128}}"#,
        ]);
        assert_eq!(gemini, (Some("gemini-a".to_owned()), 128));
    }
}
