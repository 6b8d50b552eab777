//! Checks that no path in the town leads to an earlier place of it.

use super::CheckFindings;
use crate::flow::place::moved;
use crate::host::LiveTown;

pub(super) fn check_paths(town: &LiveTown, page: &mut CheckFindings) {
    let stale = match moved::find_stale_paths(town, None) {
        Ok(stale) => stale,
        Err(error) => {
            return page.warn(
                format!("the paths of the town are not checked: {error:#}"),
                "correct that file, then run gt doctor again",
            );
        }
    };
    for path in &stale.found {
        page.warn(path.describe(), "gt doctor --fix corrects it");
    }
    for reason in &stale.unreadable {
        let text = format!("not checked for paths of an earlier place: {reason}");
        page.warn(text, "correct that file, then run gt doctor again");
    }
    if stale.found.is_empty() && stale.unreadable.is_empty() {
        page.ok("all paths lead into this town");
    }
}
