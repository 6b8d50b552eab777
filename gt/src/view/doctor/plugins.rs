//! Checks plugins: broken ones, those that never run automatically because of a mistake, and those
//! that keep failing.

use super::CheckFindings;
use crate::flow::townwide::plugin::load_plugins;
use crate::host::LiveTown;
use crate::town::config::SettingsLayers;
use crate::view::plugin::find_failing_plugins;

pub(super) fn check_plugins(town: &LiveTown, page: &mut CheckFindings) {
    let before = page.all.len();
    // An unreadable registry is a finding of its own.
    let Ok(shelf) = load_plugins(town) else {
        return;
    };
    for broken in &shelf.broken {
        page.warn(
            format!("{} is skipped: {}", broken.path.display(), broken.reason),
            "correct the file (docs/PLUGINS.md)",
        );
    }
    for plugin in &shelf.plugins {
        for problem in plugin.problems() {
            page.warn(
                format!("plugin {}: {problem}", plugin.key()),
                &format!("correct {}/plugin.md", plugin.folder.display()),
            );
        }
    }
    let beads = town
        .open_town_store()
        .and_then(|store| Ok(store.snapshot()?));
    // Unreadable stores and settings are findings of their own.
    if let (Ok(beads), Ok(settings)) = (beads, SettingsLayers::load(town, None)) {
        for failing in find_failing_plugins(&shelf.plugins, &beads, &settings) {
            page.warn(failing.describe(), &failing.next_step());
        }
    }
    if !shelf.plugins.is_empty() {
        page.ok_unless(before, "the plugins can be read");
    }
}
