//! Builds the text of `gt doctor --bundle`: the facts that a report about a bug needs.
//!
//! Texts of beads, mail and sessions are left out. Values of variables and of keys that hold secrets
//! are masked, as are passwords in URLs. The home directory is written as `~`.

use std::path::Path;

use bd::git::redact_urls;
use kit::sys::file;
use serde_json::Value;

use super::{doctor, status};
use crate::host::{LiveTown, daemon};

/// The number of the last events and log lines.
const TAIL: usize = 200;

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
    let mut add = |heading: &str, text: &str| {
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
    add("System", &system);
    let findings = doctor::run_checks(town, &[]).into_iter().map(|finding| {
        let level = format!("{:?}", finding.level).to_lowercase();
        format!("{level} {}: {}", finding.check, finding.text)
    });
    add("Doctor", &findings.collect::<Vec<_>>().join("\n"));
    let status = status::read_status(town).map_err(|error| format!("{error:#}"));
    match status.and_then(|status| serde_json::to_value(status).map_err(|error| error.to_string()))
    {
        Ok(status) => add("Status", &format_masked(status)),
        Err(error) => add("Status", &error),
    }
    for (name, path) in list_settings(town) {
        match read_json(&path) {
            Some(value) => add(&name, &format_masked(value)),
            None => add(&name, "missing, or not valid JSON"),
        }
    }
    add("Events", &tail_events(&town.layout.events()));
    add("Daemon", &read_tail(&daemon::log_path(&town.layout)));
    let home = town.env.home().map(|home| home.display().to_string());
    let page = redact_urls(&page);
    home.filter(|home| home.len() > 1)
        .map_or_else(|| page.clone(), |home| page.replace(&home, "~"))
}

fn list_settings(town: &LiveTown) -> Vec<(String, std::path::PathBuf)> {
    let mut files = vec![
        ("settings/config.json".to_owned(), town.layout.settings()),
        ("mayor/rigs.json".to_owned(), town.layout.rigs_json()),
        ("mayor/daemon.json".to_owned(), town.layout.daemon_json()),
    ];
    for rig in town.list_rigs().unwrap_or_default() {
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
fn mask_value(value: &mut Value) {
    match value {
        Value::Object(parts) => {
            for (name, part) in parts.iter_mut() {
                let lower = name.to_lowercase();
                if SECRET_OBJECTS.contains(&lower.as_str()) {
                    mask_all(part);
                } else if part.is_string() && WORK_TEXTS.contains(&lower.as_str()) {
                    *part = Value::from("(text)");
                } else if part.is_string() && SECRET_NAMES.iter().any(|word| lower.contains(word)) {
                    mask_all(part);
                } else {
                    mask_value(part);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(mask_value),
        _ => {}
    }
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
    let bytes = file::read_file_if_exists(path).ok().flatten();
    let bytes = bytes.unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(TAIL)..].join("\n")
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
        });
        mask_value(&mut value);
        assert_eq!(
            value,
            json!({
                "title": "(text)", "id": "web-1",
                "agents": {"mine": {"command": "claude", "env": {"API": "***abcd", "N": "***"}}},
                "webhookUrl": "***", "count": 3, "list": [{"subject": "(text)"}],
            })
        );
    }
}
