//! Reads what a user wants to see of a request: its changes, and the logs of its failed gates.

use std::path::PathBuf;

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
