//! Checks plugins: broken ones, and those that never run automatically because of a mistake.

use super::CheckFindings;
use crate::flow::plugin::load_plugins;
use crate::host::LiveTown;

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
    if !shelf.plugins.is_empty() {
        page.ok_unless(before, "the plugins can be read");
    }
}
