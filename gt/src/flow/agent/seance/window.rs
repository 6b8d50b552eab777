//! Reads how much of its usage windows an account has used, as far as its agent program
//! reports it.
//!
//! Codex writes the windows of its provider into its transcripts with each answer: `rate_limits` of
//! `token_count` events. Claude Code passes those of a subscription to the command of its status
//! line, `gt signal status-line`, which records them. The newest ones of an account count. Gemini
//! CLI and OpenCode report none.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::numbers::read_file_end;
pub use super::transcript::UsageWindow;
use super::transcript::claude::parse_claude_windows;
use super::transcript::codex::{list_codex_files, parse_codex_windows};
use super::transcript::list_config_folders;
use crate::record::state_file::{change_state, read_expendable_state, read_state_or_default};
use crate::town::Town;

/// The number of the newest transcripts that are searched. A session that has had no answer yet
/// has no windows.
const SEARCHED_TRANSCRIPTS: usize = 10;
/// The time after which the same values are recorded once more, as a sign that they still hold.
const REPEAT_INTERVAL: SignedDuration = SignedDuration::from_mins(5);

/// Reads the newest windows of each account, the shortest first.
pub fn read_usage_windows(town: &Town) -> Vec<UsageWindow> {
    let mut windows = Vec::new();
    for folder in list_config_folders(town, "codex", ".codex") {
        let mut found = read_codex_windows(&folder.path);
        for window in &mut found {
            window.account.clone_from(&folder.account);
        }
        windows.append(&mut found);
    }
    windows.extend(read_claude_windows(town));
    windows
}

/// The windows that Claude Code has reported, by account.
#[derive(Debug, Default, Serialize, Deserialize)]
struct ReportedWindows {
    #[serde(default)]
    claude: BTreeMap<String, WindowReport>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct WindowReport {
    at: Timestamp,
    /// The windows in the form of the program.
    rate_limits: Value,
}

/// Records the windows in the input of Claude Code's status line for the caller's account, and
/// returns them. Only subscriptions have windows.
pub fn record_claude_windows(town: &Town, input: &Value) -> anyhow::Result<Vec<UsageWindow>> {
    let account = list_config_folders(town, "claude", ".claude")
        .into_iter()
        .map(|folder| folder.account)
        .next();
    let account = account.unwrap_or_default();
    let report = WindowReport {
        at: town.clock.now(),
        rate_limits: input["rate_limits"].clone(),
    };
    let windows = parse_claude_windows(&account, &report.rate_limits, report.at);
    let path = town.layout.usage_windows();
    let known: ReportedWindows = read_state_or_default(&path)?;
    let is_known = known.claude.get(&account).is_some_and(|known| {
        known.rate_limits == report.rate_limits
            && report.at.duration_since(known.at) < REPEAT_INTERVAL
    });
    if !windows.is_empty() && !is_known {
        change_state(&town.layout, &path, |all: &mut ReportedWindows| {
            all.claude.insert(account, report);
        })?;
    }
    Ok(windows)
}

fn read_claude_windows(town: &Town) -> Vec<UsageWindow> {
    let reported: ReportedWindows = read_expendable_state(&town.layout.usage_windows());
    reported
        .claude
        .iter()
        .flat_map(|(account, report)| parse_claude_windows(account, &report.rate_limits, report.at))
        .collect()
}

fn read_codex_windows(config: &Path) -> Vec<UsageWindow> {
    let mut files: Vec<(SystemTime, PathBuf)> = list_codex_files(config)
        .into_iter()
        .filter_map(|path| {
            let changed = fs::metadata(&path).and_then(|meta| meta.modified()).ok()?;
            Some((changed, path))
        })
        .collect();
    files.sort_unstable_by(|a, b| b.cmp(a));
    let found = files
        .iter()
        .take(SEARCHED_TRANSCRIPTS)
        .filter_map(|(_, path)| find_last_windows(path));
    // A file may have been changed by something else than an answer.
    found
        .max_by_key(|windows| windows.first().map(|window| window.at))
        .unwrap_or_default()
}

fn find_last_windows(path: &Path) -> Option<Vec<UsageWindow>> {
    // An unreadable file has no windows, as one without answers.
    let text = read_file_end(path).ok()?;
    text.rsplit(|byte| *byte == b'\n').find_map(|line| {
        let event: Value = serde_json::from_slice(line).ok()?;
        let windows = parse_codex_windows(&event);
        (!windows.is_empty()).then_some(windows)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const WITH_BOTH: &str = r#"{"timestamp":"2026-03-04T10:00:00.500Z","type":"event_msg","payload":{"type":"token_count","info":null,"rate_limits":{"limit_id":"codex","limit_name":null,"primary":{"used_percent":37.5,"window_minutes":300,"resets_at":1772625600},"secondary":{"used_percent":12.0,"window_minutes":10080,"resets_at":1773100800},"credits":null,"plan_type":"plus"}}}"#;
    const OF_A_MODEL: &str = r#"{"timestamp":"2026-03-04T10:01:00Z","type":"event_msg","payload":{"type":"token_count","info":null,"rate_limits":{"limit_id":"codex_other","primary":{"used_percent":99.0,"window_minutes":300,"resets_at":1772625600}}}}"#;
    const OLDER_FORM: &str = r#"{"timestamp":"2025-10-01T10:00:00Z","type":"event_msg","payload":{"type":"token_count","info":null,"rate_limits":{"primary":{"used_percent":5.0,"window_minutes":299,"resets_in_seconds":600},"secondary":null}}}"#;

    #[test]
    fn the_last_windows_of_an_account_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let day = folder.path().join("sessions/2026/03/04");
        fs::create_dir_all(&day).unwrap();
        let none = r#"{"type":"event_msg","payload":{"type":"token_count","info":null,"rate_limits":null}}"#;
        let text = [OLDER_FORM, WITH_BOTH, OF_A_MODEL, none, "{ torn"].join("\n");
        fs::write(day.join("rollout-a.jsonl"), text).unwrap();
        // Changed later, but with older values.
        fs::write(day.join("rollout-b.jsonl"), OLDER_FORM).unwrap();
        let found = read_codex_windows(folder.path());
        let known: Vec<(String, f64, String)> = found
            .iter()
            .map(|window| {
                let end = window.resets_at.unwrap().to_string();
                (window.describe_length(), window.used_percent, end)
            })
            .collect();
        let expected = [
            ("5-hour", 37.5, "2026-03-04T12:00:00Z"),
            ("7-day", 12.0, "2026-03-10T00:00:00Z"),
        ];
        assert_eq!(
            known,
            expected.map(|(length, used, end)| (length.to_owned(), used, end.to_owned()))
        );
        assert!(!found[0].is_over(found[0].at));
        assert!(found[0].is_over("2026-03-04T12:00:00Z".parse().unwrap()));
    }

    #[test]
    fn a_window_of_an_older_codex_ends_after_its_seconds() {
        let event = serde_json::from_str(OLDER_FORM).unwrap();
        let found = parse_codex_windows(&event);
        assert_eq!(found[0].describe_length(), "5-hour");
        let end = found[0].resets_at.unwrap().to_string();
        assert_eq!(end, "2025-10-01T10:10:00Z");
    }
}
