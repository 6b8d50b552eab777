//! Reads what a user wants to see of a request: its changes, and the logs of its failed gates.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use kit::ui::{cut, escape};

use super::job::queue_repository;
use crate::record::merge_request::Receipt;
use crate::town::{Rig, RigLayout, file_name_of};

/// Returns the submitted changes as a patch.
pub fn read_submitted_diff(rig: &Rig, receipt: &Receipt) -> anyhow::Result<String> {
    anyhow::ensure!(
        !receipt.base.is_empty() && !receipt.tip.is_empty(),
        "the request has no receipt: it does not say which commits to merge"
    );
    // No programs of the repository's configuration, and no colours.
    let git = queue_repository(rig);
    let call = git.plumbing([
        "diff",
        "--no-ext-diff",
        "--no-textconv",
        "--no-color",
        &receipt.base,
        &receipt.tip,
    ]);
    Ok(call.text()?)
}

/// Lists the logs of a request's failed gates.
pub fn list_gate_logs(rig: &RigLayout, request: &str) -> Vec<PathBuf> {
    let prefix = format!("{}-", file_name_of(request));
    let entries = std::fs::read_dir(rig.gate_logs()).into_iter().flatten();
    let mut logs: Vec<PathBuf> = entries
        .flatten()
        .filter(|entry| {
            let name = entry.file_name();
            name.to_str().is_some_and(|name| name.starts_with(&prefix))
        })
        .map(|entry| entry.path())
        .collect();
    logs.sort();
    logs
}

/// The number of lines that a screen shows of a gate's output, their width, and the number of bytes
/// that are read for them.
const SHOWN_LINES: usize = 8;
const SHOWN_COLUMNS: usize = 160;
const READ_BYTES: u64 = 4000;

/// Returns the last lines of the newest log of a request's failed gates, safe for a terminal.
pub fn read_last_gate_output(rig: &RigLayout, request: &str) -> Vec<String> {
    let newest = list_gate_logs(rig, request)
        .into_iter()
        .filter_map(|log| Some((log.metadata().ok()?.modified().ok()?, log)))
        .max();
    // A log that `gt compact` has just removed says nothing.
    let text = newest.and_then(|(_, log)| read_end(&log).ok());
    text.map_or_else(Vec::new, |text| list_last_lines(&text))
}

fn read_end(log: &Path) -> io::Result<String> {
    let mut file = File::open(log)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(READ_BYTES)))?;
    let mut bytes = Vec::new();
    file.take(READ_BYTES).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn list_last_lines(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    lines[lines.len().saturating_sub(SHOWN_LINES)..]
        .iter()
        .map(|line| cut::cut_to_width(&escape::escape_line(line), SHOWN_COLUMNS))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_of_an_output_are_few_narrow_and_safe() {
        let long = "x".repeat(500);
        let text = format!("{}\u{1b}[31mred\n\n{long}\n", "line\n".repeat(20));
        let shown = list_last_lines(&text);
        assert_eq!(shown.len(), SHOWN_LINES);
        assert!(!shown.join("").contains('\u{1b}'), "{shown:?}");
        assert!(
            shown
                .iter()
                .all(|line| line.chars().count() <= SHOWN_COLUMNS)
        );
    }
}
