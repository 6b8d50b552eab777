//! Checks the town's own files: existing, readable, of a known kind and version.

use std::path::Path;

use kit::sys::file;
use serde_json::Value;

use super::CheckFindings;
use super::rigs::{STOPPED_BY_SETTINGS, report_setting_fault};
use crate::host::LiveTown;
use crate::record::dog;
use crate::town::config::SettingsLayers;

pub(super) fn check_town_files(town: &LiveTown, page: &mut CheckFindings) {
    let before = page.all.len();
    let layout = &town.layout;
    for (path, kind, newest) in [
        (layout.town_json(), "town", 2),
        (layout.daemon_json(), "daemon-patrol-config", 1),
        (layout.overseer_json(), "overseer", 1),
        (layout.settings(), "town-settings", 1),
    ] {
        check_version(page, &path, kind, newest);
    }
    if let Err(error) = town.read_registry() {
        page.error(
            error.to_string(),
            "fix the file by hand; a backup of the town has an older one",
        );
    }
    match SettingsLayers::load(town, None) {
        Ok(layers) => {
            for fault in layers.find_faults(None) {
                report_setting_fault(page, fault.error.to_string(), &fault);
            }
        }
        Err(error) => {
            let error = anyhow::Error::from(error);
            page.error(format!("{error:#}"), STOPPED_BY_SETTINGS);
        }
    }
    for damaged in dog::list_damaged_dogs(layout) {
        page.warn(damaged, "gt dog list leaves this dog out until then");
    }
    page.ok_unless(
        before,
        format!("the files of {} are sound", layout.root().display()),
    );
}

/// Checks that a file has a known kind and version. An empty kind is an old file.
fn check_version(page: &mut CheckFindings, path: &Path, kind: &str, newest: u64) {
    let shown = path.display();
    let bytes = match file::read_file_if_exists(path) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => {
            let hint = "`gt install` on this folder adds what is missing and changes nothing else";
            return page.warn(format!("{shown} is missing"), hint);
        }
        Err(error) => {
            return page.error(
                format!("{shown} cannot be read: {error}"),
                "fix its permissions",
            );
        }
    };
    let value: Value = match serde_json::from_slice(&bytes) {
        Ok(value) => value,
        Err(error) => {
            return page.error(
                format!("{shown} is not valid: {error}"),
                "fix the file by hand",
            );
        }
    };
    let found = value.get("type").and_then(Value::as_str).unwrap_or("");
    if !found.is_empty() && found != kind {
        page.error(
            format!("{shown} is a `{found}`, not a `{kind}`"),
            "put the right file there",
        );
    }
    let version = value.get("version").and_then(Value::as_u64).unwrap_or(0);
    if version > newest {
        let text = format!("{shown} has version {version}; this gt knows up to {newest}");
        page.error(text, "use a newer gt");
    }
}
