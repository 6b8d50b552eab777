//! Builds the text of `gt doctor --bundle`: the facts that a report about a bug needs.
//!
//! Texts of beads, mail and sessions are left out. Values of variables and of keys that hold
//! secrets are masked, as are passwords in URLs. The home directory is written as `~`.

use std::path::Path;

use bd::git::redact_urls;
use kit::sys::file;
use serde_json::Value;

use super::{doctor, status};
use crate::host::{LiveTown, daemon};
use crate::town::event::LinesBackwards;

/// The number of the last events and log lines.
const MAX_LAST_LINES: usize = 200;

/// Keys whose texts are about the user's work.
const WORK_TEXTS: &[&str] = &[
    "title",
    "work_title",
    "subject",
    "first_subject",
    "message",
    "summary",
    "text",
    "description",
    "args",
    "attached_args",
    "last_line",
    "question",
    "reason",
    "email",
];

/// Keys of objects whose values are all secret.
const SECRET_OBJECTS: &[&str] = &["env", "env_vars", "contacts"];

/// Parts of the names of secret values.
const SECRET_NAMES: &[&str] = &[
    "token",
    "secret",
    "password",
    "key",
    "webhook",
    "credential",
];

/// Returns the text.
pub fn build_bundle(town: &LiveTown, version: &str) -> String {
    let mut page = String::from("# Report of a Gas Town\n");
    let mut add_section = |heading: &str, text: &str| {
        page.push_str(&format!(
            "\n## {heading}\n\n```\n{}\n```\n",
            text.trim_end()
        ));
    };
    let system = format!(
        "gt {version}, {} on {}, {}",
        std::env::consts::OS,
        std::env::consts::ARCH,
        town.clock.now()
    );
    add_section("System", &system);
    let findings = doctor::run_checks(town, &[]).into_iter().map(|finding| {
        let level = format!("{:?}", finding.level).to_lowercase();
        format!("{level} {}: {}", finding.check, finding.text)
    });
    let findings = findings.collect::<Vec<_>>().join("\n");
    add_section("Doctor", &mask_words(&findings));
    let status = status::read_status(town).map_err(|error| format!("{error:#}"));
    match status.and_then(|status| serde_json::to_value(status).map_err(|error| error.to_string()))
    {
        Ok(status) => add_section("Status", &format_masked(status)),
        Err(error) => add_section("Status", &error),
    }
    for (name, path) in list_settings(town) {
        match read_json(&path) {
            Some(value) => add_section(&name, &format_masked(value)),
            None => add_section(&name, "missing, or not valid JSON"),
        }
    }
    add_section("Events", &tail_events(&town.layout.events()));
    let log = read_tail(&daemon::log_path(&town.layout));
    add_section("Daemon", &mask_words(&log));
    let home = town.env.home().map(|home| home.display().to_string());
    home.filter(|home| home.len() > 1)
        .map_or_else(|| page.clone(), |home| page.replace(&home, "~"))
}

fn list_settings(town: &LiveTown) -> Vec<(String, std::path::PathBuf)> {
    let mut files = vec![
        ("settings/config.json".to_owned(), town.layout.settings()),
        ("mayor/rigs.json".to_owned(), town.layout.rigs_json()),
        ("mayor/daemon.json".to_owned(), town.layout.daemon_json()),
    ];
    // The report shows a registry that cannot be read.
    for rig in town.list_rigs().into_iter().flatten() {
        let name = format!("{}/settings/config.json", rig.name());
        files.push((name, rig.settings()));
    }
    files
}

fn read_json(path: &Path) -> Option<Value> {
    let bytes = file::read_file_if_exists(path).ok()??;
    serde_json::from_slice(&bytes).ok()
}

fn format_masked(mut value: Value) -> String {
    mask_value(&mut value);
    format!("{value:#}")
}

/// Masks secrets and texts about the work.
pub fn mask_value(value: &mut Value) {
    match value {
        Value::Object(parts) => {
            for (name, part) in parts.iter_mut() {
                let lower = name.to_lowercase();
                if SECRET_OBJECTS.contains(&lower.as_str()) || is_secret_name(&lower) {
                    mask_all(part);
                } else if WORK_TEXTS.contains(&lower.as_str()) {
                    replace_texts(part);
                } else {
                    mask_value(part);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(mask_value),
        Value::String(text) => *text = mask_words(text),
        _ => {}
    }
}

fn is_secret_name(name: &str) -> bool {
    let name = name.to_lowercase();
    SECRET_NAMES.iter().any(|word| name.contains(word))
}

fn replace_texts(value: &mut Value) {
    match value {
        Value::String(text) => "(text)".clone_into(text),
        Value::Array(items) => items.iter_mut().for_each(replace_texts),
        other => mask_value(other),
    }
}

/// Masks the values of `NAME=VALUE`, `NAME: VALUE` and `--NAME VALUE` in a text, if the name is
/// that of a secret, and the passwords in URLs.
fn mask_words(text: &str) -> String {
    let mut is_value = false;
    let mut masked = String::with_capacity(text.len());
    for word in text.split_inclusive(char::is_whitespace) {
        let bare = word.trim_end();
        let end = &word[bare.len()..];
        match bare.split_once('=') {
            _ if is_value && !bare.is_empty() => masked.push_str("***"),
            Some((name, value)) if is_secret_name(name) && !value.is_empty() => {
                masked.push_str(&format!("{name}=***"));
            }
            _ => masked.push_str(bare),
        }
        masked.push_str(end);
        let is_name = bare.ends_with(':') || bare.starts_with("--");
        is_value = is_name && !bare.contains('=') && is_secret_name(bare);
    }
    redact_urls(&masked)
}

/// Masks each text to its last four characters.
fn mask_all(value: &mut Value) {
    match value {
        Value::String(text) => *text = mask_secret(text),
        Value::Array(items) => items.iter_mut().for_each(mask_all),
        Value::Object(parts) => parts.values_mut().for_each(mask_all),
        _ => {}
    }
}

/// Masks a secret. Only one of at least twelve characters keeps its last four.
fn mask_secret(secret: &str) -> String {
    let length = secret.chars().count();
    let shown = if length < 12 { 0 } else { 4 };
    let end: String = secret.chars().skip(length - shown).collect();
    format!("***{end}")
}

/// Returns the last events without the texts in them.
fn tail_events(path: &Path) -> String {
    let lines: Vec<String> = read_tail(path)
        .lines()
        .filter_map(|line| {
            let mut event: Value = serde_json::from_str(line).ok()?;
            mask_value(&mut event);
            Some(event.to_string())
        })
        .collect();
    lines.join("\n")
}

/// Returns the last lines of a file.
fn read_tail(path: &Path) -> String {
    let Ok(lines) = LinesBackwards::open(path) else {
        return String::new();
    };
    // The part after the last line end is no line.
    let mut lines: Vec<String> = lines
        .map_while(Result::ok)
        .enumerate()
        .filter(|(number, line)| *number > 0 || !line.is_empty())
        .map(|(_, line)| {
            String::from_utf8_lossy(&line)
                .trim_end_matches('\r')
                .to_owned()
        })
        .take(MAX_LAST_LINES)
        .collect();
    lines.reverse();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn secrets_and_texts_about_the_work_are_masked() {
        let mut value = json!({
            "title": "Secret plan", "id": "web-1",
            "agents": {"mine": {"command": "claude", "env": {"API": "sk-0123456789abcd", "N": "1"}}},
            "webhookUrl": "https://h/x", "count": 3, "list": [{"subject": "s"}],
            "tokens": ["abc"], "args": ["--api-key", "sk"],
            "cmd": "API_TOKEN=abc make test --password x all https://bot:hunter2@h.example/x",
        });
        mask_value(&mut value);
        assert_eq!(
            value,
            json!({
                "title": "(text)", "id": "web-1",
                "agents": {"mine": {"command": "claude", "env": {"API": "***abcd", "N": "***"}}},
                "webhookUrl": "***", "count": 3, "list": [{"subject": "(text)"}],
                "tokens": ["***"], "args": ["(text)", "(text)"],
                "cmd": "API_TOKEN=*** make test --password *** all https://***@h.example/x",
            })
        );
    }
}
